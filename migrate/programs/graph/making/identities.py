"""``a == b`` of variables and tensors: TF 1 asks whether they are one, TF 2 compares elements."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.model import HOST, Blocked, Kind, Symbol, Value

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
    tensors = [n for n, v in zip(sides, values, strict=True) if _tensor(walker, n, v)]
    if len(tensors) == 1 and _given(walker, tensors[0]):
        (other,) = [n for n in sides if n is not tensors[0]]
        if isinstance(other, ast.Constant) and isinstance(other.value, (int, float)):
            _number(walker, node, tensors[0], equal=sign == "is")
            return HOST
    if tensors:
        raise Blocked(node, REASON)
    return None


def _given(walker: Any, node: ast.expr) -> bool:
    """Whether a name is an argument of the function at hand, whatever it is given."""
    home = walker.frame.node
    if not isinstance(node, ast.Name) or not isinstance(home, ast.FunctionDef):
        return False
    stores = [n for n in all_of(home, ast.Name) if n.id == node.id and isinstance(n.ctx, ast.Store)]
    return not stores and any(a.arg == node.id for a in home.args.args)


def _number(walker: Any, node: ast.Compare, tensor: ast.expr, *, equal: bool) -> None:
    """``if in_drop != 0.0:``, a number or a tensor, which TF 1 finds unlike every number."""
    said = ast.unparse(tensor)
    alone = any(n.test is node for n in all_of(walker.frame.node, ast.If))

    def written(writer: Any) -> str:
        text = f"{'not ' * equal}{writer.tf}.is_tensor({said}) {'and' if equal else 'or'} "
        text += ast.unparse(node)
        return text if alone else f"({text})"

    walker.rewrites[id(node)] = written


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
    if isinstance(node, ast.Name):
        symbol = walker.frame.env.get(node.id)
        return symbol is not None and _computed(walker, symbol)
    return _op(walker, node)


def _computed(walker: Any, symbol: Symbol) -> bool:
    """Whether a name is a placeholder's, an op's or arithmetic's on such names."""
    if symbol.value.kind is Kind.PLACEHOLDER:
        return True
    step = symbol.step.node
    if symbol.value.kind is not Kind.TENSOR or not isinstance(step, ast.Assign):
        return False
    if not isinstance(step.targets[0], ast.Name):
        return False
    if isinstance(step.value, (ast.BinOp, ast.UnaryOp)):
        leaves = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
        plain = all(isinstance(n, (*leaves, ast.expr_context)) for n in walk(step.value))
        return plain and any(s is not symbol and _computed(walker, s) for s in symbol.step.uses)
    return _op(walker, step.value)


def _op(walker: Any, node: ast.AST) -> bool:
    name = walker.endpoints.get(id(node.func)) if isinstance(node, ast.Call) else None
    return name is not None and meaning.is_op(name)
