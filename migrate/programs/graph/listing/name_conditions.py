"""Conditions on variables' names: ``[v for v in t_vars if 'd_' in v.name or 'q_' in v.name]``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeVar

Asked = tuple[str, Any]  # "in" or "startswith" and a word; "or", "and" or "not" and conditions
Entry = TypeVar("Entry")


def asked(node: ast.expr, own: str) -> Asked | None:
    """What a condition on the name of ``own`` asks; None where that isn't followed here.

    Nor is ``"bias" not in v.name`` alone, which may stay as it is.
    """
    if isinstance(node, ast.BoolOp):
        parts = [_part(part, own) for part in node.values]
        return None if None in parts else ("or" if isinstance(node.op, ast.Or) else "and", parts)
    name = f"{own}.name"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _part(node, own)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In):
        if ast.unparse(node.comparators[0]) == name and isinstance(node.left, ast.Constant):
            return "in", str(node.left.value)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == f"{name}.startswith":
        if len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            return "startswith", str(node.args[0].value)
    return None


def unlike(node: ast.expr, own: str) -> Asked | None:
    """What ``"bias" not in v.name`` asks."""
    found = _part(node, own) if isinstance(node, ast.Compare) else None
    return found if found is not None and found[0] == "not" else None


def _part(node: ast.expr, own: str) -> Asked | None:
    """What a condition among others asks."""
    inner: ast.expr | None = None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = node.operand
    elif isinstance(node, ast.Compare) and [type(o) for o in node.ops] == [ast.NotIn]:
        inner = ast.Compare(node.left, [ast.In()], node.comparators)
    if inner is None:
        return asked(node, own)
    found = _part(inner, own)
    return None if found is None else ("not", found)


def meant(
    entries: list[Entry], test: Asked, among: Callable[[str, str], list[Entry]]
) -> list[Entry]:
    """Those of which a condition holds; ``among`` says it of a single word."""
    how, what = test
    if how in ("in", "startswith"):
        return among(how, what)
    held = [set(map(id, meant(entries, p, among))) for p in ([what] if how == "not" else what)]
    if how == "not":
        return [entry for entry in entries if id(entry) not in held[0]]
    join = any if how == "or" else all
    return [entry for entry in entries if join(id(entry) in one for one in held)]
