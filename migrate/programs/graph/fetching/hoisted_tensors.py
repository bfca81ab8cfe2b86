"""Tensors that a loop makes anew in each round, always the same, and runs: they stand above it.

``for i in range(n): … accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))`` adds ops to a graph
in each round that do what the last ones did.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.meaning import SCHEDULES, T
from migrate.programs.graph.model import Kind
from migrate.programs.graph.own_nodes import own_nodes
from migrate.programs.graph.scoping.tf1_names import SINGLE
from migrate.programs.graph.wording.spelled import Source, Spelled

# What gives the same of the same, and leaves nothing in a collection.
PURE = SINGLE | frozenset(
    (
        *("equal", "not_equal", "greater", "greater_equal", "less", "less_equal", "cast"),
        *("logical_and", "logical_or", "logical_not", "to_float", "to_int32", "to_int64"),
        *("reduce_prod", "reduce_any", "reduce_all", "shape", "size", "rank", "nn.in_top_k"),
        *("nn.softmax_cross_entropy_with_logits", "nn.softmax_cross_entropy_with_logits_v2"),
        *("nn.sparse_softmax_cross_entropy_with_logits", "round", "sign"),
        *(name.removeprefix(T) for name in SCHEDULES),
    )
)
GRAPH = (Kind.TENSOR, Kind.PLACEHOLDER, Kind.VARIABLE)


def check(walker: Any, run: ast.Call, reason: str) -> None:
    """See whether a run in a loop fetches such tensors.

    Raises:
        Spelled: it does.
    """
    scope = walker.frame.node
    if not isinstance(scope, (ast.Module, ast.FunctionDef)) or len(walker.files.order) > 1:
        return
    own = list(own_nodes(scope))
    loop = next((n for n in own if isinstance(n, (ast.For, ast.While)) and holds(n, run)), None)
    if loop is None or loop.orelse:
        return
    names = [n for n in all_of(scope, ast.Name) if not isinstance(n.ctx, ast.Load)]
    stored = [n.id for n in names]
    inside = {n.id for n in names if holds(loop, n)}
    other = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)
    if any(isinstance(n, other) for n in walk(loop)):
        return
    found: dict[str, ast.Assign] = {}
    twins: dict[str, list[ast.Assign]] = {}
    for stmt, _ in _plain(loop.body):
        target = (
            stmt.targets[0] if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
        )
        if not isinstance(target, ast.Name):
            continue
        assert isinstance(stmt, ast.Assign)
        read = _reads(walker, stmt.value)
        if not read or not all(name in found or _lasts(walker, name, inside) for name in read):
            continue
        if stored.count(target.id) > 1 and not _last(scope, names, target, loop):
            if not all(name in found or stored.count(name) == 1 for name in read):
                continue
            again = _again(scope, stored, stmt, loop)
            if not again or stmt in twins.get(target.id, ()):
                continue
            twins[target.id] = again
        found[target.id] = stmt
    wanted: dict[str, None] = {}
    todo = [n.id for n in all_of(run, ast.Name)]
    while todo:
        name = todo.pop()
        if name in found and name not in wanted:
            wanted[name] = None
            todo += [n.id for n in all_of(found[name].value, ast.Name)]
    moved = [stmt for name, stmt in found.items() if name in wanted]
    lines = [(loop, _lines(stmt)) for stmt in moved]
    gone = [*moved, *(twin for name in wanted for twin in twins.get(name, ()))]
    emptied = (block for s, block in _plain(loop.body) if s in gone)
    if not moved or any(all(s in gone for s in block) for block in emptied):
        return
    raise Spelled(run, reason, [(stmt, lambda _: "") for stmt in gone], lines)


def _again(
    scope: ast.Module | ast.FunctionDef,
    stored: list[str],
    stmt: ast.Assign,
    loop: ast.For | ast.While,
) -> list[ast.Assign]:
    """What makes the same once more, in a loop or behind it, if nothing else binds the name."""
    assert isinstance(stmt.targets[0], ast.Name)
    name, same = stmt.targets[0].id, ast.dump(stmt)
    block = scope.body
    while loop not in block:
        outer = next((n for n in block if holds(n, loop)), None)
        if not isinstance(outer, ast.With):
            return []
        block = outer.body
    others = [n for n, _ in _plain(loop.body) if n is not stmt] + block[block.index(loop) + 1 :]
    found = [n for n in others if isinstance(n, ast.Assign) and ast.dump(n) == same]
    return found if stored.count(name) == len(found) + 1 else []


def _last(
    scope: ast.Module | ast.FunctionDef,
    stores: list[ast.Name],
    target: ast.Name,
    loop: ast.For | ast.While,
) -> bool:
    """Whether a name means other things above a loop only, and nothing reads those in it."""
    others = [n for n in stores if n.id == target.id and n is not target]
    reads = [n for n in all_of(scope, ast.Name) if n.id == target.id and n not in stores]
    begins, ends = loop.lineno, loop.end_lineno or loop.lineno
    own = {id(n) for n in own_nodes(scope)}
    return all(n.lineno < begins for n in others) and not any(
        begins <= n.lineno <= target.lineno or n.lineno > ends or id(n) not in own for n in reads
    )


def _plain(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, list[ast.stmt]]]:
    """The statements of a loop and of the branches and loops in it, each with its block."""
    for stmt in body:
        yield stmt, body
        if isinstance(stmt, (ast.If, ast.For, ast.While)):
            yield from _plain(stmt.body)
            yield from _plain(stmt.orelse)


def _reads(walker: Any, node: ast.expr) -> set[str] | None:
    """The names of what ops are made of; None where it is more than ops and names."""
    match node:
        case ast.Constant():
            return set()
        case ast.Name():
            return {node.id}
        case ast.Attribute() if id(node) in walker.endpoints:
            return set()
        case ast.Call(func, args, keywords):
            if walker.endpoints.get(id(func), "").removeprefix(T) not in PURE:
                return None
            parts = [*args, *(k.value for k in keywords)]
        case ast.BinOp(left, _, right):
            parts = [left, right]
        case ast.UnaryOp(_, inner):
            parts = [inner]
        case ast.List(parts) | ast.Tuple(parts):
            pass
        case _:
            return None
    found: set[str] = set()
    for part in parts:
        read = _reads(walker, part)
        if read is None:
            return None
        found |= read
    return found


def _lasts(walker: Any, name: str, inside: set[str]) -> bool:
    """Whether a name means one tensor or variable, or a constant, in all rounds."""
    symbol = walker.symbol_of(ast.Name(name, ast.Load()))
    if symbol is None or name in inside:
        return False
    if symbol.value.kind in GRAPH:
        return symbol.value.items is None and symbol.value.data != "container"
    made = symbol.step.node
    return isinstance(made, ast.Assign) and isinstance(made.value, ast.Constant)


def _lines(stmt: ast.stmt) -> Any:
    """A statement's lines, as deep as they will be told."""
    depth = stmt.col_offset

    def lines(source: Source) -> list[str]:
        first, *rest = source(stmt).split("\n")
        return [first, *(n[depth:] if not n[:depth].strip() else n.lstrip() for n in rest)]

    return lines
