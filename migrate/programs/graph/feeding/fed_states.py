"""A loop that feeds a state of cells part by part: what it feeds is the state.

TF 1 takes a whole structure as a key of a feed_dict, too.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Kind
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

PARTS = ("c", "h")
REASON = "a state is fed part by part"


def in_loop(walker: Any, stmt: ast.For) -> None:
    """``for i, (c, h) in enumerate(state): feed[c] = value[i].c; feed[h] = value[i].h``.

    Raises:
        Spelled: it is such a loop.
    """
    found = _loop(stmt)
    if found is None:
        return
    feed, state, value = found
    owner = walker.expression(state)
    if owner.kind not in (Kind.CONST, Kind.TENSOR) or owner.data != "container":
        return
    if walker.expression(feed).kind is not Kind.FEED or _read_later(walker, stmt):
        return

    def written(source: Source) -> str | None:
        if "#" in source(stmt):
            return None  # the author's comments
        return f"{source(feed)}[{source(state)}] = {source(value)}"

    raise Spelled(stmt, REASON, [(stmt, written)])


def unpacked(walker: Any, stmt: ast.Assign) -> None:
    """``c, h = state``, and then ``feed[c] = value.c`` and ``feed[h] = value.h``.

    Raises:
        Spelled: so it is, and nothing else reads the two names.
    """
    scope, state, parts = walker.frame.node, stmt.value, stmt.targets[0]
    plain = (ast.Name, ast.Attribute)
    if len(stmt.targets) != 1 or not isinstance(parts, ast.Tuple) or not isinstance(state, plain):
        return
    names = [n.id for n in parts.elts if isinstance(n, ast.Name)]
    wanted, follow = _wanted(parts), _following(scope, stmt, 2)
    if len(parts.elts) != 2 or len(names) != 2 or len(wanted) != 2 or len(follow) != 2:
        return
    said: dict[tuple[str, str], tuple[ast.Name, ast.expr]] = {}
    for inner in follow:
        place = inner.targets[0] if isinstance(inner, ast.Assign) else None
        if not isinstance(place, ast.Subscript) or not isinstance(place.value, ast.Name):
            return
        assert isinstance(inner, ast.Assign)
        value = _whole(inner.value, wanted.pop(ast.unparse(place.slice), "") or "-")
        if len(inner.targets) != 1 or not isinstance(value, plain):
            return
        said[place.value.id, ast.unparse(value)] = place.value, value
    uses = [n for n in all_of(scope, ast.Name) if n.id in names]
    if len(said) != 1 or len(uses) != 4:
        return
    ((feed, whole),) = said.values()
    owner = walker.expression(state)
    if owner.kind not in (Kind.CONST, Kind.TENSOR) or owner.data != "container":
        return
    if walker.expression(feed).kind is not Kind.FEED:
        return
    first: Written = stmt, lambda source: f"{source(feed)}[{source(state)}] = {source(whole)}"
    raise Spelled(stmt, REASON, [first, *((other, lambda _: "") for other in follow)])


def _following(scope: ast.AST, stmt: ast.stmt, count: int) -> list[ast.stmt]:
    """The statements behind one in its block."""
    for node in walk(scope):
        for part in ("body", "orelse"):
            block = getattr(node, part, None)
            if isinstance(block, list) and stmt in block:
                place = block.index(stmt) + 1
                return block[place : place + count]
    return []


def _loop(stmt: ast.For) -> tuple[ast.expr, ast.expr, ast.expr] | None:
    """The feed_dict, the state, and what it is fed."""
    target, call = stmt.target, stmt.iter
    if stmt.orelse or not isinstance(target, ast.Tuple) or len(target.elts) != 2:
        return None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords:
        return None
    if call.func.id == "enumerate" and len(call.args) == 1:
        counter, parts = target.elts
        state, value = call.args[0], None
    elif call.func.id == "zip" and len(call.args) == 2:
        parts, counter = target.elts
        state, value = call.args
    else:
        return None
    if not isinstance(counter, ast.Name):
        return None
    feed: ast.expr | None = None
    wanted = _wanted(parts)
    for inner in stmt.body:
        if not isinstance(inner, ast.Assign) or len(inner.targets) != 1:
            return None
        place = inner.targets[0]
        if not isinstance(place, ast.Subscript) or not isinstance(place.value, ast.Name):
            return None
        if feed is not None and ast.unparse(feed) != ast.unparse(place.value):
            return None
        feed = place.value
        part = wanted.pop(ast.unparse(place.slice), None)
        one = _whole(inner.value, part) if part is not None else None
        if one is None:
            return None
        if call.func.id == "zip":
            if not isinstance(one, ast.Name) or one.id != counter.id:
                return None
            continue
        if not isinstance(one, ast.Subscript) or ast.unparse(one.slice) != counter.id:
            return None
        if value is not None and ast.unparse(value) != ast.unparse(one.value):
            return None
        value = one.value
    plain = (ast.Name, ast.Attribute)
    if wanted or not isinstance(value, plain) or not isinstance(state, plain) or feed is None:
        return None
    return feed, state, value


def _wanted(parts: ast.expr) -> dict[str, str]:
    """The keys that are fed, and which part of an LSTM's state each is; "" for all of it."""
    if isinstance(parts, ast.Tuple) and len(parts.elts) == 2:
        return {ast.unparse(n): part for n, part in zip(parts.elts, PARTS, strict=True)}
    return {ast.unparse(parts): ""}


def _whole(value: ast.expr, part: str) -> ast.expr | None:
    """What a value is a part of."""
    if not part:
        return value
    if isinstance(value, ast.Attribute) and value.attr == part:
        return value.value
    place = PARTS.index(part) if part in PARTS else None
    if isinstance(value, ast.Subscript) and ast.unparse(value.slice) == str(place):
        return value.value
    return None


def _read_later(walker: Any, stmt: ast.For) -> bool:
    """Whether something reads the loop's names outside of loops that set them."""
    names = {n.id for n in all_of(stmt.target, ast.Name)}
    own: set[int] = set()
    for node in walk(walker.frame.node):
        targets: list[ast.expr] = []
        if isinstance(node, ast.For):
            targets = [node.target]
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            targets = [g.target for g in node.generators]
        bound = {n.id for t in targets for n in all_of(t, ast.Name)}
        own |= {
            id(n)
            for n in (walk(node) if bound else ())
            if isinstance(n, ast.Name) and n.id in bound
        }
    return any(
        isinstance(n, ast.Name)
        and n.id in names
        and isinstance(n.ctx, ast.Load)
        and id(n) not in own
        and n.lineno > stmt.lineno
        for n in walk(walker.frame.node)
    )
