"""How a static size is written: a number, an argument of its function, what a loop's name tells."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import all_of, children, fact, holds, walk
from migrate.programs.graph.layering import held_functions
from migrate.programs.graph.sizing import carried_channels
from migrate.programs.graph.sizing.static_run.expressions import Fact
from migrate.programs.graph.sizing.static_run.run import Run
from migrate.programs.graph.sizing.static_run.values import Dim, Tensor
from migrate.programs.graph.wording import idle_partials
from migrate.programs.graph.wording.spelled import Written, free

FORMS: tuple[tuple[str, Callable[[int], int]], ...] = (
    ("{}", lambda n: n),
    ("{} * 4", lambda n: n * 4),
    ("{} * 2", lambda n: n * 2),
    ("{} // 2", lambda n: n // 2),
)
SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef)


def trees(walker: Any) -> Iterator[ast.Module]:
    """All files that the programs at hand may have."""
    return (m.tree for m in walker.files.order if m.tree is not None)


def all_nodes(walker: Any) -> Iterator[ast.AST]:
    """All that stands in them."""
    for tree in trees(walker):
        yield from walk(tree)


def own_nodes(scope: ast.AST) -> list[Any]:
    """What stands in a function or a module, without what stands in functions in it."""
    return fact(scope, _own)


def _own(scope: ast.AST) -> list[Any]:
    found, stack = [], list(children(scope))
    while stack:
        node = stack.pop()
        found.append(node)
        if not isinstance(node, SCOPES):
            stack.extend(children(node))
    return found


@dataclass(slots=True, eq=False)
class Texts:
    """What sizes are written as, and what that asks of functions and their calls."""

    walker: Any
    run: Run
    replaced: dict[int, Written] = field(default_factory=dict)
    names: dict[tuple[int, str, int], str] = field(default_factory=dict)  # of new arguments
    more: dict[int, list[str]] = field(default_factory=dict)  # by call: what it gives besides
    parameters: dict[int, list[str]] = field(default_factory=dict)  # by function
    nodes: dict[int, ast.Call] = field(default_factory=dict)  # calls that give more
    every: dict[int, ast.FunctionDef] = field(default_factory=dict)
    own_names: dict[tuple[int, str, int], str] = field(default_factory=dict)  # the author's
    known_calls: dict[int, list[ast.Call]] = field(default_factory=dict)  # by function
    carried: dict[tuple[int, str, int], str] = field(default_factory=dict)  # from round to round
    inserted: list[Written] = field(default_factory=list)  # what carries them

    def functions(self) -> dict[int, ast.FunctionDef]:
        """All functions of the files, by their ids."""
        if not self.every:
            every = (n for tree in trees(self.walker) for n in all_of(tree, ast.FunctionDef))
            self.every = {id(n): n for n in every}
        return self.every

    def trusted(self, scope: Any) -> bool:
        """Whether all calls of a function were seen."""
        if not isinstance(scope, ast.FunctionDef):
            return isinstance(scope, ast.Module)
        if id(scope) in self.run.lost or id(scope) not in self.run.entered:
            return False
        return bool(self.calls(scope))

    def calls(self, target: ast.FunctionDef) -> list[ast.Call]:
        """All calls of a function; none where there may be others."""
        if id(target) not in self.known_calls:
            self.known_calls[id(target)] = self._calls(target)
        return self.known_calls[id(target)]

    def _calls(self, target: ast.FunctionDef) -> list[ast.Call]:
        name = target.name
        if name == "__call__":
            return self._of_objects(target)
        if name.startswith("__"):
            classes = [n for n in all_nodes(self.walker) if isinstance(n, ast.ClassDef)]
            home = next((c for c in classes if target in c.body), None)
            if home is None or name != "__init__":
                return []
            name = home.name
            every = list(all_nodes(self.walker))
            reads = [n for n in every if _says(n, name)]
            return [n for n in every if isinstance(n, ast.Call) and n.func in reads]
        if self._overridden(target):
            return []
        every = list(all_nodes(self.walker))
        owners = {id(n.value) for n in every if isinstance(n, ast.Attribute)}  # `net.image_size`
        reads = [n for n in every if _says(n, name) and id(n) not in owners]
        homes = [c for c in every if isinstance(c, ast.ClassDef) and target in c.body]
        if homes:  # a name in a function isn't a class's: `conv = tf.nn.conv2d(…)`
            plain = {id(n) for n in own_nodes(homes[0])}
            reads = [n for n in reads if isinstance(n, ast.Attribute) or id(n) in plain]
        else:
            hidden = _hiding(every, name)
            reads = [n for n in reads if not (isinstance(n, ast.Name) and id(n) in hidden)]
        others = {  # calls of other functions that are called so
            id(n.func)
            for n in every
            if isinstance(n, ast.Call)
            and self.run.called.get(id(n))
            and id(target) not in self.run.called[id(n)]
        }
        idle = [s for t in trees(self.walker) for s in idle_partials.of(t).get(name, ())]
        others |= {id(n) for s in idle for n in walk(s)}
        reads = [n for n in reads if id(n) not in others]
        held = held_functions.calls(self.walker, target)
        reads = [n for n in reads if not held or not held_functions.gives(self.walker, n)]
        reads += [n.func for n in held if n.func not in reads]
        ids = set(map(id, reads))
        calls = [n for n in every if isinstance(n, ast.Call) and id(n.func) in ids]
        known = [c for c in calls if self.run.called.get(id(c)) == {id(target)}]
        return known if len(known) == len(reads) else []

    def _of_objects(self, target: ast.FunctionDef) -> list[ast.Call]:
        """The calls of objects, ``self.generator(z)``; none where code that wasn't run has more."""
        every = [n for n in all_nodes(self.walker) if isinstance(n, ast.Call)]
        known = [n for n in every if id(target) in self.run.called.get(id(n), ())]
        names = {_last(n.func) for n in known}
        others = [n for n in every if _last(n.func) in names and not self.run.called.get(id(n))]
        alone = all(self.run.called[id(n)] == {id(target)} for n in known)
        return known if alone and not others else []

    def _overridden(self, target: ast.FunctionDef) -> bool:
        """Whether a class that is based on a method's has another one of its name."""
        known = self.walker.bases.values()
        homes = [c for base in known for c in base.order if target in c.body]
        return any(
            isinstance(member, ast.FunctionDef)
            and member.name == target.name
            and member is not target
            for base in known
            if any(home in base.order for home in homes)
            for cls in base.order
            for member in cls.body
        )

    def text(
        self,
        facts: Sequence[Fact],
        values: Sequence[Any],
        scope: Any,
        own: Sequence[Any],
        wish: str = "",
    ) -> str | None:
        """How a size is written in a function."""
        if all(isinstance(v, tuple) for v in values):
            first = values[0]
            plain = all(isinstance(n, int) for n in first) and all(v == first for v in values)
            return f"[{', '.join(str(int(n)) for n in first)}]" if plain else None
        if all(isinstance(v, str) for v in values):
            return repr(values[0]) if len(set(values)) == 1 else None
        if not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
            return None
        several = len({f.frame for f in facts}) > 1
        origins = {v.origin if isinstance(v, Dim) else None for v in values}
        places = {o[1:] if o is not None else None for o in origins}
        frames = all(
            isinstance(v, Dim) and v.origin is not None and v.origin[0] == f.frame
            for f, v in zip(facts, values, strict=True)
        )
        if len(places) == 1 and None not in places and frames:
            (place,) = places
            assert place is not None
            known = self.names.get((id(scope), *place))
            if known is None and (len(set(values)) > 1 or (wish and several)):
                known = self.parameter(scope, *place)
            if known is not None:
                return known
        if len(set(values)) == 1:
            return str(int(values[0]))
        return self._argument(facts, values, scope) or self._round(facts, values, own)

    def _argument(self, facts: Sequence[Fact], values: Sequence[Any], scope: Any) -> str | None:
        """A size that another argument of the function tells."""
        if not isinstance(scope, ast.FunctionDef):
            return None
        stored = {n.id for n in all_of(scope, ast.Name) if not isinstance(n.ctx, ast.Load)}
        for arg in scope.args.args:
            given = [self.run.arguments.get(f.frame, {}).get(arg.arg) for f in facts]
            if arg.arg in stored or None in given:
                continue
            for form, of in FORMS:
                pairs = zip(given, values, strict=True)
                if all(g is not None and of(g) == v for g, v in pairs):
                    return form.format(arg.arg)
        return None

    def _round(
        self, facts: Sequence[Fact], values: Sequence[Any], own: Sequence[Any]
    ) -> str | None:
        """A size that the name of a loop tells."""
        for name in sorted({n for f in facts for n in f.rounds}):
            heads = {id(n) for s in own if isinstance(s, ast.For) for n in walk(s.target)}
            stores = [n for n in own if isinstance(n, ast.Name) and n.id == name]
            if any(id(n) not in heads for n in stores if not isinstance(n.ctx, ast.Load)):
                continue
            table: dict[int, int] = {}
            for told, value in zip(facts, values, strict=True):
                at = told.rounds.get(name)
                if not isinstance(at, int) or table.setdefault(int(at), int(value)) != value:
                    break
            else:
                keys = sorted(table)
                if keys != list(range(len(keys))):
                    return None
                if len({table[k] for k in keys[1:]}) == 1:
                    return f"({table[0]} if {name} == 0 else {table[1]})"
                return f"({', '.join(str(table[k]) for k in keys)})[{name}]"
        return None

    def parameter(self, target: Any, name: str, axis: int) -> str | None:
        """The name of the argument by which a function is told a size of another argument."""
        key = (id(target), name, axis)
        if key in self.names:
            return self.names[key]
        args = target.args if isinstance(target, ast.FunctionDef) else None
        if args is None or args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
            return None
        if target.name == "__call__":
            return None
        calls = self.calls(target)
        if not calls or any(len(self.run.called.get(id(c), ())) != 1 for c in calls):
            return None
        wish = f"{name}_channels" if axis else f"{name}_size"
        new = self.own_names.get(key) or free(
            self.walker, wish, [n for each in self.parameters.values() for n in each]
        )
        before = self._kept()
        self.names[key] = new
        given: list[tuple[ast.Call, str]] = []
        carried = dict(self.carried), list(self.inserted)
        for call in calls:
            size = self._given(target, call, name, axis)
            if size is None:  # nor do those that call it want theirs
                self.names, self.parameters, self.more, self.nodes = before
                self.carried, self.inserted = carried
                return None
            given.append((call, size))
        for call, size in given:
            self.more.setdefault(id(call), []).append(f"{new}={size}")
            self.nodes[id(call)] = call
        self.parameters.setdefault(id(target), []).append(new)
        return new

    def _kept(self) -> tuple[Any, ...]:
        """A copy of what has been asked for so far."""
        lists = (self.parameters, self.more)
        parameters, more = ({key: list(each) for key, each in one.items()} for one in lists)
        return dict(self.names), parameters, more, dict(self.nodes)

    def _given(self, target: ast.FunctionDef, call: ast.Call, name: str, axis: int) -> str | None:
        """What a call says of the size of an argument."""
        names = [a.arg for a in target.args.args]
        at = names.index(name)
        method = names[:1] == ["self"] and isinstance(call.func, ast.Attribute)
        at -= method
        node = call.args[at] if 0 <= at < len(call.args) else None
        if node is None:
            node = next((k.value for k in call.keywords if k.arg == name), None)
        hidden = any(isinstance(a, ast.Starred) for a in call.args)
        if node is None or hidden or any(k.arg is None for k in call.keywords):
            return None
        facts = self.run.facts.get(id(node), [])
        values = []
        for told in facts:
            shape = told.value.shape if isinstance(told.value, Tensor) else None
            if shape is None or axis >= len(shape):
                return None
            values.append(shape[axis])
        scope = self.home(call)
        if not values or not self.trusted(scope):
            return None
        own = list(own_nodes(scope))
        text = self.text(facts, values, scope, own)
        return text if text is not None else carried_channels.told(self, node, axis, scope, own)

    def home(self, node: ast.AST) -> Any:
        """The function in which a node stands, or its file."""
        tree = self.walker.files.at(node).tree
        home: Any = tree
        for n in walk(tree):
            if isinstance(n, ast.FunctionDef) and holds(n, node):
                home = n
        return home


def _hiding(every: Iterable[ast.AST], name: str) -> set[int]:
    """What stands in functions that give a function's name to something of their own."""
    found: set[int] = set()
    for scope in every:
        if not isinstance(scope, ast.FunctionDef):
            continue
        mine = list(own_nodes(scope))
        stores = (n for n in mine if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
        shared = [n for n in mine if isinstance(n, (ast.Global, ast.Nonlocal))]
        if any(n.id == name for n in stores) and not any(name in n.names for n in shared):
            found |= {id(n) for n in mine if isinstance(n, ast.Name)}
    return found


def _last(node: ast.expr) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _says(node: ast.AST, name: str) -> bool:
    read = isinstance(getattr(node, "ctx", None), ast.Load)
    return read and name in (getattr(node, "id", None), getattr(node, "attr", None))
