"""Static sizes that Python asks for where layers and variables are made, written as what they are.

``if x.get_shape()[-1] != filters:``, ``conv2d(x, n // 2, …)`` of ``n = x.shape[-1].value``,
``avg_pool2d(net, net.get_shape()[1:3])``: what is made is made before anything is computed. A size
that is always the same is a number; one that differs from call to call is an argument of its
function, and one that differs from round to round is told by the loop's name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrate.programs.graph import meaning
from migrate.programs.graph.known_branches import chosen
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.spelled import Spelled, Written, free, same, word
from migrate.programs.graph.static_run.expressions import Fact, Stop
from migrate.programs.graph.static_run.run import Run
from migrate.programs.graph.static_run.values import Dim, Tensor

LAYERS = (T + "layers.", T + "contrib.layers.", T + "contrib.slim.")
GIVEN = frozenset({"inputs", "x", "tensor", "value", "activation", "activation_fn"})
FORMS: tuple[tuple[str, Callable[[int], int]], ...] = (
    ("{}", lambda n: n),
    ("{} * 4", lambda n: n * 4),
    ("{} * 2", lambda n: n * 2),
    ("{} // 2", lambda n: n // 2),
)
SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef)


def found(walker: Any, error: Blocked) -> list[Spelled]:
    """What is written otherwise, a file each; nothing where no size is asked for, or told."""
    if not any(
        isinstance(n, ast.Attribute) and n.attr in ("get_shape", "shape") for n in _all(walker)
    ):
        return []
    run = Run(walker)
    try:
        run.entries()
    except (Stop, RecursionError):
        return []
    telling = Telling(walker, run)
    for tree in trees(walker):
        for n in ast.walk(tree):
            if isinstance(n, ast.FunctionDef):
                telling.wishes(n)
    for tree in trees(walker):
        for scope in (tree, *(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))):
            telling.scope(scope)
    return telling.written(error)


def trees(walker: Any) -> Iterator[ast.Module]:
    """All files that the programs at hand may have."""
    return (m.tree for m in walker.files.order if m.tree is not None)


def _all(walker: Any) -> Iterator[ast.AST]:
    for tree in trees(walker):
        yield from ast.walk(tree)


@dataclass(slots=True, eq=False)
class Telling:
    """What is told of a program's sizes, and where."""

    walker: Any
    run: Run
    replaced: dict[int, Written] = field(default_factory=dict)
    names: dict[tuple[int, str, int], str] = field(default_factory=dict)  # of new arguments
    more: dict[int, list[str]] = field(default_factory=dict)  # by call: what it gives besides
    parameters: dict[int, list[str]] = field(default_factory=dict)  # by function
    nodes: dict[int, Any] = field(default_factory=dict)
    own_names: dict[tuple[int, str, int], str] = field(default_factory=dict)  # the author's
    tests: bool = False  # a branch asks
    gone: list[ast.stmt] = field(default_factory=list)

    def scope(self, scope: Any) -> None:
        """The sizes that a function, or a module, asks for."""
        own = list(own_nodes(scope))
        stores: dict[str, list[ast.stmt]] = {}
        for stmt in own:
            if isinstance(stmt, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
                targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
                for target in targets:
                    for n in ast.walk(target):
                        if isinstance(n, ast.Name):
                            stores.setdefault(n.id, []).append(stmt)
        making = [n for n in own if isinstance(n, ast.Call) and self.makes(n)]
        if not making:
            return
        whole = set(map(id, making))
        places: list[ast.expr] = []
        tests: set[int] = set()
        for call in making:
            places += self.arguments(call)
        for stmt in own:
            if isinstance(stmt, ast.If) and self.leads(stmt.test, stores):
                way = self.decided(stmt, scope)
                if way is not None:
                    branch = stmt.body if way else stmt.orelse
                    self.replaced[id(stmt)] = (stmt, chosen(stmt, branch))
                elif any(id(n) in whole for n in ast.walk(stmt)):
                    places.append(stmt.test)
                    tests.add(id(stmt.test))
            elif isinstance(stmt, ast.IfExp) and any(id(n) in whole for n in ast.walk(stmt)):
                places.append(stmt.test)
            elif isinstance(stmt, ast.For) and any(id(n) in whole for n in ast.walk(stmt)):
                places.append(stmt.iter)
        seen: set[str] = set()
        changed: list[ast.expr] = []
        while places:
            place = places.pop()
            chains = list(self.chains(place, stores))
            self.tests = id(place) in tests
            changed += [chain for chain in chains if self.say(chain, scope, own)]
            inside = {id(n) for chain in chains for n in ast.walk(chain)}
            for n in ast.walk(place):
                if isinstance(n, ast.Name) and n.id not in seen and id(n) not in inside:
                    seen.add(n.id)
                    values = (getattr(s, "value", None) for s in stores.get(n.id, ()))
                    places += [value for value in values if value is not None]
        roots = {n.id for c in changed for n in ast.walk(c) if isinstance(n, ast.Name)}
        for node in own:  # other items of a list of which one is told
            if isinstance(node, ast.Subscript) and id(node) not in self.replaced:
                if isinstance(node.value, ast.Name) and node.value.id in roots:
                    if self.is_chain(node, stores) and self.say(node, scope, own):
                        changed.append(node)
        self.unread(scope, own, stores, changed)

    def wishes(self, scope: ast.FunctionDef) -> None:
        """What the author calls the sizes of arguments."""
        for stmt in scope.body[0].body if isinstance(scope.body[0], ast.With) else scope.body:
            target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
            if not isinstance(stmt, ast.Assign) or not isinstance(target, ast.Name):
                continue
            if len(stmt.targets) > 1 or sum(_names(n, target.id) for n in ast.walk(scope)) > 1:
                continue
            facts = self.run.facts.get(id(stmt.value), ())
            if facts and all(isinstance(f.value, Dim) and f.value.origin for f in facts):
                (place, *others) = {f.value.origin[1:] for f in facts}
                if not others and self.is_chain(stmt.value, {}):
                    self.own_names.setdefault((id(scope), *place), target.id)

    def unread(
        self, scope: Any, own: Sequence[Any], stores: dict[str, list[ast.stmt]], said: Sequence[Any]
    ) -> None:
        """Names of shapes that nothing reads any more go."""
        inside = {id(n) for chain in said for n in ast.walk(chain)}
        for name in {n.id for chain in said for n in ast.walk(chain) if isinstance(n, ast.Name)}:
            reads = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name]
            loads = [n for n in reads if isinstance(n.ctx, ast.Load)]
            made = stores.get(name, [])
            if len(made) != 1 or len(reads) - len(loads) != 1:
                continue
            (stmt,) = made
            if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name):
                if all(id(n) in inside for n in loads) and self.is_chain(stmt.value, stores):
                    self.gone.append(stmt)

    def makes(self, call: ast.Call) -> bool:
        """Whether a call makes layers or variables."""
        endpoint = self.walker.endpoints.get(id(call.func), "")
        if endpoint:
            return endpoint.startswith(LAYERS) or endpoint in meaning.VARIABLES
        targets = self.run.called.get(id(call), ())
        nodes = [n for n in self._functions() if id(n) in targets]
        return any(self.walker._variables_made(n) for n in nodes)

    def _functions(self) -> list[ast.FunctionDef]:
        if not self.nodes:
            self.nodes = {id(n): n for n in _all(self.walker) if isinstance(n, ast.FunctionDef)}
        return list(self.nodes.values())

    def arguments(self, call: ast.Call) -> list[ast.expr]:
        """What a call that makes something is given besides tensors."""
        endpoint = self.walker.endpoints.get(id(call.func), "")
        given: list[ast.expr] = [*call.args, *(k.value for k in call.keywords)]
        if endpoint.startswith(LAYERS):
            try:
                bound = self.walker.bound(endpoint, call)
            except Blocked:
                return []
            given = [v for k, v in bound.items() if k not in GIVEN]
        return [g for g in given if not self._tensor(g)]

    def _tensor(self, node: ast.expr) -> bool:
        facts = self.run.facts.get(id(node), ())
        return bool(facts) and all(isinstance(f.value, Tensor) for f in facts)

    def is_chain(self, node: ast.expr, stores: dict[str, list[ast.stmt]]) -> bool:
        """Whether an expression is a shape, or a part of one."""
        if isinstance(node, ast.Call):
            func = node.func
            if isinstance(func, ast.Attribute):
                if func.attr == "get_shape" and not node.args:
                    return self._tensor(func.value)
                if func.attr in ("as_list", "num_elements") and not node.args:
                    return self.is_chain(func.value, stores)
                named = func.attr in ("prod", "product")
            else:
                named = isinstance(func, ast.Name) and func.id in ("int", "list", "len")
            one = len(node.args) == 1 and not node.keywords
            return named and one and self.is_chain(node.args[0], stores)
        if isinstance(node, ast.Attribute):
            if node.attr == "shape":
                return self._tensor(node.value)
            return node.attr in ("value", "ndims") and self.is_chain(node.value, stores)
        if isinstance(node, ast.Subscript):
            return self.is_chain(node.value, stores)
        if isinstance(node, ast.Name):
            made = stores.get(node.id, [])
            if len(made) != 1 or not isinstance(made[0], ast.Assign):
                return False
            if self._returned(node, made[0]):
                return True
            plain = len(made[0].targets) == 1 and isinstance(made[0].targets[0], ast.Name)
            shaped = isinstance(made[0].value, (ast.Call, ast.Attribute, ast.Subscript))
            whole = self._listed(made[0].value)
            return plain and shaped and whole and self.is_chain(made[0].value, {})
        return False

    def _returned(self, node: ast.Name, made: ast.Assign) -> bool:
        """Whether a name has a size that a function of the program returns beside a tensor."""
        target = made.targets[0]
        several = len(made.targets) == 1 and isinstance(target, (ast.Tuple, ast.List))
        facts = self.run.facts.get(id(node), ())
        return (
            several
            and len(self.run.called.get(id(made.value), ())) == 1
            and bool(facts)
            and all(isinstance(f.value, int) and not isinstance(f.value, bool) for f in facts)
        )

    def _listed(self, node: ast.expr) -> bool:
        """Whether an expression is a list of sizes, and not one of them."""
        facts = self.run.facts.get(id(node), ())
        return bool(facts) and all(isinstance(f.value, tuple) for f in facts)

    def chains(self, node: ast.expr, stores: dict[str, list[ast.stmt]]) -> Iterator[ast.expr]:
        """The outermost expressions of shapes in an expression."""
        stack: list[ast.AST] = [node]
        while stack:
            one = stack.pop()
            if isinstance(one, ast.expr) and self.is_chain(one, stores):
                yield one
            elif not isinstance(one, SCOPES):
                stack.extend(ast.iter_child_nodes(one))

    def leads(self, node: ast.expr, stores: dict[str, list[ast.stmt]]) -> bool:
        """Whether an expression, or what its names were given, asks for a size."""
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        given = [getattr(s, "value", None) for n in names for s in stores.get(n, ())]
        return any(any(self.chains(e, stores)) for e in (node, *given) if e is not None)

    def decided(self, stmt: ast.If, scope: Any) -> bool | None:
        """Which way a branch always goes; None where it isn't one, or isn't told."""
        facts = self.run.facts.get(id(stmt.test), ())
        told = {f.value for f in facts if isinstance(f.value, bool)}
        if not facts or not all(isinstance(f.value, bool) for f in facts) or len(told) != 1:
            return None
        return told.pop() if self.trusted(scope) else None

    def trusted(self, scope: Any) -> bool:
        """Whether all calls of a function were seen."""
        if not isinstance(scope, ast.FunctionDef):
            return isinstance(scope, ast.Module)
        if id(scope) in self.run.lost or id(scope) not in self.run.entered:
            return False
        return bool(self.calls(scope))

    def calls(self, target: ast.FunctionDef) -> list[ast.Call]:
        """All calls of a function; none where there may be others."""
        name = target.name
        if name.startswith("__"):
            classes = [n for n in _all(self.walker) if isinstance(n, ast.ClassDef)]
            home = next((c for c in classes if target in c.body), None)
            if home is None or name != "__init__":
                return []
            name = home.name
            reads = [n for n in _all(self.walker) if _says(n, name)]
            return [n for n in _all(self.walker) if isinstance(n, ast.Call) and n.func in reads]
        reads = [n for n in _all(self.walker) if _says(n, name)]
        ids = set(map(id, reads))
        calls = [n for n in _all(self.walker) if isinstance(n, ast.Call) and id(n.func) in ids]
        known = [c for c in calls if self.run.called.get(id(c)) == {id(target)}]
        return known if len(known) == len(reads) else []

    def say(self, node: ast.expr, scope: Any, own: Sequence[Any]) -> bool:
        """Write a size as what it is, where that is told."""
        facts = self.run.facts.get(id(node), [])
        if not facts or not self.trusted(scope):
            return False
        alone = [
            s
            for s in own
            if isinstance(s, ast.Assign) and s.value is node and isinstance(s.targets[0], ast.Name)
        ]
        wish = "channels" if self.tests else ""
        if alone and isinstance(scope, ast.FunctionDef):
            name = ast.unparse(alone[0].targets[0])
            if any(key[0] == id(scope) and said == name for key, said in self.own_names.items()):
                wish = name
        text = self.text(facts, [f.value for f in facts], scope, own, wish)
        if (
            text is not None
            and text == wish
            and alone
            and text in self.parameters.get(id(scope), ())
        ):
            self.gone.append(alone[0])
        elif text is not None:
            self.replaced[id(node)] = (node, word(text))
        return text is not None

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
        stored = {
            n.id
            for n in ast.walk(scope)
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
        }
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
            heads = {id(n) for s in own if isinstance(s, ast.For) for n in ast.walk(s.target)}
            stores = [n for n in own if isinstance(n, ast.Name) and n.id == name]
            if any(id(n) not in heads for n in stores if not isinstance(n.ctx, ast.Load)):
                continue
            table: dict[int, int] = {}
            for fact, value in zip(facts, values, strict=True):
                at = fact.rounds.get(name)
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
        calls = self.calls(target)
        if not calls or any(len(self.run.called.get(id(c), ())) != 1 for c in calls):
            return None
        taken = self.parameters.setdefault(id(target), [])
        wish = f"{name}_channels" if axis else f"{name}_size"
        new = self.own_names.get(key) or free(
            self.walker, wish, [n for each in self.parameters.values() for n in each]
        )
        self.names[key] = new
        given: list[tuple[ast.Call, str]] = []
        for call in calls:
            size = self._given(target, call, name, axis)
            if size is None:
                del self.names[key]
                return None
            given.append((call, size))
        for call, size in given:
            self.more.setdefault(id(call), []).append(f"{new}={size}")
            self.nodes[id(call)] = call
        taken.append(new)
        return new

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
        for fact in facts:
            shape = fact.value.shape if isinstance(fact.value, Tensor) else None
            if shape is None or axis >= len(shape):
                return None
            values.append(shape[axis])
        scope = self._home(call)
        if not values or not self.trusted(scope):
            return None
        return self.text(facts, values, scope, list(own_nodes(scope)))

    def _home(self, node: ast.AST) -> Any:
        """The function in which a node stands, or its file."""
        tree = self.walker.files.at(node).tree
        home: Any = tree
        for n in ast.walk(tree):
            if isinstance(n, ast.FunctionDef) and any(m is node for m in ast.walk(n)):
                home = n
        return home

    def written(self, error: Blocked) -> list[Spelled]:
        """The changes, a file each; that of the error's first."""
        all_of: list[Written] = list(self.replaced.values())
        whole = [n for n, _ in all_of if isinstance(n, ast.If)]
        all_of += [(stmt, lambda _: "") for stmt in self.gone]
        for key, new in self.parameters.items():
            target = next(n for n in self._functions() if id(n) == key)
            last = target.args.args[-1]
            if not new:
                continue
            default = "=None" if target.args.defaults else ""
            end = target.args.defaults[-1] if target.args.defaults else last
            tail = "".join(f", {name}{default}" for name in new)
            all_of.append((end, same(end, after=tail)))
        for key, said in self.more.items():
            call = self.nodes[key]
            args = [*call.args, *(k.value for k in call.keywords)]
            end = max(args, key=lambda a: (a.end_lineno, a.end_col_offset))
            all_of.append((end, same(end, after="".join(f", {s}" for s in said))))
        inner = {id(n) for stmt in whole for n in ast.walk(stmt) if n is not stmt}
        if whole:  # the rest when these are gone
            all_of = [(n, w) for n, w in self.replaced.values() if isinstance(n, ast.If)]
            all_of = [(n, w) for n, w in all_of if id(n) not in inner]
        files: dict[int, list[Written]] = {}
        for node, text in all_of:
            files.setdefault(id(self.walker.files.at(node)), []).append((node, text))
        return [Spelled(each[0][0], error.reason, each) for each in files.values()]


def _names(node: ast.AST, name: str) -> bool:
    """Whether a node binds a name."""
    stored = isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    return (stored and getattr(node, "id", "") == name) or getattr(node, "arg", None) == name


def _says(node: ast.AST, name: str) -> bool:
    read = isinstance(getattr(node, "ctx", None), ast.Load)
    return read and name in (getattr(node, "id", None), getattr(node, "attr", None))


def own_nodes(scope: ast.AST) -> Iterator[Any]:
    """What stands in a function or a module, without what stands in functions in it."""
    stack = list(ast.iter_child_nodes(scope))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, SCOPES):
            stack.extend(ast.iter_child_nodes(node))
