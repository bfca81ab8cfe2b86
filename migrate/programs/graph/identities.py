"""``a == b`` of variables and tensors: TF 1 asks whether they are one, TF 2 compares elements."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.programs.graph import meaning
from migrate.programs.graph.model import HOST, Blocked, Kind, Value

SIGNS: dict[type[ast.cmpop], str] = {ast.Eq: "is", ast.NotEq: "is not"}
REASON = "tensors are compared by `==`, which asks TF 1 whether they are one"


def asked(walker: Any, node: ast.Compare, values: Sequence[Value]) -> Value | None:
    """What asks for the same variable is written so; None where nothing of TF 1's is compared.

    Raises:
        Blocked: tensors of runs are compared.
    """
    sign = SIGNS.get(type(node.ops[0]))
    sides = [node.left, *node.comparators]
    if (
        sign is None
        or len(sides) > 2
        or any(v.kind is Kind.NONE or _none(n) for v, n in zip(values, sides, strict=True))
    ):
        return None
    if all(map(_variable, values)) and all(isinstance(n, (ast.Name, ast.Attribute)) for n in sides):
        left, right = map(ast.unparse, sides)
        walker.rewrites[id(node)] = lambda _: f"{left} {sign} {right}"
        return HOST
    if any(_tensor(walker, n, v) for n, v in zip(sides, values, strict=True)):
        raise Blocked(node, REASON)
    return None


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _variable(value: Value) -> bool:
    own = value.items is None and value.data != "container"
    return value.kind is Kind.VARIABLE and own and isinstance(value.node, ast.Call)


def _tensor(walker: Any, node: ast.expr, value: Value) -> bool:
    """Whether a side is surely a tensor: shapes and types of tensors may have the same kind."""
    if value.kind is Kind.PLACEHOLDER:
        return isinstance(node, (ast.Name, ast.Attribute))
    if value.kind is not Kind.TENSOR:
        return False
    made: ast.AST | None = node
    if isinstance(node, ast.Name):
        symbol = walker.frame.env.get(node.id)
        step = symbol.step.node if symbol is not None else None
        single = isinstance(step, ast.Assign) and isinstance(step.targets[0], ast.Name)
        made = step.value if isinstance(step, ast.Assign) and single else None
    name = walker.endpoints.get(id(made.func)) if isinstance(made, ast.Call) else None
    return name is not None and meaning.is_op(name)
