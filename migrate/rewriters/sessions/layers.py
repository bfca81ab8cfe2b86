"""`tf.layers`, `tf.contrib.layers` and slim as Keras layers, made where the author called them.

The weights, their initial values and the numbers are TF 1's; what differs by default is spelled
out.

https://keras.io/api/layers/
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from migrate.programs.graph import reasons
from migrate.programs.graph.layering import shaped
from migrate.programs.graph.layering.layers import CONTRIB
from migrate.programs.graph.making import given_initializers, own_initializers
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.running import device_names
from migrate.programs.graph.scoping import scopes
from migrate.programs.graph.walk import Layer, Walker
from migrate.rewriters.sessions import initializers, norms, regularizers
from migrate.rewriters.sessions.built import class_name
from migrate.rewriters.sessions.text import Text

if TYPE_CHECKING:
    from migrate.rewriters.sessions.sources import Sources


@dataclass(frozen=True, slots=True)
class Keras:
    """A Keras layer, TF 1's arguments by its own, and what must be spelled out."""

    name: str
    arguments: dict[str, str]
    positional: int = 0  # how many are given without a keyword
    defaults: dict[str, str] = field(default_factory=dict)


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


_WEIGHTS = _same(
    *("activation", "use_bias", "kernel_initializer", "bias_initializer"),
    *("kernel_regularizer", "bias_regularizer", "kernel_constraint", "bias_constraint"),
    "trainable",
)
_CONV = _same("filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate")
_POOL = _same("pool_size", "strides", "padding", "data_format")
_SEPARABLE = _same(
    *("filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate"),
    *("depth_multiplier", "activation", "use_bias", "depthwise_initializer"),
    *("pointwise_initializer", "bias_initializer", "depthwise_regularizer"),
    *("pointwise_regularizer", "bias_regularizer", "trainable"),
)
_UNDILATED = {k: v for k, v in _CONV.items() if k != "dilation_rate"}
# tf.contrib.layers names the same things otherwise.
_CONTRIB_WEIGHTS = {
    "activation_fn": "activation",
    "weights_initializer": "kernel_initializer",
    "biases_initializer": "bias_initializer",
    "weights_regularizer": "kernel_regularizer",
    "biases_regularizer": "bias_regularizer",
    "trainable": "trainable",
}
_CONTRIB_CONV = {
    "num_outputs": "filters",
    "kernel_size": "kernel_size",
    "stride": "strides",
    "padding": "padding",
}
_RATE = {"rate": "dilation_rate"}
_DEPTHWISE = {
    "kernel_size": "kernel_size",
    "stride": "strides",
    "padding": "padding",
    **_RATE,
    **_same("depth_multiplier", "trainable"),
    "activation_fn": "activation",
    "weights_initializer": "depthwise_initializer",
    "biases_initializer": "bias_initializer",
    "weights_regularizer": "depthwise_regularizer",
    "biases_regularizer": "bias_regularizer",
}
_POINTWISE = {
    "pointwise_initializer": "pointwise_initializer",
    "pointwise_regularizer": "pointwise_regularizer",
}
_RELU = {"activation": "{tf}.nn.relu"}
_CONTRIB_POOL = {"kernel_size": "pool_size", "stride": "strides", "padding": "padding"}
_DENSE = Keras("Dense", {"num_outputs": "units", **_CONTRIB_WEIGHTS}, 1, _RELU)
_TF = "tensorflow.layers."
TABLE = {
    _TF + "dense": Keras("Dense", {"units": "units", **_WEIGHTS}, 1),
    _TF + "conv1d": Keras("Conv1D", {**_CONV, **_WEIGHTS}, 2),
    _TF + "conv2d": Keras("Conv2D", {**_CONV, **_WEIGHTS}, 2),
    _TF + "conv3d": Keras("Conv3D", {**_CONV, **_WEIGHTS}, 2),
    **{
        _TF + f"conv{d}d_transpose": Keras(f"Conv{d}DTranspose", {**_UNDILATED, **_WEIGHTS}, 2)
        for d in (2, 3)
    },
    **{_TF + f"separable_conv{d}d": Keras(f"SeparableConv{d}D", _SEPARABLE, 2) for d in (1, 2)},
    **{
        _TF + f"{kind.lower()}_pooling{d}d": Keras(f"{kind}Pooling{d}D", _POOL, 2)
        for kind in ("Max", "Average")
        for d in (1, 2, 3)
    },
    _TF + "flatten": Keras("Flatten", _same("data_format")),
    CONTRIB + "fully_connected": _DENSE,
    CONTRIB + "relu": _DENSE,
    CONTRIB + "linear": Keras("Dense", _DENSE.arguments, 1),
    **{
        CONTRIB + f"conv{d}d": Keras(
            f"Conv{d}D",
            {**_CONTRIB_CONV, **_RATE, **_CONTRIB_WEIGHTS},
            2,
            {"padding": '"same"', **_RELU},
        )
        for d in (1, 2, 3)
    },
    **{
        CONTRIB + f"conv{d}d_transpose": Keras(
            f"Conv{d}DTranspose",
            {**_CONTRIB_CONV, **_CONTRIB_WEIGHTS},
            2,
            {"padding": '"same"', **_RELU},
        )
        for d in (2, 3)
    },
    CONTRIB + "separable_conv2d": Keras(
        "SeparableConv2D",
        {"num_outputs": "filters", **_DEPTHWISE, **_POINTWISE},
        2,
        {"padding": '"same"', **_RELU},
    ),
    **{
        CONTRIB + f"{short}_pool{d}d": Keras(
            f"{kind}Pooling{d}D", _CONTRIB_POOL, 1, {"strides": "2"}
        )
        for short, kind in (("max", "Max"), ("avg", "Average"))
        for d in (2, 3)
    },
    CONTRIB + "flatten": Keras("Flatten", {}),
    CONTRIB + "embed_sequence": Keras(
        "Embedding",
        {
            "vocab_size": "input_dim",
            "embed_dim": "output_dim",
            "initializer": "embeddings_initializer",
            "trainable": "trainable",
        },
        2,
        {"embeddings_initializer": '"glorot_uniform"'},
    ),
}
# `num_outputs=None` of a separable convolution: its first half alone.
HALF = Keras("DepthwiseConv2D", _DEPTHWISE, 1, {"padding": '"same"', **_RELU})
SEPARABLE = CONTRIB + "separable_conv2d"
SKIPPED = frozenset(
    {"inputs", "ids", "reuse", "name", "scope", "training", "is_training"}
    | {"normalizer_fn", "normalizer_params", "outputs_collections", "variables_collections"}
)
CHANNELS_LAST = frozenset({"NHWC", "NWC", "NDHWC", "channels_last"})


def known(endpoint: str) -> bool:
    """Whether a layer function has a Keras layer here."""
    return endpoint in TABLE or endpoint in norms.TABLE


def made(layer: Layer, writer: Sources) -> list[str]:
    """The sources of the Keras layers that a call makes: itself, and a normalization after it.

    Raises:
        Blocked: an argument has no counterpart.
    """
    walker, text, tf = writer.walker, writer.text, writer.tf
    if layer.factory is not None:
        return [_made(layer, writer)]
    if layer.endpoint in norms.TABLE:
        return [norms.made(layer, writer)]
    found = [_layer(layer, walker, text, tf)]
    if layer.norm is not None:
        assert not layer.norm.alone
        found.append(norms.source(layer.norm, layer, writer))
    return found


def called(layer: Layer, names: list[str], writer: Sources) -> str:
    """The call of a layer's objects."""
    if layer.factory is not None:
        return f"{names[0]}({', '.join(_given(layer, writer))})"
    inputs = writer.source(layer.given.get("inputs", layer.given.get("ids")))  # type: ignore[arg-type]
    if layer.norm is not None and (layer.norm.alone or layer.endpoint in norms.TABLE):
        return norms.activated(layer, norms.called(layer.norm, names[0], inputs, writer), writer)
    if layer.endpoint in norms.TABLE:
        return norms.activated(layer, f"{names[0]}({inputs})", writer)
    out = f"{names[0]}({inputs})"
    if layer.norm is not None:
        out = norms.activated(layer, norms.called(layer.norm, names[1], out, writer), writer)
    return out


def _layer(layer: Layer, walker: Walker, text: Text, tf: str) -> str:
    """One Keras layer's source."""
    keras = TABLE.get(layer.endpoint)
    name = "tf" + layer.endpoint.removeprefix("tensorflow")
    if keras is None:
        raise Blocked(layer.call, f"{name} isn't followed yet")
    values: dict[str, str] = {}
    given = layer.given
    if layer.endpoint == SEPARABLE:
        keras, given = _separable(keras, layer)
    for argument, node in given.items():
        none = isinstance(node, ast.Constant) and node.value is None
        if argument in SKIPPED:
            if argument.endswith("_collections") and not none:
                raise Blocked(node, f"`{argument}` of {name}")
            continue
        if argument == "data_format" and (
            isinstance(node, ast.Constant) or argument not in keras.arguments
        ):
            said = device_names.of(walker, node)
            if said and all(n.value is None or n.value in CHANNELS_LAST for n in said):
                continue
        new = keras.arguments.get(argument)
        if none:
            if argument == "biases_initializer":
                values["use_bias"] = "False"
            elif new in keras.defaults:
                values[str(new)] = ""
            continue
        if new is None:
            raise Blocked(node, f"`{argument}` of {name}{reasons.of(argument)}")
        values[new] = _value(argument, node, layer, walker, text, tf)
    if layer.norm is not None:
        values["activation"] = ""
        values["use_bias"] = "False"
        values.pop("bias_initializer", None)
    for argument, value in keras.defaults.items():
        values.setdefault(argument, value.format(tf=tf))
    order = [*dict.fromkeys([*keras.arguments.values(), "use_bias"])]
    out: list[str] = []
    for place, argument in enumerate(order):
        if not values.get(argument):
            continue
        leading = place == len(out) and place < keras.positional
        out.append(values[argument] if leading else f"{argument}={values[argument]}")
    if layer.double:
        out.append('dtype="float64"')
    named = layer.given.get("name", layer.given.get("scope"))
    if isinstance(named, ast.Constant) and isinstance(named.value, str) and "/" not in named.value:
        out.append(f"name={text.source(named)}")
    return f"{tf}.keras.layers.{keras.name}({', '.join(out)})"


def _separable(keras: Keras, layer: Layer) -> tuple[Keras, dict[str, ast.expr]]:
    """A separable convolution, or half of one, and what its second half has of the first.

    Raises:
        Blocked: two variables would start with one object's draws.
    """
    given = dict(layer.given)
    if halved(layer):
        for name in ("num_outputs", *_POINTWISE):
            given.pop(name, None)
        return HALF, given
    for name in ("weights_initializer", "pointwise_initializer"):
        if isinstance(given.get(name), ast.Name) and layer.described.get(name, (0, 0))[1]:
            raise Blocked(given[name], "an initializer that a separable convolution shares")
    for name, of in zip(_POINTWISE, ("weights_initializer", "weights_regularizer"), strict=True):
        both = given.get(of)
        if both is not None and _none(given.get(name)):
            given[name] = both
            if of in layer.described:
                layer.described[name] = layer.described[of]
    return keras, given


def halved(layer: Layer) -> bool:
    """Whether a separable convolution is a depthwise one alone."""
    out = layer.given.get("num_outputs")
    return layer.endpoint == SEPARABLE and out is not None and _none(out)


def _none(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def _value(argument: str, node: ast.expr, layer: Layer, walker: Walker, text: Text, tf: str) -> str:
    """An argument's source."""
    if argument.endswith("initializer"):
        described = layer.described.get(argument)
        if described is None:
            raise Blocked(node, "an initializer that isn't seen")
        if described[0] in (given_initializers.CALLED, own_initializers.OWN):
            return text.source(node)
        if not isinstance(node, ast.Name) or described[1] is None:
            return initializers.keras(*described, text, tf)[0]
        return text.source(node)
    if argument.endswith("_regularizer"):
        return regularizers.source(node, walker, text, tf)
    return text.source(node)


def _given(layer: Layer, writer: Sources) -> list[str]:
    """What belongs to a run of a function's arguments; by name after one that is left out."""
    region = writer.walker.entered[id(layer.factory)]
    order = [s.name for s in region.inputs or ()]
    parts: list[str] = []
    named = False
    for place, (name, node) in enumerate(zip(layer.keywords, layer.tensors, strict=True)):
        source = writer.source(node)
        if region.shaped and name not in region.sized:
            if isinstance(node, ast.Constant):
                named = True  # Keras takes nothing but tensors by place
            elif name in shaped.shares(writer.walker, region):
                source = f"{writer.tf}.ensure_shape({source}, [])"  # Keras asks for the rank
        named |= order[place] != name
        parts.append(f"{name}={source}" if named else source)
    return parts


def _made(layer: Layer, writer: Sources) -> str:
    """The call of a function that makes the variables, without what belongs to a run."""
    assert layer.factory is not None
    walker, text, tf = writer.walker, writer.text, writer.tf
    shaped = bool(walker.entered[id(layer.factory)].shaped)
    hidden = set(map(id, layer.tensors))
    gone = scopes.spent(walker, layer.factory)
    names = [a.arg for a in layer.factory.args.args]
    if names[:1] == ["self"] and isinstance(layer.call.func, ast.Attribute):
        names = names[1:]

    def said(node: ast.expr) -> str:
        if id(node) in walker.regularizers and isinstance(node, ast.Call):
            return writer.regularizer(node)
        described = walker.descriptions.get(id(node))
        if described is None:
            return text.source(node)
        source, dtype = initializers.keras(*described, text, tf, shared=True)
        if dtype is not None and not dtype.endswith("float32"):
            raise Blocked(node, "an initializer of another type than float32")
        return source

    kept = []
    for name, node in zip(names, layer.call.args, strict=False):
        if id(node) not in hidden and name not in gone:
            kept.append(said(node))
    kept.extend(
        f"{keyword.arg}={said(keyword.value)}"
        for keyword in layer.call.keywords
        if id(keyword.value) not in hidden and keyword.arg not in gone
    )
    function = text.source(layer.call.func)
    if shaped:
        head, dot, last = function.rpartition(".")
        function = f"{head}{dot}{class_name(last)}"
    return f"{function}({', '.join(kept)})"
