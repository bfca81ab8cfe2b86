"""Static sizes that Python asks for where layers and variables are made, written as what they are.

``if x.get_shape()[-1] != filters:``, ``conv2d(x, n // 2, …)`` of ``n = x.shape[-1].value``,
``avg_pool2d(net, net.get_shape()[1:3])``: what is made is made before anything is computed. A size
that is always the same is a number; one that differs from call to call is an argument of its
function, and one that differs from round to round is told by the loop's name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.sizing.size_texts import SCOPES, Texts, all_nodes, own_nodes, trees
from migrate.programs.graph.sizing.static_run.expressions import Stop
from migrate.programs.graph.sizing.static_run.run import Run
from migrate.programs.graph.sizing.static_run.values import Dim, Shape, Tensor
from migrate.programs.graph.wording.known_branches import chosen, span
from migrate.programs.graph.wording.spelled import Spelled, Written, same, word

LAYERS = (T + "layers.", T + "contrib.layers.", T + "contrib.slim.")
SHOWN = frozenset({"get_shape", "as_list", "format", "eval", "run"})
GIVEN = frozenset({"inputs", "x", "tensor", "value", "activation", "activation_fn"})


def found(walker: Any, error: Blocked) -> list[Spelled]:
    """What is written otherwise, a file each; nothing where no size is asked for, or told."""
    if not _asked_for(walker):
        return []
    run = Run(walker)
    try:
        run.entries()
    except (Stop, RecursionError):
        return []
    telling = Telling(walker, run)
    for tree in trees(walker):
        for n in walk(tree):
            if isinstance(n, ast.FunctionDef):
                telling.wishes(n)
    for tree in trees(walker):
        for scope in (tree, *(n for n in all_of(tree, ast.FunctionDef))):
            telling.scope(scope)
    return telling.written(error)


def _asked_for(walker: Any) -> bool:
    """Whether a size is asked for, and not only printed."""
    asked = {
        id(n)
        for n in all_nodes(walker)
        if isinstance(n, ast.Attribute) and n.attr in ("get_shape", "shape")
    } - walker.endpoints.keys()  # `tf.shape`
    for call in (c for tree in trees(walker) for c in all_of(tree, ast.Call) if asked):
        if isinstance(call.func, ast.Name) and call.func.id == "print":
            inside = (c for c in all_of(call, ast.Call) if c is not call)
            if all(isinstance(c.func, ast.Attribute) and c.func.attr in SHOWN for c in inside):
                asked -= set(map(id, walk(call)))
    return bool(asked)


@dataclass(slots=True, eq=False)
class Telling(Texts):
    """What is told of a program's sizes, and where."""

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
                    for n in walk(target):
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
                elif any(id(n) in whole for n in walk(stmt)):
                    places.append(stmt.test)
                    tests.add(id(stmt.test))
            elif isinstance(stmt, ast.IfExp) and any(id(n) in whole for n in walk(stmt)):
                places.append(stmt.test)
            elif isinstance(stmt, ast.For) and any(id(n) in whole for n in walk(stmt)):
                places.append(stmt.iter)
        seen: set[str] = set()
        changed: list[ast.expr] = []
        while places:
            place = places.pop()
            chains = list(self.chains(place, stores))
            self.tests = id(place) in tests
            changed += [chain for chain in chains if self.say(chain, scope, own)]
            inside = {id(n) for chain in chains for n in walk(chain)}
            for n in walk(place):
                if isinstance(n, ast.Name) and n.id not in seen and id(n) not in inside:
                    seen.add(n.id)
                    values = (getattr(s, "value", None) for s in stores.get(n.id, ()))
                    places += [value for value in values if value is not None]
        roots = {n.id for c in changed for n in all_of(c, ast.Name)}
        for node in own:  # other items of a list of which one is told
            if isinstance(node, ast.Subscript) and id(node) not in self.replaced:
                if isinstance(node.value, ast.Name) and node.value.id in roots:
                    if self.is_chain(node, stores) and self.say(node, scope, own):
                        changed.append(node)
        self.unread(scope, own, stores, changed)

    def wishes(self, scope: ast.FunctionDef) -> None:
        """What the author calls the sizes of arguments."""
        body = scope.body[ast.get_docstring(scope) is not None :]
        for stmt in body[0].body if body and isinstance(body[0], ast.With) else body:
            target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
            if not isinstance(stmt, ast.Assign) or not isinstance(target, ast.Name):
                continue
            facts = self.run.facts.get(id(stmt.value), ())
            if facts and all(isinstance(f.value, Dim) and f.value.origin for f in facts):
                if len(stmt.targets) > 1 or sum(_names(n, target.id) for n in walk(scope)) > 1:
                    continue
                (place, *others) = {f.value.origin[1:] for f in facts}
                if not others and self.is_chain(stmt.value, {}):
                    self.own_names.setdefault((id(scope), *place), target.id)

    def unread(
        self, scope: Any, own: Sequence[Any], stores: dict[str, list[ast.stmt]], said: Sequence[Any]
    ) -> None:
        """Names of shapes that nothing reads any more go."""
        inside = {id(n) for chain in said for n in walk(chain)}
        for name in {n.id for chain in said for n in all_of(chain, ast.Name)}:
            reads = [n for n in all_of(scope, ast.Name) if n.id == name]
            loads = [n for n in reads if isinstance(n.ctx, ast.Load)]
            made = stores.get(name, [])
            if not made or len(reads) - len(loads) != len(made):
                continue
            whole = all(isinstance(getattr(s, "targets", [None])[0], ast.Name) for s in made)
            if whole and all(id(n) in inside for n in loads):
                values = [getattr(s, "value", None) for s in made]
                if all(v is not None and self.is_chain(v, stores) for v in values):
                    self.gone += made

    def makes(self, call: ast.Call) -> bool:
        """Whether a call makes layers or variables."""
        endpoint = self.walker.endpoints.get(id(call.func), "")
        if endpoint:
            return endpoint.startswith(LAYERS) or endpoint in meaning.VARIABLES
        targets = self.run.called.get(id(call))
        if not targets:
            return False
        nodes = [n for key, n in self.functions().items() if key in targets]
        return any(self.walker._variables_made(n) for n in nodes)

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
        if endpoint in meaning.VARIABLES:  # `tf.zeros([n])`, too
            return given
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
                if func.attr == "format" and isinstance(func.value, ast.Constant):
                    return self._named(node, stores)
                named = func.attr in ("prod", "product")
            elif self._helped(node):
                return True
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
            if len(made) > 1:  # each way, or part, of a function has one
                values = [getattr(s, "value", None) for s in made if isinstance(s, ast.Assign)]
                calls = [v for v in values if isinstance(v, ast.Call) and self._helped(v)]
                return len(calls) == len(made) and all(map(self._listed, (node, *calls)))
            if not made or not isinstance(made[0], ast.Assign):
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

    def _named(self, node: ast.Call, stores: dict[str, list[ast.stmt]]) -> bool:
        """Whether a text is made of sizes, ``"AvgPool_{}x{}".format(*size)``."""
        given = [a.value if isinstance(a, ast.Starred) else a for a in node.args]
        return bool(given) and not node.keywords and all(self.is_chain(a, stores) for a in given)

    def _helped(self, node: ast.Call) -> bool:
        """Whether a function of the program only tells a size of its tensor."""
        targets = self.run.called.get(id(node), ())
        target = self.functions().get(next(iter(targets))) if len(targets) == 1 else None
        if target is None or target.decorator_list:
            return False
        if not any(self._tensor(a) for a in (*node.args, *(k.value for k in node.keywords))):
            return False
        facts = self.run.facts.get(id(node), ())
        told = facts and all(isinstance(n, int) for f in facts for n in _sizes(f.value))
        return bool(told) and all(map(_quiet, target.body))

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
                stack.extend(children(one))

    def leads(self, node: ast.expr, stores: dict[str, list[ast.stmt]]) -> bool:
        """Whether an expression, or what its names were given, asks for a size."""
        names = {n.id for n in all_of(node, ast.Name)}
        given = [getattr(s, "value", None) for n in names for s in stores.get(n, ())]
        return any(any(self.chains(e, stores)) for e in (node, *given) if e is not None)

    def decided(self, stmt: ast.If, scope: Any) -> bool | None:
        """Which way a branch always goes; None where it isn't one, or isn't told."""
        facts = self.run.facts.get(id(stmt.test), ())
        told = {f.value for f in facts if isinstance(f.value, bool)}
        if not facts or not all(isinstance(f.value, bool) for f in facts) or len(told) != 1:
            return None
        return told.pop() if self.trusted(scope) else None

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
        if alone and any(isinstance(f.value, Shape) for f in facts):
            name = ast.unparse(alone[0].targets[0])
            if any(_asks(n, name) for n in own):
                return False  # a list of numbers has no such method
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

    def written(self, error: Blocked) -> list[Spelled]:
        """The changes, a file each; that of the error's first."""
        all_of: list[Written] = list(self.replaced.values())
        whole = [n for n, _ in all_of if isinstance(n, ast.If)]
        all_of += [(stmt, lambda _: "") for stmt in self.gone]
        for key, new in self.parameters.items():
            target = self.functions()[key]
            final = target.args.args[-1]
            if not new:
                continue
            default = "=None" if target.args.defaults else ""
            end = target.args.defaults[-1] if target.args.defaults else final
            tail = "".join(f", {name}{default}" for name in new)
            all_of.append((end, same(end, after=tail)))
        for key, said in self.more.items():
            call = self.nodes[key]
            args = [*call.args, *(k.value for k in call.keywords)]
            last = max((a.end_lineno or 0, a.end_col_offset or 0) for a in args)
            all_of.append((span(last, last), word("".join(f", {s}" for s in said))))
        all_of += self.inserted
        inner = {id(n) for stmt in whole for n in walk(stmt) if n is not stmt}
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


def _asks(node: ast.AST, name: str) -> bool:
    """Whether a node asks a shape that has a name for what a list of numbers hasn't got."""
    if not isinstance(node, ast.Attribute) or node.attr in ("as_list", "num_elements", "ndims"):
        return False
    return isinstance(node.value, ast.Name) and node.value.id == name


def _sizes(value: Any) -> Sequence[Any]:
    """The numbers of a size; something else, where it is none."""
    several = isinstance(value, tuple) and bool(value)
    return value if several else [None if isinstance(value, bool) else value]


def _quiet(stmt: ast.stmt) -> bool:
    """Whether a statement of a function only computes with numbers, and leaves no trace."""
    if isinstance(stmt, ast.Expr):
        return isinstance(stmt.value, ast.Constant)
    if isinstance(stmt, ast.If):
        return _plain(stmt.test) and all(map(_quiet, (*stmt.body, *stmt.orelse)))
    if isinstance(stmt, ast.Assign):
        return all(isinstance(t, ast.Name) for t in stmt.targets) and _plain(stmt.value)
    return isinstance(stmt, ast.Return) and stmt.value is not None and _plain(stmt.value)


def _plain(value: ast.expr) -> bool:
    for n in walk(value):
        if isinstance(n, ast.Call):
            name = n.func.attr if isinstance(n.func, ast.Attribute) else getattr(n.func, "id", "")
            if name not in ("get_shape", "as_list", "min", "max", "int", "list", "len"):
                return False
    return True
