"""Functions that an op calls and that give one tensor: so does ``tf.cond``, ``tf.map_fn`` …"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph import meaning
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind
from migrate.programs.graph.own_nodes import own_nodes

# By the arguments of which one tells what the op gives.
GIVES = {
    T + "cond": ("true_fn", "false_fn", "fn1", "fn2"),
    T + "map_fn": ("fn",),
    T + "scan": ("fn",),
}
DENSE = (Kind.TENSOR, Kind.PLACEHOLDER, Kind.VARIABLE, Kind.CONST)
PLAIN = (
    None,
    T + "placeholder",
    T + "placeholder_with_default",
    T + "Variable",
    T + "get_variable",
)


def given(walker: Any, endpoint: str, node: ast.Call) -> bool:
    """Whether an op surely gives one tensor."""
    names = GIVES.get(endpoint, ())
    bound = walker.bound(endpoint, node) if names else {}
    return any(_function(walker, bound[name]) for name in names if name in bound)


def _function(walker: Any, node: ast.expr) -> bool:
    if isinstance(node, ast.Lambda):
        own = {a.arg for a in all_of(node.args, ast.arg)}
        return _one(walker, node.body, {}, own)
    if not isinstance(node, ast.Name):
        return False
    symbol = walker.symbol_of(node)
    function = getattr(symbol.value.data, "node", None) if symbol is not None else None
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return False
    inside = list(own_nodes(function))
    returns = [n.value for n in inside if isinstance(n, ast.Return)]
    if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in inside):
        return False
    bound: dict[str, list[ast.expr | None]] = {}
    for n in inside:
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            bound.setdefault(n.id, []).append(None)
    for n in inside:
        if isinstance(n, ast.Assign) and len(n.targets) == 1 and isinstance(n.targets[0], ast.Name):
            bound[n.targets[0].id].remove(None)
            bound[n.targets[0].id].append(n.value)
    own = {a.arg for a in all_of(function.args, ast.arg)}
    return bool(returns) and all(
        value is not None and _one(walker, value, bound, own) for value in returns
    )


def _one(
    walker: Any, node: ast.expr, bound: dict[str, list[ast.expr | None]], own: set[str]
) -> bool:
    """Whether an expression is one tensor; ``bound``: the values of the function's names."""
    match node:
        case ast.Constant(float()):
            return True  # no list goes with it
        case ast.BinOp():
            return any(_one(walker, n, bound, own) for n in (node.left, node.right))
        case ast.UnaryOp(op=ast.USub()):
            return _one(walker, node.operand, bound, own)
        case ast.Call():
            name = walker.endpoints.get(id(node.func), "")
            tensors = meaning.is_op(name) and name not in meaning.SEVERAL | meaning.OBJECTS
            return tensors and not name.startswith((T + "sparse", T + "nest"))
        case ast.Name() if node.id in bound:
            values = bound.pop(node.id)  # not asked for again in its own value
            found = all(v is not None and _one(walker, v, bound, own) for v in values)
            bound[node.id] = values
            return found and bool(values)
        case ast.Name() if node.id not in own:
            symbol = walker.symbol_of(node)
            value = symbol.value if symbol is not None else None
            return (
                value is not None
                and value.kind in DENSE
                and value.items is None
                and value.data in PLAIN
            )
    return False
