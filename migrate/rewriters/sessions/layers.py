"""`tf.layers` calls as Keras layers: objects that stand where the author called the function.

The weights, their initial values and the numbers are TF 1's; what differs by default is spelled
out. What adds to collections (regularizers), keeps update ops (batch normalization) or is fed a
training switch is left to the program's session.

https://keras.io/api/layers/
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from migrate.programs.graph.model import Blocked
from migrate.programs.graph.walk import Layer, Walker
from migrate.rewriters.sessions import initializers
from migrate.rewriters.sessions.text import Text


@dataclass(frozen=True, slots=True)
class Keras:
    """A Keras layer and the arguments that both have."""

    name: str
    arguments: tuple[str, ...]
    positional: int = 0  # how many are given without a keyword


_WEIGHTS = ("activation", "use_bias", "kernel_initializer", "bias_initializer", "trainable")
_CONV = ("filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate", *_WEIGHTS)
_POOL = ("pool_size", "strides", "padding", "data_format")
TABLE = {
    "dense": Keras("Dense", ("units", *_WEIGHTS), 1),
    "conv1d": Keras("Conv1D", _CONV, 2),
    "conv2d": Keras("Conv2D", _CONV, 2),
    "conv3d": Keras("Conv3D", _CONV, 2),
    "conv2d_transpose": Keras(
        "Conv2DTranspose",
        ("filters", "kernel_size", "strides", "padding", "data_format", *_WEIGHTS),
        2,
    ),
    "max_pooling1d": Keras("MaxPooling1D", _POOL, 2),
    "max_pooling2d": Keras("MaxPooling2D", _POOL, 2),
    "average_pooling1d": Keras("AveragePooling1D", _POOL, 2),
    "average_pooling2d": Keras("AveragePooling2D", _POOL, 2),
    "flatten": Keras("Flatten", ("data_format",)),
}
INITIALIZERS = frozenset({"kernel_initializer", "bias_initializer"})


def source(layer: Layer, walker: Walker, text: Text, tf: str) -> str:
    """The Keras layer's source.

    Raises:
        Blocked: an argument has no counterpart.
    """
    if layer.factory is not None:
        return _made(layer, text)
    name = layer.endpoint.rpartition(".")[2]
    keras = TABLE[name]
    out: list[str] = []
    keywords = False
    for argument, node in layer.given.items():
        if argument in ("inputs", "reuse"):
            continue
        none = isinstance(node, ast.Constant) and node.value is None
        if argument == "name" or none:
            continue
        if argument not in keras.arguments:
            raise Blocked(node, f"`{argument}` of tf.layers.{name}")
        value = text.source(node)
        if argument in INITIALIZERS:
            described = layer.described.get(argument)
            if described is None:
                raise Blocked(node, "an initializer that isn't seen")
            endpoint, call = described
            if not isinstance(node, ast.Name):
                value = initializers.keras(endpoint, call, text, tf)[0]
        place = keras.arguments.index(argument)
        if not keywords and place == len(out) and place < keras.positional:
            out.append(value)
        else:
            keywords = True
            out.append(f"{argument}={value}")
    named = layer.given.get("name")
    if isinstance(named, ast.Constant) and isinstance(named.value, str) and "/" not in named.value:
        out.append(f"name={text.source(named)}")
    return f"{tf}.keras.layers.{keras.name}({', '.join(out)})"


def _made(layer: Layer, text: Text) -> str:
    """The call of a function that makes the variables, without what belongs to a run."""
    assert layer.factory is not None
    hidden = set(map(id, layer.tensors))
    names = [a.arg for a in layer.factory.args.args]
    kept = []
    for name, node in zip(names, layer.call.args, strict=False):
        if id(node) not in hidden and name != "reuse":
            kept.append(text.source(node))
    kept.extend(
        f"{keyword.arg}={text.source(keyword.value)}"
        for keyword in layer.call.keywords
        if id(keyword.value) not in hidden and keyword.arg != "reuse"
    )
    return f"{text.source(layer.call.func)}({', '.join(kept)})"
