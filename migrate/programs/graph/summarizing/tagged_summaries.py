"""Summaries that are made at their first value, one for each tag, and fed the values.

``if tag not in self.ops:`` makes a placeholder and a summary of it, and ``sess.run(self.ops[tag],
{self.holders[tag]: value})`` is what is written. That is a `tf.Summary` of the value, whose tag is
the one that the author gave it: TF 1 numbers it where its placeholder, or another op, has the name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import all_of, holds, parents_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

REASON = "summaries are made at their first value"
SUMMARIES = {T + "summary.scalar": "simple_value", T + "summary.image": "image"}
SCOPES = frozenset((T + "variable_scope", T + "name_scope"))
FLOATS = frozenset((T + "float32", "float32"))
# What conditions may be made of, and what may be asked of a value: not how large it is.
TESTS: tuple[type[ast.AST], ...] = (
    *(ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Constant, ast.Name, ast.Call),
    *(ast.Attribute, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop),
)
SHAPE = frozenset(("shape", "ndim"))
NAMES: tuple[type[ast.AST], ...] = (
    *(ast.Constant, ast.Name, ast.BinOp, ast.JoinedStr, ast.FormattedValue),
    *(ast.Tuple, ast.expr_context, ast.operator),
)
ROUNDS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


@dataclass(slots=True, eq=False, repr=False)
class Found:
    """What such a branch fills, and what its ways make."""

    key: ast.Name
    ops: ast.Attribute
    holders: ast.Attribute | None = None
    tests: list[ast.expr] = field(default_factory=list)
    shapes: list[ast.expr] = field(default_factory=list)
    dtype: ast.expr | None = None
    tag: ast.expr | None = None
    bare: bool = True  # no image: a number is all that there is


# A kind of summary, or a condition with what it decides.
Kinds = str | tuple[ast.expr, "Kinds", "Kinds"]


def check(walker: Any, node: ast.Call) -> None:
    """See whether a placeholder is one that a summary is fed by.

    Raises:
        Spelled: it is; what is fed is written.
    """
    member = walker.frame.node
    if walker.frame.region is None or not isinstance(member, ast.FunctionDef):
        return
    parents = parents_of(walker.files.at(node).tree)
    branch = _branch(parents, node)
    found = _asked(branch) if branch is not None else None
    if branch is None or found is None or not _unscoped(walker, parents, branch, member):
        return
    kinds = _made(walker, found, branch.body)
    run = _run(walker, found, parents, branch) if kinds is not None else None
    if kinds is None or run is None or found.holders is None:
        return
    call, value = run
    begun = _begun(walker, found, parents, [branch, call])
    if begun is None or not _told(found, value):
        return
    gone: list[Written] = [(stmt, word("")) for stmt in (branch, *begun)]
    tag, dtype = found.tag, found.dtype
    assert tag is not None
    root = next(n for n in walk(branch) if walker.endpoints.get(id(n)) in SUMMARIES)

    def written(source: Source) -> str:
        tf = source(root).rpartition(".summary.")[0]
        what = source(value)
        if not found.bare:
            as_fed = source(dtype) if dtype is not None else f"{tf}.float32"
            what = f"{tf}.convert_to_tensor({what}, {as_fed})"

        def of(kind: Kinds) -> str:
            if isinstance(kind, str):
                return f"{tf}.Summary.Value(tag={source(tag)}, {kind}={what})"
            test, first, second = kind
            return f"{of(first)} if {source(test)} else {of(second)}"

        return f"{tf}.Summary(value=[{of(kinds)}])"

    raise Spelled(node, REASON, [*gone, (call, written)])


def _branch(parents: dict[int, ast.AST], node: ast.AST) -> ast.If | None:
    """The outermost branch around a node that asks whether a dict has a key."""
    found, at = None, parents.get(id(node))
    while at is not None and not isinstance(at, ast.FunctionDef):
        if isinstance(at, ast.If) and _asked(at) is not None:
            found = at
        at = parents.get(id(at))
    return found


def _asked(branch: ast.If) -> Found | None:
    """``if tag not in self.ops:``."""
    test = branch.test
    if branch.orelse or not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    ops = test.comparators[0]
    if isinstance(test.ops[0], ast.NotIn) and isinstance(test.left, ast.Name):
        if isinstance(ops, ast.Attribute) and isinstance(ops.value, ast.Name):
            return Found(test.left, ops)
    return None


def _made(walker: Any, found: Found, body: list[ast.stmt]) -> Kinds | None:
    """The summaries that the ways of a branch make; None where it makes anything else."""
    kinds: Kinds | None = None
    held = False
    for stmt in body:
        if isinstance(stmt, ast.If):
            first, second = _way(walker, found, stmt.body), _way(walker, found, stmt.orelse)
            if first is None or second is None or (first[0] is None) != (second[0] is None):
                return None
            if first[1] != second[1]:
                return None
            found.tests.append(stmt.test)
            if first[0] is not None and second[0] is not None:
                if kinds is not None:
                    return None
                kinds = (stmt.test, first[0], second[0])
            held = held or first[1]
            continue
        one = _one(walker, found, stmt)
        if one is None or (one and kinds is not None):
            return None
        kinds, held = one or kinds, held or not one
    return kinds if kinds is not None and held else None


def _way(walker: Any, found: Found, body: list[ast.stmt]) -> tuple[Kinds | None, bool] | None:
    """What one way makes: a summary, and whether it makes a placeholder."""
    kind: str | None = None
    held = False
    for stmt in body:
        one = _one(walker, found, stmt)
        if one is None or (one and kind) or (not one and held):
            return None
        kind, held = one or kind, held or not one
    return (kind, held) if body else None


def _one(walker: Any, found: Found, stmt: ast.stmt) -> str | None:
    """The kind of the summary that a statement makes; empty for a placeholder."""
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return None
    target, call = stmt.targets[0], stmt.value
    if not isinstance(target, ast.Subscript) or not isinstance(call, ast.Call):
        return None
    if not isinstance(target.value, ast.Attribute) or not _same(target.slice, found.key):
        return None
    endpoint = walker.endpoints.get(id(call.func), "")
    if endpoint == T + "placeholder":
        return _holder(walker, found, target.value, walker.bound(endpoint, call))
    if endpoint not in SUMMARIES or not _same(target.value, found.ops):
        return None
    given = walker.bound(endpoint, call)
    own, data = given.get("name"), given.get("tensor")
    if set(given) != {"name", "tensor"} or not isinstance(data, ast.Subscript):
        return None
    if found.holders is None or not _same(data.value, found.holders):
        return None
    if not _same(data.slice, found.key) or (found.tag is not None and not _same(own, found.tag)):
        return None
    names = {n.id for n in all_of(own, ast.Name)}
    if names != {found.key.id} or not all(isinstance(n, NAMES) for n in walk(own)):
        return None
    found.tag, found.bare = own, found.bare and endpoint == T + "summary.scalar"
    return SUMMARIES[endpoint]


def _holder(
    walker: Any, found: Found, holders: ast.Attribute, given: dict[str, ast.expr]
) -> str | None:
    """A placeholder of float32, which any value is fed as."""
    dtype = given.get("dtype")
    known = isinstance(dtype, ast.Constant) and dtype.value in FLOATS
    if not known and walker.endpoints.get(id(dtype)) not in FLOATS:
        return None
    if found.holders is not None and not _same(holders, found.holders):
        return None
    found.holders, found.dtype = holders, dtype
    return ""


def _same(node: ast.AST | None, other: ast.AST) -> bool:
    return node is not None and ast.unparse(node) == ast.unparse(other)


def _run(
    walker: Any, found: Found, parents: dict[int, ast.AST], branch: ast.If
) -> tuple[ast.Call, ast.expr] | None:
    """The one run behind the branch, in its block, with what it feeds."""
    block = next(
        (
            b
            for part in ("body", "orelse")
            if branch in (b := getattr(parents[id(branch)], part, None) or [])
        ),
        [],
    )
    behind = block[block.index(branch) + 1 :] if block else []
    runs = [
        (call, fed)
        for stmt in behind
        if not isinstance(stmt, (ast.For, ast.While, ast.FunctionDef, ast.ClassDef, ast.With))
        for call, fed in _runs(found, stmt)
    ]
    if len(runs) != 1:
        return None
    ((call, value),) = runs
    owner = call.func
    assert isinstance(owner, ast.Attribute)
    if walker.expression(owner.value).kind is not Kind.SESSION:
        return None
    bound = {found.key.id, *(n.id for n in all_of(value, ast.Name))}
    for stmt in behind:
        inside = holds(stmt, call)
        if any(isinstance(n, ast.Name) and _stores(n) and n.id in bound for n in walk(stmt)):
            return None
        if inside:
            at: ast.AST = call
            while at is not stmt:
                at = parents[id(at)]
                if isinstance(at, ROUNDS):
                    return None
            break
    return call, value


def _stores(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _runs(found: Found, stmt: ast.stmt) -> Iterator[tuple[ast.Call, ast.expr]]:
    """``sess.run(self.ops[tag], {self.holders[tag]: value})``."""
    for call in all_of(stmt, ast.Call):
        if not isinstance(call.func, ast.Attribute):
            continue
        named = {k.arg: k.value for k in call.keywords}
        given = [*call.args[:2], *(named[k] for k in ("fetches", "feed_dict") if k in named)]
        if call.func.attr != "run" or len(given) != 2 or len(call.args) + len(named) != 2:
            continue
        fetch, feed = given
        if not isinstance(fetch, ast.Subscript) or not isinstance(feed, ast.Dict):
            continue
        (*_, key), (*_, value) = [None, *feed.keys], [None, *feed.values]
        if len(feed.keys) != 1 or not isinstance(key, ast.Subscript) or value is None:
            continue
        if found.holders is None or not _same(fetch.value, found.ops):
            continue
        if _same(key.value, found.holders) and all(_same(n.slice, found.key) for n in (fetch, key)):
            yield call, value


def _told(found: Found, value: ast.expr) -> bool:
    """Whether conditions ask the same of every value of a tag: for its shape, or for the tag."""
    names = {found.key.id, "len"} | ({value.id} if isinstance(value, ast.Name) else set())
    for test in found.tests:
        if not all(isinstance(n, TESTS) for n in walk(test)):
            return False
        if any(isinstance(n, ast.Name) and n.id not in names for n in walk(test)):
            return False
        asked = {id(n.value) for n in all_of(test, ast.Attribute)}
        for n in walk(test):
            if isinstance(n, ast.Attribute) and n.attr not in SHAPE:
                return False
            if isinstance(n, ast.Call) and getattr(n.func, "id", "") != "len":
                return False
            if isinstance(n, ast.Name) and n.id not in (found.key.id, "len"):
                if id(n) not in asked:
                    return False
    return True


def _begun(
    walker: Any, found: Found, parents: dict[int, ast.AST], within: list[ast.AST]
) -> list[ast.stmt] | None:
    """Where the dicts begin, empty; None where more is done with them."""
    assert found.holders is not None
    names = {found.ops.attr, found.holders.attr}
    own = {id(n) for node in within for n in walk(node)}
    home = walker.files.at(within[0]).tree
    begun: list[ast.stmt] = []
    for tree in (m.tree for m in walker.files.order if m.tree is not None):
        for n in walk(tree):
            if isinstance(n, ast.Constant) and n.value in names:
                return None
            if not isinstance(n, ast.Attribute) or n.attr not in names or id(n) in own:
                continue
            stmt = parents.get(id(n))
            empty = isinstance(stmt, ast.Assign) and stmt.targets == [n] and _empty(stmt.value)
            if tree is not home or not empty:
                return None
            assert isinstance(stmt, ast.Assign)
            begun.append(stmt)
    for stmt in begun:
        block = getattr(parents[id(stmt)], "body", [])
        if not isinstance(parents[id(stmt)], ast.FunctionDef) or stmt not in block:
            return None
        if all(s in begun for s in block):
            return None
    return begun if len(begun) == len(names) else None


def _empty(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return getattr(node.func, "id", "") == "dict" and not node.args and not node.keywords
    return isinstance(node, ast.Dict) and not node.keys


def _unscoped(
    walker: Any, parents: dict[int, ast.AST], branch: ast.If, member: ast.FunctionDef
) -> bool:
    """Whether no scope with a name is around the summaries."""
    opened, at = 0, parents.get(id(branch))
    while at is not None and at is not member:
        for item in at.items if isinstance(at, ast.With) else ():
            call = item.context_expr
            if not isinstance(call, ast.Call) or walker.endpoints.get(id(call.func)) not in SCOPES:
                return False
            if len(call.args) != 1 or call.keywords or not _nothing(walker, call.args[0], member):
                return False
            opened += 1
        at = parents.get(id(at))
    return at is member and len(walker.naming.scopes) == opened


def _nothing(walker: Any, name: ast.expr, member: ast.FunctionDef) -> bool:
    """Whether a scope's name is empty: written so, or by a default that every call leaves."""
    if not isinstance(name, ast.Name):
        return isinstance(name, ast.Constant) and name.value == ""
    args = member.args
    given = dict(zip(reversed(args.args), reversed(args.defaults), strict=False))
    places = [i for i, a in enumerate(args.args) if a.arg == name.id and a in given]
    if args.vararg or args.posonlyargs or len(places) != 1:
        return False
    if any(isinstance(n, ast.Name) and n.id == name.id and _stores(n) for n in walk(member)):
        return False
    default = given[args.args[places[0]]]
    if not isinstance(default, ast.Constant) or default.value != "":
        return False
    for tree in (m.tree for m in walker.files.order if m.tree is not None):
        called = set()
        for n in walk(tree):
            if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == member.name:
                called.add(id(n.func))
                most = places[0] - 1  # beside the object
                hidden = any(isinstance(a, ast.Starred) for a in n.args)
                if hidden or any(k.arg in (None, name.id) for k in n.keywords):
                    return False
                if len(n.args) > most:
                    return False
        for n in walk(tree):
            if isinstance(n, ast.Attribute) and n.attr == member.name and id(n) not in called:
                return False
            if isinstance(n, ast.Constant) and n.value == member.name:
                return False
    return True
