"""``reuse=(t > 0)`` in a loop that counts from zero: made in its first round, found in others."""

from __future__ import annotations

import ast

from migrate.engine.trees import walk

LATER = {(">", 0), ("!=", 0), (">=", 1)}
SIGNS = {ast.Gt: ">", ast.NotEq: "!=", ast.GtE: ">="}
TURNED = {ast.Lt: ">", ast.NotEq: "!=", ast.LtE: ">="}


def told(function: ast.AST, node: ast.expr) -> bool:
    """Whether a condition holds in all rounds but the first of the loop that it stands in."""
    name = _counted(node)
    loops = [
        n
        for n in walk(function)
        if isinstance(n, (ast.For, ast.While)) and any(m is node for m in walk(n))
    ]
    if name is None or not loops:
        return False
    loop = max(loops, key=lambda n: (n.lineno, n.col_offset))
    call = loop.iter if isinstance(loop, ast.For) else None
    if not isinstance(loop, ast.For) or not isinstance(call, ast.Call) or call.keywords:
        return False
    target, kind = loop.target, getattr(call.func, "id", "")
    if kind == "enumerate" and isinstance(target, (ast.Tuple, ast.List)):
        target = target.elts[0]
    elif kind not in ("range", "xrange"):
        return False
    first = call.args[:1] if len(call.args) > 1 else []
    stores = [
        n
        for n in walk(loop)
        if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
    ]
    zero = not first or (kind != "enumerate" and _number(first[0]) == 0 and len(call.args) == 2)
    return zero and stores == [target]


def _counted(node: ast.expr) -> str | None:
    """The name that is asked whether it is more than zero."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return None
    left, sign, right = node.left, node.ops[0], node.comparators[0]
    if isinstance(left, ast.Name) and (SIGNS.get(type(sign)), _number(right)) in LATER:
        return left.id
    if isinstance(right, ast.Name) and (TURNED.get(type(sign)), _number(left)) in LATER:
        return right.id
    return None


def _number(node: ast.expr) -> int | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
