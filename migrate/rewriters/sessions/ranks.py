"""How many dimensions tensors have, as far as a few well-known ops say."""

from __future__ import annotations

import ast

from migrate.programs.graph.layering.layers import CONTRIB
from migrate.programs.graph.walk import Walker

RANKS = {
    **{
        root + name.format(d): d + 2
        for d in (1, 2, 3)
        for root, names in (
            ("tensorflow.layers.", ("conv{}d", "conv{}d_transpose", "separable_conv{}d")),
            ("tensorflow.layers.", ("max_pooling{}d", "average_pooling{}d")),
            (CONTRIB, ("conv{}d", "conv{}d_transpose", "separable_conv{}d")),
            (CONTRIB, ("max_pool{}d", "avg_pool{}d")),
        )
        for name in names
    },
    **{f"tensorflow.nn.{name}": 4 for name in ("conv2d", "max_pool", "avg_pool")},
    **dict.fromkeys(("tensorflow.layers.flatten", CONTRIB + "flatten", "tensorflow.matmul"), 2),
}
# By how many dimensions more a result has than what it is made of.
CHANGED = {
    **{f"reduce_{name}": -1 for name in ("mean", "sum", "max", "min")},
    "concat": 0,
    "stack": 1,
    "expand_dims": 1,
    "contrib.layers.embed_sequence": 1,
}
FIRST = frozenset({"values", "input_tensor", "input", "ids"})
KEPT = frozenset(
    [f"tensorflow.{name}" for name in ("layers.dense", "layers.dropout", "nn.dropout", "nn.relu")]
    + [f"tensorflow.{name}" for name in ("nn.elu", "nn.tanh", "tanh", "sigmoid", "nn.sigmoid")]
    + [f"tensorflow.{name}" for name in ("nn.leaky_relu", "layers.batch_normalization", "identity")]
    + [
        CONTRIB + name
        for name in ("fully_connected", "batch_norm", "dropout", "layer_norm", "instance_norm")
    ]
    + [CONTRIB + name for name in ("group_norm", "unit_norm", "linear", "relu")]
)


def rank_of(node: ast.expr | None, walker: Walker, depth: int = 0) -> int | None:
    """How many dimensions a tensor has, as far as a few well-known ops say."""
    if node is None or depth > 20:
        return None
    if isinstance(node, (ast.Name, ast.Attribute)):
        symbol = walker.meant.get(id(node), walker.attributes.get(id(node)))
        made = symbol.step.node if symbol is not None else None
        if isinstance(made, ast.Assign) and len(made.targets) == 1:
            if isinstance(made.targets[0], (ast.Name, ast.Attribute)):
                return rank_of(made.value, walker, depth + 1)
        return None
    if not isinstance(node, ast.Call):
        return None
    endpoint = walker.endpoints.get(id(node.func), "")
    if endpoint == "tensorflow.placeholder":
        shape = walker.bound(endpoint, node).get("shape")
        return len(shape.elts) if isinstance(shape, (ast.List, ast.Tuple)) else None
    if endpoint == "tensorflow.reshape":
        shape = walker.bound(endpoint, node).get("shape")
        return len(shape.elts) if isinstance(shape, (ast.List, ast.Tuple)) else None
    if endpoint in RANKS:
        return RANKS[endpoint]
    if endpoint in KEPT:
        first = node.args[0] if node.args else None
        first = next((k.value for k in node.keywords if k.arg == "inputs"), first)
        return rank_of(first, walker, depth + 1)
    change = CHANGED.get(endpoint.removeprefix("tensorflow."))
    if change is None:
        return None
    first = node.args[0] if node.args else None
    first = next((k.value for k in node.keywords if k.arg in FIRST), first)
    if isinstance(first, (ast.List, ast.Tuple)):
        first = first.elts[0] if first.elts else None
    rank = rank_of(first, walker, depth + 1)
    if endpoint.startswith("tensorflow.reduce_"):
        axis = walker.bound(endpoint, node).get("axis")
        if set(walker.bound(endpoint, node)) > {"input_tensor", "axis"} or not (
            isinstance(axis, (ast.Constant, ast.UnaryOp))
        ):
            return None
    return rank + change if rank is not None else None
