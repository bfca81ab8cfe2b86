"""The shapes of tensors, as far as placeholders and a few well-known layers and ops say.

A dimension is its source, "None" where it is open: `[None, self.n_features]`.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Symbol
from migrate.programs.graph.sizing import plain_dims

OPEN = plain_dims.OPEN
CONV = {"conv1d": 3, "conv2d": 4, "conv3d": 5, "conv2d_transpose": 4, "separable_conv2d": 4}
CONV |= {"conv3d_transpose": 5}
POOL = {"pooling1d": 3, "pooling2d": 4, "pooling3d": 5}
CONTRIB = T + "contrib.layers."
# What gives a tensor of its first argument's shape.
SAME = frozenset(
    T + name
    for name in (
        *("nn.relu", "nn.relu6", "nn.elu", "nn.selu", "nn.tanh", "tanh", "sigmoid", "nn.sigmoid"),
        *("nn.leaky_relu", "nn.softplus", "nn.softmax", "identity", "nn.dropout", "square", "exp"),
        *("layers.dropout", "layers.batch_normalization", "abs", "nn.bias_add", "stop_gradient"),
        *("cast", "to_float", "clip_by_value", "sin", "cos", "negative", "sqrt", "log"),
        *("contrib.layers.batch_norm", "contrib.layers.dropout", "contrib.layers.layer_norm"),
        "contrib.layers.instance_norm",
        "contrib.layers.group_norm",
        "contrib.layers.unit_norm",
    )
)
WIDER = frozenset(
    T + name
    for name in ("add", "subtract", "multiply", "maximum", "minimum", "divide", "div", "truediv")
)
ONE_HOT = frozenset({T + "one_hot", CONTRIB + "one_hot_encoding"})
ENDS = frozenset(T + name for name in ("layers.dense", "layers.conv1d"))
INPUTS = frozenset({"inputs", "x", "features", "value", "input", "t", "logits", "tensor"})


def dims(walker: Any, node: ast.expr, depth: int = 0) -> list[str] | None:
    """The dimensions of a tensor; None where they aren't seen."""
    if depth > 40:
        return None
    if isinstance(node, ast.Name) and id(node) not in walker.meant and id(node) in walker.aliases:
        origin = walker.aliases[id(node)][1]
        found = _named(walker, origin, depth)
        return found if plain_dims.handed(walker, node, origin, found) else None
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _named(walker, walker.meant.get(id(node), walker.attributes.get(id(node))), depth)
    if isinstance(node, ast.BinOp):
        return _wider(*(dims(walker, n, depth + 1) for n in (node.left, node.right)))
    if not isinstance(node, ast.Call):
        return None
    name = walker.endpoints.get(id(node.func), "")
    if name == T + "placeholder":
        return _listed(walker.bound(name, node).get("shape"))
    if name == T + "reshape":
        return _listed(walker.bound(name, node).get("shape"))
    if name in (T + "matmul", T + "nn.xw_plus_b"):
        return _product(walker, name, node, depth)
    if name == T + "get_variable":
        return _listed(walker.bound(name, node).get("shape"))
    if name == T + "concat":
        return _joined(walker, walker.bound(name, node), depth)
    if name in ONE_HOT:
        return _one_hot(walker, walker.bound(name, node), depth)
    if name == T + "nn.embedding_lookup":
        given = walker.bound(name, node)
        parts = [dims(walker, given[k], depth + 1) for k in ("ids", "params") if k in given]
        return [*parts[0], *parts[1][1:]] if len(parts) == 2 and parts[0] and parts[1] else None
    if name in WIDER:
        given = walker.bound(name, node)
        return _wider(*(dims(walker, given[k], depth + 1) for k in ("x", "y") if k in given))
    first = node.args[0] if node.args else None
    first = next((k.value for k in node.keywords if k.arg in INPUTS), first)
    below = dims(walker, first, depth + 1) if first is not None else None
    if name in SAME:
        return below
    layer = walker.layers.get(id(node))
    if layer is None or layer.factory is not None:
        return None
    kind = name.rpartition(".")[2]
    out = layer.given.get("units", layer.given.get("filters", layer.given.get("num_outputs")))
    if kind in ("dense", "fully_connected", "linear", "relu") and out is not None:
        return [*below[:-1], ast.unparse(out)] if below is not None else None
    rank = next((r for k, r in {**CONV, **POOL}.items() if kind == k or kind.endswith(k)), None)
    if rank is None or below is None or len(below) != rank:
        return None
    last = ast.unparse(out) if out is not None else below[-1]
    return [*[OPEN] * (rank - 1), last]


def _one_hot(walker: Any, given: dict[str, ast.expr], depth: int) -> list[str] | None:
    """The shape of classes as rows, in the last dimension."""
    first = given.get("indices", given.get("labels"))
    size = given.get("depth", given.get("num_classes"))
    classes = _listed(ast.List([size], ast.Load())) if size is not None else None
    if first is None or "axis" in given or not classes or classes == [OPEN]:
        return None
    below = dims(walker, first, depth + 1)
    return [*below, *classes] if below is not None else None


def last(walker: Any, node: ast.expr, depth: int = 0) -> str:
    """The last dimension of a tensor, which a layer tells for inputs of any shape."""
    found = dims(walker, node)
    if found or depth > 40:
        return found[-1] if found else OPEN
    if isinstance(node, (ast.Name, ast.Attribute)):
        symbol = walker.meant.get(id(node), walker.attributes.get(id(node)))
        made = symbol.step.node if symbol is not None else None
        if isinstance(made, ast.Assign) and len(made.targets) == 1:
            if isinstance(made.targets[0], (ast.Name, ast.Attribute)):
                return last(walker, made.value, depth + 1)
    layer = walker.layers.get(id(node))
    name = walker.endpoints.get(id(node.func), "") if isinstance(node, ast.Call) else ""
    if layer is None or layer.factory is not None or name not in ENDS:
        return OPEN
    size = layer.given.get("units", layer.given.get("filters"))
    return ast.unparse(size) if size is not None and _stays(walker, size) else OPEN


def _stays(walker: Any, size: ast.expr) -> bool:
    """Whether the names of a size mean one thing in the function at hand."""
    scope = walker.frame.node
    names = {n.id for n in all_of(size, ast.Name)}
    if scope is None:
        return False
    bound = [n.arg for n in all_of(scope, ast.arg)]
    bound += [n.id for n in all_of(scope, ast.Name) if not isinstance(n.ctx, ast.Load)]
    return all(bound.count(name) < 2 for name in names)


def _product(walker: Any, name: str, node: ast.Call, depth: int) -> list[str] | None:
    """The shape of a product of two matrices."""
    given = walker.bound(name, node)
    if set(given) - {"a", "b", "x", "weights", "biases", "name"}:
        return None  # transposed, or of another kind
    second = given.get("weights" if name.endswith("xw_plus_b") else "b")
    last = dims(walker, second, depth + 1) if second is not None else None
    return [OPEN, last[-1]] if last is not None and len(last) == 2 else None


def _joined(walker: Any, given: dict[str, ast.expr], depth: int) -> list[str] | None:
    """The shape of tensors side by side, in their last dimension."""
    listed, axis = given.get("values"), given.get("axis")
    if not isinstance(listed, (ast.List, ast.Tuple)) or axis is None:
        return None
    parts = [dims(walker, n, depth + 1) for n in listed.elts]
    if not parts or any(not p or len(p) != len(parts[0] or ()) for p in parts):
        return None
    known = [p for p in parts if p]
    if ast.unparse(axis) not in ("-1", str(len(known[0]) - 1)) or any(p[-1] == OPEN for p in known):
        return None
    heads = zip(*(p[:-1] for p in known), strict=True)
    last = [ast.parse(p[-1], mode="eval").body for p in known]
    plain = (ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.operator, ast.expr_context)
    if any(not isinstance(n, plain) for one in last for n in walk(one)):
        return None
    wide = [
        f"({p[-1]})" if isinstance(n, ast.BinOp) else p[-1]
        for p, n in zip(known, last, strict=True)
    ]
    if all(one.isdigit() for one in wide):
        wide = [str(sum(map(int, wide)))]
    return [*(h[0] if len(set(h)) == 1 else OPEN for h in heads), " + ".join(wide)]


def _named(walker: Any, symbol: Symbol | None, depth: int) -> list[str] | None:
    if symbol is None:
        return None
    known: dict[Symbol, list[str]] = walker.kept.get("input shapes", {})
    if symbol in known:
        return known[symbol]
    made = symbol.step.node
    made_here = symbol.value.kind in (Kind.PLACEHOLDER, Kind.VARIABLE)
    if made_here and isinstance(symbol.value.node, ast.Call):
        return dims(walker, symbol.value.node, depth + 1)
    if not isinstance(made, ast.Assign) or len(made.targets) != 1:
        return None
    if not isinstance(made.targets[0], (ast.Name, ast.Attribute)):
        return None
    return dims(walker, made.value, depth + 1)


def _listed(node: ast.expr | None) -> list[str] | None:
    """A shape that is written out."""
    if not isinstance(node, (ast.List, ast.Tuple)):
        return None
    known = (ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.operator, ast.expr_context)
    found = []
    for item in node.elts:
        plain = all(isinstance(n, known) for n in walk(item))
        found.append(ast.unparse(item) if plain else OPEN)
    return found


def _wider(first: list[str] | None = None, second: list[str] | None = None) -> list[str] | None:
    """The shape of what two tensors, or a tensor and a number, are together."""
    if first is None or second is None:
        return first or second
    if len(first) < len(second):
        first, second = second, first
    return first if first[-1] == second[-1] else None
