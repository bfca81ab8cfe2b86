"""Sizes of what a function that makes variables joins of its arguments: the sum of theirs.

``both = tf.concat([x, y], 1); w = tf.get_variable("w", [both.shape[1], n])``: the variables of a
Keras layer are shaped by what it is given, `shaped`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, holds, parents_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.sizing.static_shapes import REASON
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

SHAPES = ("get_shape", "shape")


def found(walker: Any, error: Blocked) -> list[Spelled]:
    """The function at hand with sums of sizes, where a variable of it takes such a size."""
    if error.reason != REASON:
        return []
    tree = walker.files.at(error.node).tree
    if tree is None:
        return []
    for target in walk(tree):
        if isinstance(target, ast.FunctionDef) and holds(target, error.node):
            written = list(_sums(walker, target))
            if written:
                return [Spelled(error.node, error.reason, written)]
    return []


def _sums(walker: Any, target: ast.FunctionDef) -> Iterator[Written]:
    above = parents_of(target)
    given = {a.arg for a in target.args.args}
    for stmt in all_of(target, ast.Assign):
        if len(stmt.targets) != 1:
            continue
        (to,) = stmt.targets
        joined = _joined(walker, stmt.value, given)
        if joined is None or not isinstance(to, ast.Name) or len(_stores(target, to.id)) != 1:
            continue
        names, axis = joined
        for read in walk(target):
            if isinstance(read, ast.Name) and read.id == to.id and read is not to:
                chain, at = _size(read, above)
                if chain is None or at is None or (at < 0) is not (axis < 0):
                    continue
                if any(_bound_before(target, name.id, chain) for name in names):
                    continue
                loose = isinstance(above.get(id(chain)), (ast.BinOp, ast.UnaryOp))
                yield chain, _sum(chain, read, names if at == axis else names[:1], loose=loose)


def _joined(walker: Any, node: ast.expr, given: set[str]) -> tuple[list[ast.Name], int] | None:
    """The arguments that are joined, and their axis."""
    if not isinstance(node, ast.Call) or walker.endpoints.get(id(node.func)) != T + "concat":
        return None
    bound = walker.bound(T + "concat", node)
    listed, axis = bound.get("values"), bound.get("axis")
    if not isinstance(listed, (ast.List, ast.Tuple)) or axis is None:
        return None
    names = [n for n in listed.elts if isinstance(n, ast.Name)]
    try:
        at = ast.literal_eval(axis)
    except ValueError:
        return None
    plain = all(n.id in given for n in names)
    known = isinstance(at, int) and not isinstance(at, bool)
    return (names, at) if len(names) == len(listed.elts) and plain and known else None


def _stores(target: ast.FunctionDef, name: str) -> list[ast.Name]:
    reads = (n for n in all_of(target, ast.Name) if n.id == name)
    return [n for n in reads if not isinstance(n.ctx, ast.Load)]


def _bound_before(target: ast.FunctionDef, name: str, place: ast.expr) -> bool:
    """Whether a name may be bound anew before a place of its function."""
    stores = _stores(target, name)
    if any(isinstance(n, (ast.For, ast.While)) and place in walk(n) for n in walk(target)):
        return bool(stores)
    return any(n.lineno <= place.lineno for n in stores)


def _size(read: ast.Name, above: dict[int, ast.AST]) -> tuple[ast.expr | None, int | None]:
    """One size of a tensor, ``x.get_shape().as_list()[1]``, and which it is."""
    shape = above.get(id(read))
    if not isinstance(shape, ast.Attribute) or shape.attr not in SHAPES:
        return None, None
    node: Any = shape
    if shape.attr == "get_shape":
        node = above.get(id(node))
        if not isinstance(node, ast.Call) or node.args or node.keywords:
            return None, None
    more = above.get(id(node))
    if isinstance(more, ast.Attribute) and more.attr == "as_list":
        node = above.get(id(more))
    item = above.get(id(node))
    if not isinstance(item, ast.Subscript) or item.value is not node:
        return None, None
    try:
        at = ast.literal_eval(item.slice)
    except ValueError:
        return None, None
    value = above.get(id(item))
    chain = value if isinstance(value, ast.Attribute) and value.attr == "value" else item
    return chain, at if isinstance(at, int) else None


def _sum(chain: ast.expr, read: ast.Name, names: list[ast.Name], *, loose: bool) -> Any:
    def written(source: Source) -> str:
        tail = source(chain).removeprefix(source(read))
        parts = [source(name) + tail for name in names]
        text = " + ".join(parts)
        return f"({text})" if loose and len(parts) > 1 else text

    return written
