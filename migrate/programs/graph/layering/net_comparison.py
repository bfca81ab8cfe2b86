"""Whether two functions compute the same but for constants, under whatever local names.

Each name is what it stands for, an expression among the names before it; calls that make or
compute must be as many, and in one order.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import all_of, walk

SCOPES = (".variable_scope",)
PLAIN = frozenset(dir(builtins))


class Unlike(Exception):
    """The two functions aren't seen to compute the same."""


@dataclass(frozen=True)
class Bound:
    """What a name stands for: an expression among the names before it, or an element of it."""

    node: ast.AST
    names: dict[str, Bound]
    place: tuple[int, ...] = ()


@dataclass(frozen=True)
class Joined(Bound):
    """What a name is behind a branch: one of two."""

    ways: tuple[Bound | None, Bound | None] = (None, None)


@dataclass
class Difference:
    """A constant that one of the two says otherwise."""

    call: ast.Call  # of the first
    name: str  # of the parameter
    node: ast.expr | None  # what the first says, if it does
    first: object
    second: object


@dataclass
class Pair:
    """Two functions, and what they were found to share."""

    walker: Any
    first: ast.FunctionDef
    second: ast.FunctionDef
    differences: list[Difference] = field(default_factory=list)
    bound: dict[str, object] = field(default_factory=dict)  # parameters of the first alone
    reuse: bool | None = None  # whether the second says that it finds variables again
    scope: ast.Call | None = None  # the first's, which is told so
    calls: dict[int, int] = field(default_factory=dict)
    back: dict[int, int] = field(default_factory=dict)
    seen: dict[tuple[int, int, int, int], tuple[Bound, Bound]] = field(default_factory=dict)
    depth: int = 0
    own: dict[str, str] = field(
        default_factory=dict
    )  # attributes of the first that get local names

    def name(self, node: ast.Name | ast.Attribute) -> str:
        if isinstance(node, ast.Attribute) and node.attr in self.own:
            return self.own[node.attr]
        return ast.unparse(node)


def home(walker: Any, node: ast.FunctionDef) -> ast.AST | None:
    return next(
        (n for n in walk(walker.tree) if node in getattr(n, "body", ())),
        None,
    )


def said(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _parameters(pair: Pair) -> dict[str, Bound]:
    """The second's parameters, as the first's."""
    one, two = pair.first.args, pair.second.args
    if home(pair.walker, pair.first) is not home(pair.walker, pair.second):
        raise Unlike
    for args in (one, two):
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
            raise Unlike
    if len(two.args) > len(one.args):
        raise Unlike
    mine: dict[str, Bound] = {}
    for a, b in zip(one.args, two.args, strict=False):
        if ast.dump(default(one, a) or a) != ast.dump(default(two, b) or a):
            raise Unlike
        mine[b.arg] = Bound(ast.Name(a.arg, ast.Load()), {})
    for a in one.args[len(two.args) :]:
        if default(one, a) is None:
            raise Unlike
    return mine


def default(args: ast.arguments, arg: ast.arg) -> ast.expr | None:
    place = args.args.index(arg) - (len(args.args) - len(args.defaults))
    return args.defaults[place] if place >= 0 else None


def _body(node: ast.FunctionDef) -> list[ast.stmt]:
    head = node.body[0]
    told = isinstance(head, ast.Expr) and isinstance(head.value, ast.Constant)
    return _returned(node.body[1:] if told else node.body)


def _returned(body: list[ast.stmt]) -> list[ast.stmt]:
    """``if a: net = f(x)`` `else: net = g(x)` and ``return net``: each way returns its own."""
    match body:
        case [*first, ast.If() | ast.With() as last, ast.Return(ast.Name(name))]:
            inside = _ending([last], name)
            return body if inside is None else [*first, *inside]
        case [*first, ast.With() as last]:
            return [*first, _with(last, _returned(last.body))]
    return body


def _ending(body: list[ast.stmt], name: str) -> list[ast.stmt] | None:
    match body:
        case [*first, ast.Assign([ast.Name(bound)], value)] if bound == name:
            return [*first, ast.Return(value)]
        case [*first, ast.With() as last]:
            inside = _ending(last.body, name)
            return None if inside is None else [*first, _with(last, inside)]
        case [*first, ast.If() as last]:
            ways = _ending(last.body, name), _ending(last.orelse, name)
            if ways[0] is not None and ways[1] is not None:
                return [*first, ast.If(last.test, ways[0], ways[1])]
    return None


def _with(node: ast.With, body: list[ast.stmt]) -> ast.With:
    return ast.With(node.items, body)


def _block(
    pair: Pair,
    one: Sequence[ast.stmt],
    two: Sequence[ast.stmt],
    names: dict[str, Bound],
    mine: dict[str, Bound],
) -> None:
    """See that two blocks do the same; what they bind is added to their names."""
    left, right = list(_said_to_reuse(pair, one, False)), list(_said_to_reuse(pair, two, True))
    i = j = 0
    while True:
        i, j = _bound(pair, left, i, names), _bound(pair, right, j, mine)
        if i == len(left) or j == len(right):
            break
        _statement(pair, left[i], right[j], names, mine)
        i, j = i + 1, j + 1
    if i < len(left) or j < len(right):
        raise Unlike


def _said_to_reuse(pair: Pair, body: Sequence[ast.stmt], second: bool) -> Iterator[ast.stmt]:
    """The statements but those that say that variables are found again."""
    for stmt in body:
        if isinstance(stmt, ast.Pass):
            continue
        if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
            if said(stmt.value.func) == "reuse_variables":
                if not second or not pair.depth:  # there it would be said of all that follows
                    raise Unlike
                pair.reuse = True
                continue
        if isinstance(stmt, ast.If) and isinstance(stmt.test, ast.Name) and not second:
            only = stmt.body[0] if len(stmt.body) == 1 and not stmt.orelse else None
            if isinstance(only, ast.Expr) and isinstance(only.value, ast.Call):
                if said(only.value.func) == "reuse_variables":
                    _own(pair, stmt.test.id, True)
                    continue
        yield stmt


def _own(pair: Pair, name: str, value: object) -> None:
    """A parameter of the first alone is what the second says."""
    args = pair.first.args.args[len(pair.second.args.args) :]
    if name not in {a.arg for a in args}:
        raise Unlike
    stores = [n for n in all_of(pair.first, ast.Name) if n.id == name]
    if any(isinstance(n.ctx, ast.Store) for n in stores):
        raise Unlike
    if pair.bound.setdefault(name, value) != value:
        raise Unlike


def _bound(pair: Pair, body: Sequence[ast.stmt], place: int, names: dict[str, Bound]) -> int:
    """Where the next statement is that binds no names."""
    while place < len(body):
        stmt = body[place]
        if not isinstance(stmt, ast.Assign):
            break
        _bind(pair, stmt, names)
        place += 1
    return place


def _bind(pair: Pair, stmt: ast.Assign, names: dict[str, Bound]) -> None:
    before = dict(names)
    for target in stmt.targets:
        _target(pair, target, Bound(stmt.value, before), names)


def _target(pair: Pair, target: ast.expr, value: Bound, names: dict[str, Bound]) -> None:
    if isinstance(target, (ast.Name, ast.Attribute)):
        names[pair.name(target)] = value
        return
    if not isinstance(target, (ast.Tuple, ast.List)):
        raise Unlike
    for place, part in enumerate(target.elts):
        if isinstance(part, ast.Starred):
            raise Unlike
        if isinstance(value.node, ast.Tuple) and not value.place:
            _target(pair, part, Bound(value.node.elts[place], value.names), names)
        else:
            _target(pair, part, Bound(value.node, value.names, (*value.place, place)), names)


def _statement(
    pair: Pair, a: ast.stmt, b: ast.stmt, names: dict[str, Bound], mine: dict[str, Bound]
) -> None:
    if type(a) is not type(b):
        raise Unlike
    if isinstance(a, ast.Return) and isinstance(b, ast.Return):
        if (a.value is None) is not (b.value is None):
            raise Unlike
        if a.value is not None and b.value is not None:
            _same(pair, Bound(a.value, names), Bound(b.value, mine))
    elif isinstance(a, ast.With) and isinstance(b, ast.With):
        if len(a.items) != len(b.items):
            raise Unlike
        pair.depth += 1
        for item, other in zip(a.items, b.items, strict=True):
            _scope(pair, item, other, names, mine)
        _block(pair, a.body, b.body, names, mine)
        pair.depth -= 1
    elif isinstance(a, ast.If) and isinstance(b, ast.If):
        _same(pair, Bound(a.test, dict(names)), Bound(b.test, dict(mine)))
        ends = []
        for one, two in ((a.body, b.body), (a.orelse, b.orelse)):
            left, right = dict(names), dict(mine)
            _block(pair, one, two, left, right)
            ends.append((left, right))
        for place, known in ((0, names), (1, mine)):
            before = dict(known)
            ways = [end[place] for end in ends]
            for name in {*ways[0], *ways[1]}:
                found = tuple(way.get(name) for way in ways)
                if found[0] is not found[1]:
                    known[name] = Joined(a, before, (), (found[0], found[1]))
    elif isinstance(a, ast.Expr) and isinstance(b, ast.Expr):
        _same(pair, Bound(a.value, dict(names)), Bound(b.value, dict(mine)))
    else:
        raise Unlike


def _scope(
    pair: Pair,
    one: ast.withitem,
    two: ast.withitem,
    names: dict[str, Bound],
    mine: dict[str, Bound],
) -> None:
    a, b = one.context_expr, two.context_expr
    if not isinstance(a, ast.Call) or not isinstance(b, ast.Call):
        raise Unlike
    for call in (a, b):
        endpoint = pair.walker.endpoints.get(id(call.func), "")
        if not endpoint.endswith((*SCOPES, ".name_scope")):
            raise Unlike
    said = [[k for k in call.keywords if k.arg == "reuse"] for call in (a, b)]
    if any(said):
        if pair.depth > 1:
            raise Unlike
        for k in said[1]:
            if not isinstance(k.value, ast.Constant) or k.value.value is not True:
                raise Unlike
            pair.reuse = True
        for k in said[0]:
            if not isinstance(k.value, ast.Name):
                raise Unlike
            _own(pair, k.value.id, True)
    if pair.scope is None and pair.depth == 1 and ast.unparse(a.func).endswith(SCOPES):
        pair.scope = a
    _arguments(pair, Bound(a, dict(names)), Bound(b, dict(mine)), {"reuse"})
    for item, known in ((one, names), (two, mine)):
        if item.optional_vars is not None:
            _target(pair, item.optional_vars, Bound(a, {}, (pair.depth,)), known)


def _resolved(pair: Pair, value: Bound) -> Bound:
    """What a name, or an attribute that was set before, stands for."""
    while isinstance(value.node, (ast.Name, ast.Attribute)) and not value.place:
        found = value.names.get(pair.name(value.node))
        if found is None:
            break
        value = found
    return value


def _same(pair: Pair, a: Bound, b: Bound) -> None:
    """See that two expressions are the same.

    Raises:
        Unlike: they aren't seen to be.
    """
    a, b = _resolved(pair, a), _resolved(pair, b)
    key = (id(a.node), id(a.names), id(b.node), id(b.names))
    if a.place != b.place or isinstance(a, Joined) is not isinstance(b, Joined):
        raise Unlike
    if key in pair.seen:
        return
    if isinstance(a, Joined) and isinstance(b, Joined):
        if a.node is not b.node:
            raise Unlike
        for one, two in zip(a.ways, b.ways, strict=True):
            if one is None or two is None:
                raise Unlike
            _same(pair, one, two)
    elif a.node is b.node:
        pass  # a scope
    elif type(a.node) is not type(b.node):
        raise Unlike
    elif isinstance(a.node, ast.Call) and isinstance(b.node, ast.Call):
        _pair(pair, a.node, b.node)
        _same(pair, Bound(a.node.func, a.names), Bound(b.node.func, b.names))
        _arguments(pair, a, b, set())
    elif isinstance(a.node, (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp)):
        _whole(a, b)
    elif isinstance(a.node, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)):
        raise Unlike
    else:
        for (name, one), (_, two) in zip(
            ast.iter_fields(a.node), ast.iter_fields(b.node), strict=True
        ):
            if name in {"ctx", "kind", "type_comment"}:
                continue
            _fields(pair, (one, a), (two, b))
    pair.seen[key] = a, b


def _fields(pair: Pair, one: tuple[Any, Bound], two: tuple[Any, Bound]) -> None:
    (a, of), (b, to) = one, two
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            raise Unlike
        for x, y in zip(a, b, strict=True):
            _fields(pair, (x, of), (y, to))
    elif isinstance(a, ast.AST) and isinstance(b, ast.AST):
        _same(pair, Bound(a, of.names), Bound(b, to.names))
    elif type(a) is not type(b) or a != b:
        raise Unlike


def _whole(a: Bound, b: Bound) -> None:
    """What has names of its own must be the same text, among names that nothing has set."""
    if ast.dump(a.node) != ast.dump(b.node):
        raise Unlike
    for value in (a, b):
        names = {
            ast.unparse(n) for n in walk(value.node) if isinstance(n, (ast.Name, ast.Attribute))
        }
        if names & value.names.keys():
            raise Unlike


def _pair(pair: Pair, a: ast.Call, b: ast.Call) -> None:
    """See that a call is computed as often in both."""
    if isinstance(a.func, ast.Name) and a.func.id in PLAIN:
        return
    if pair.calls.setdefault(id(a), id(b)) != id(b) or pair.back.setdefault(id(b), id(a)) != id(a):
        raise Unlike


def _arguments(pair: Pair, a: Bound, b: Bound, without: set[str]) -> None:
    """See that two calls are given the same, or other constants."""
    one, two = a.node, b.node
    assert isinstance(one, ast.Call)
    assert isinstance(two, ast.Call)
    if any(isinstance(x, ast.Starred) for x in (*one.args, *two.args)):
        raise Unlike
    names = _names(pair.walker, one, max(len(one.args), len(two.args)))
    given = [
        dict(zip(names, call.args, strict=False)) | {k.arg or "": k.value for k in call.keywords}
        for call in (one, two)
    ]
    if "" in given[0] or "" in given[1]:
        raise Unlike
    for name in dict.fromkeys([*given[0], *given[1]]):
        if name in without:
            continue
        x, y = given[0].get(name), given[1].get(name)
        if x is not None and y is not None:
            try:
                _same(pair, Bound(x, a.names), Bound(y, b.names))
                continue
            except Unlike:
                if not _simple(x, pair) or not _simple(y, pair):
                    raise
        _differ(pair, one, name, x, y)


def _simple(node: ast.expr, pair: Pair) -> bool:
    own = {a.arg for a in pair.first.args.args[len(pair.second.args.args) :]}
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id in own)


def _differ(pair: Pair, call: ast.Call, name: str, x: ast.expr | None, y: ast.expr | None) -> None:
    """Note that one of two calls says another constant."""
    values: list[object] = []
    for node in (x, y):
        if isinstance(node, ast.Constant):
            values.append(node.value)
        elif node is None:
            values.append(_defaults(pair.walker, call, name))
        elif node is x and isinstance(node, ast.Name) and isinstance(y, ast.Constant):
            _own(pair, node.id, y.value)
            return
        else:
            raise Unlike
    if not all(isinstance(v, (bool, int, float)) for v in values) or not name.isidentifier():
        raise Unlike
    if type(values[0]) is type(values[1]) and values[0] == values[1]:
        return
    pair.differences.append(Difference(call, name, x, *values))


def _targets(walker: Any, call: ast.Call) -> list[ast.FunctionDef]:
    """The functions of the program that a call may be of."""
    name = said(call.func)
    names = {name, "__call__"} if isinstance(call.func, ast.Attribute) else {name}
    defined = (n for tree in walker.program() for n in all_of(tree, ast.FunctionDef))
    found = [n for n in defined if n.name in names]
    exact = [n for n in found if n.name == name]
    return exact or found


def _names(walker: Any, call: ast.Call, count: int) -> list[str]:
    """The names of what is given by its place."""
    names: set[tuple[str, ...]] = set()
    if id(call.func) not in walker.endpoints:
        for n in _targets(walker, call):
            args = [a.arg for a in n.args.args]
            names.add(tuple(args[1:] if isinstance(call.func, ast.Attribute) else args)[:count])
    if len(names) == 1 and len(min(names)) == count:
        return list(min(names))
    return [str(n) for n in range(count)]


def _defaults(walker: Any, call: ast.Call, name: str) -> object:
    """What a call means that doesn't say a parameter."""
    endpoint = walker.endpoints.get(id(call.func), "")
    if endpoint:
        if name == "training" and ".layers." in endpoint:
            return False
        if name == "is_training" and ".contrib." in endpoint:
            return True
        raise Unlike
    found = set()
    for n in _targets(walker, call):
        for a in n.args.args:
            if a.arg == name:
                value = default(n.args, a)
                if not isinstance(value, ast.Constant):
                    raise Unlike
                found.add((type(value.value), value.value))
    if len(found) != 1:
        raise Unlike
    return found.pop()[1]


def _rest(pair: Pair) -> None:
    """See that the calls that nothing came from are the same, and all stand in one order."""
    first = [n for n in _ordered(pair.first) if not _skipped(n)]
    second = [n for n in _ordered(pair.second) if not _skipped(n)]
    left = sorted(ast.dump(n) for n in first if id(n) not in pair.calls)
    right = sorted(ast.dump(n) for n in second if id(n) not in pair.back)
    if left != right:
        raise Unlike
    order = [pair.calls[id(n)] for n in first if id(n) in pair.calls]
    if order != [id(n) for n in second if id(n) in pair.back]:
        raise Unlike


def _skipped(node: ast.Call) -> bool:
    name = said(node.func)
    return name in {"variable_scope", "name_scope", "reuse_variables"} or (
        isinstance(node.func, ast.Name) and name in PLAIN
    )


def _ordered(node: ast.AST) -> Iterator[ast.Call]:
    """The calls of a function as they are computed: what one is given stands before it."""
    for child in ast.iter_child_nodes(node):
        yield from _ordered(child)
    if isinstance(node, ast.Call):
        yield node


def compare(pair: Pair) -> None:
    """See that two functions compute the same; the pair notes what they say otherwise.

    Raises:
        Unlike: they aren't seen to.
    """
    names: dict[str, Bound] = {}
    _block(pair, _body(pair.first), _body(pair.second), names, _parameters(pair))
    _rest(pair)
