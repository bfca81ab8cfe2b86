"""``sess.run([train_op, loss] + update_ops)``: the updates as one more fetch of the list."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.listing.update_ops import Updates
from migrate.programs.graph.model import Fetch, Kind
from migrate.programs.graph.wording.spelled import Source, Spelled

REASON = "fetches that are added to others"


def check(walker: Any, node: ast.Call, fetch: ast.expr) -> None:
    """See whether update ops are added to a list whose results keep their places.

    Raises:
        Spelled: they are, and may be fetched as they are.
    """
    parts = _parts(fetch)
    if len(parts) < 2:
        return
    if _unread(walker, node) and all(_ops(walker, part) for part in parts):
        each = (part.elts if isinstance(part, ast.List) else [part] for part in parts)
        several = [n for own in each for n in own]
        raise Spelled(
            node, REASON, [(fetch, lambda source: f"[{', '.join(map(source, several))}]")]
        )
    if not isinstance(parts[0], ast.List):
        return
    lists = [p for p in parts if isinstance(p, ast.List)]
    others = [p for p in parts if not isinstance(p, ast.List)]
    if parts != [*lists, *others]:
        return
    own = [n for part in lists for n in part.elts]
    if any(isinstance(n, ast.Starred) for n in own) or not _in_place(walker, node, len(own)):
        return
    if not all(_updates(walker, other) for other in others):
        return

    def written(source: Source) -> str:
        return f"[{', '.join(map(source, [*own, *others]))}]"

    raise Spelled(node, REASON, [(fetch, written)])


def _parts(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_parts(node.left), *_parts(node.right)]
    return [node]


def _unread(walker: Any, node: ast.Call) -> bool:
    return isinstance(walker.stmt, ast.Expr) and walker.stmt.value is node


def _ops(walker: Any, node: ast.expr) -> bool:
    """Whether a name or a list is of ops, or of what was put together to be fetched."""
    if not isinstance(node, (ast.Name, ast.Attribute, ast.List)):
        return False
    value = walker.expression(node)
    return value.kind is Kind.OP or isinstance(value.data, Fetch)


def _updates(walker: Any, node: ast.expr) -> bool:
    """Whether a name is the graph's update ops; a loop that asks for them has given them one."""
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    value = walker.expression(node)
    return value.kind is Kind.OP and isinstance(value.data, Updates)


def _in_place(walker: Any, node: ast.Call, own: int) -> bool:
    """Whether of a run's results only those of the list's own fetches are read, by their places."""
    return _unread(walker, node) or any(
        isinstance(n, ast.Subscript)
        and n.value is node
        and isinstance(n.slice, ast.Constant)
        and isinstance(n.slice.value, int)
        and 0 <= n.slice.value < own
        for n in walk(walker.stmt)
    )
