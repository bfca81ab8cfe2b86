"""`tf.keras.utils.to_categorical` of arrays: Keras 3 gives float64, TF 1.15 gave float32."""

from __future__ import annotations

import ast

from migrate.programs.graph.model import HOST, Blocked, Kind, Value
from migrate.programs.graph.walk import T, Walker, family


@family(T + "keras.utils.to_categorical")
def to_categorical(walker: Walker, name: str, node: ast.Call) -> Value:
    """Rows of ones and zeros, as an array of TF 1's type."""
    if len(node.args) > 2 or any(k.arg not in ("y", "num_classes") for k in node.keywords):
        raise Blocked(node, "these arguments aren't followed")
    if any(value.kind is not Kind.HOST for value in walker.arguments(node)):
        raise Blocked(node, "to_categorical of a part of the graph")
    walker.rewrites[id(node)] = lambda writer: f'{writer.text.source(node)}.astype("float32")'
    return HOST
