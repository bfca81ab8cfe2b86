"""Arrays that NumPy computes of static sizes: ``np.arange(0, inputs.get_shape()[-1].value, 2)``.

The sizes are numbers when a graph is built, and when a function is traced.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph import numpys
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.recurrence.recurrent import named
from migrate.programs.graph.sizing import static_dims

DEPTH = 40
NAMES = ("np", "numpy", "math")
# What computes of its arguments and changes none.
PURE = frozenset(
    (
        *("abs", "arange", "array", "asarray", "ceil", "concatenate", "cos", "divide", "exp"),
        *("expand_dims", "eye", "floor", "full", "linspace", "log", "log2", "maximum", "minimum"),
        *("multiply", "ones", "power", "prod", "repeat", "reshape", "sin", "sqrt", "square"),
        *("stack", "tile", "transpose", "tril", "triu", "zeros"),
    )
)


def computed(walker: Any, node: ast.Call, values: list[Value]) -> bool:
    """Whether a call of NumPy is given static sizes, what it computed of some, and Python's."""
    if numpys.function(walker, node.func) not in PURE:
        return False
    given = [*node.args, *(k.value for k in node.keywords)]
    return all(
        value.kind in (Kind.HOST, Kind.ENDPOINT) or _static(walker, argument, DEPTH)
        for value, argument in zip(values, given, strict=True)
    )


def _static(walker: Any, node: ast.expr, depth: int) -> bool:
    if not depth:
        return False
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float))
    if isinstance(node, ast.BinOp):
        return all(_static(walker, n, depth - 1) for n in (node.left, node.right))
    if isinstance(node, ast.UnaryOp):
        return _static(walker, node.operand, depth - 1)
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(_static(walker, n, depth - 1) for n in node.elts)
    if static_dims.is_size(walker, node):
        return True
    if isinstance(node, ast.Name):
        symbol = named(walker, node)
        if symbol is not None and symbol.value.kind is Kind.HOST:
            return True
        value = static_dims.only(walker, node)
        return value is not None and _static(walker, value, depth - 1)
    if isinstance(node, ast.Call):
        given = [*node.args, *(k.value for k in node.keywords)]
        return numpys.function(walker, node.func) in PURE and all(
            _numpy(n) or _static(walker, n, depth - 1) for n in given
        )
    return False


def _numpy(node: ast.expr) -> bool:
    return ast.unparse(node).split(".")[0] in NAMES
