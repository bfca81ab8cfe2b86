"""Batch and layer normalization as Keras layers, with TF 1's defaults and its moving variance.

TF 1's fused kernel keeps the unbiased variance of a batch, n / (n - 1) times the one that it
normalizes with; Keras keeps the latter. `tf.layers` takes the kernel for images,
`tf.contrib.layers` for two dimensions, too.

https://keras.io/api/layers/normalization_layers/
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from migrate.engine.trees import all_of
from migrate.programs.graph import reasons
from migrate.programs.graph.layering.layers import CONTRIB, LASTING, PENALTIES, STARTS
from migrate.programs.graph.made import Layer, Norm
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.wording import known_branches
from migrate.rewriters.sessions import initializers, regularizers
from migrate.rewriters.sessions.ranks import rank_of

if TYPE_CHECKING:
    from migrate.rewriters.sessions.sources import Sources


@dataclass(frozen=True, slots=True)
class Known:
    """TF 1's arguments by Keras's and what must be spelled out."""

    arguments: dict[str, str]
    defaults: dict[str, str]


_BOTH = (
    *("center", "scale", "epsilon", "trainable", "beta_initializer", "gamma_initializer"),
    *("moving_mean_initializer", "moving_variance_initializer", "beta_regularizer"),
    "gamma_regularizer",
)
_CONVOLUTIONS = (("conv", ""), ("separable_conv", ""), ("conv", "_transpose"))
TABLE = {
    "tensorflow.layers.batch_normalization": Known(
        {"momentum": "momentum", **{name: name for name in _BOTH}}, {}
    ),
    CONTRIB + "batch_norm": Known(
        {"decay": "momentum", **{name: name for name in _BOTH[:4]}},
        {"momentum": "0.999", "scale": "False"},
    ),
    CONTRIB + "layer_norm": Known(
        {name: name for name in ("center", "scale", "trainable")}, {"epsilon": "1e-12"}
    ),
    CONTRIB + "instance_norm": Known(
        {name: name for name in ("center", "scale", "epsilon", "trainable")},
        {"groups": "-1", "epsilon": "1e-06"},
    ),
    CONTRIB + "group_norm": Known(
        {name: name for name in ("groups", "center", "scale", "epsilon", "trainable")},
        {"epsilon": "1e-06"},
    ),
}
BATCH_NORM = CONTRIB + "batch_norm"
WITHOUT_AVERAGES = LASTING
SKIPPED = frozenset(
    {"inputs", "training", "is_training", "name", "scope", "reuse", "fused", "axis"}
    | {"activation_fn", "updates_collections", "data_format", "begin_norm_axis"}
    | {"begin_params_axis"}
)
_AXES = (("norm", 1), ("params", -1))
CONVOLVED = {f"{kind}{d}d{more}": d + 2 for d in (1, 2, 3) for kind, more in _CONVOLUTIONS}
LAYER_NORM = '''class LayerNormalization({tf}.keras.layers.Layer):
    """Layer normalization over all axes but the first, scaled by channel, as TF 1 had it."""

    def __init__(self, begin_norm_axis=1, center=True, scale=True, **options):
        super().__init__(**options)
        self.begin_norm_axis, self.center, self.scale = begin_norm_axis, center, scale
        self.gamma = self.beta = None

    def build(self, input_shape):
        if self.scale:
            self.gamma = self.add_weight(name="gamma", shape=[input_shape[-1]], initializer="ones")
        if self.center:
            self.beta = self.add_weight(name="beta", shape=[input_shape[-1]], initializer="zeros")

    def call(self, inputs):
        axes = list(range(self.begin_norm_axis, len(inputs.shape)))
        mean, variance = {tf}.nn.moments(inputs, axes, keepdims=True)
        return {tf}.nn.batch_normalization(inputs, mean, variance, self.beta, self.gamma, 1e-12)
'''
NAME = "BatchNormalization"
SOURCE = '''class BatchNormalization({tf}.keras.layers.BatchNormalization):
    """Batch normalization that keeps the unbiased variance{of}, as TF 1's fused kernel does."""

    def call(self, inputs, training=False):
        outputs = super().call(inputs, training=training)
        if training{when}:
            variance = {tf}.math.reduce_variance(inputs, list(range(len(inputs.shape) - 1)))
            count = {tf}.cast({tf}.size(inputs) // inputs.shape[-1], variance.dtype)
            change = (1 - self.momentum) * variance / {tf}.maximum(count - 1, 1)
            self.moving_variance.assign_add(change)
        return outputs
'''

STILL = "averages_kept"
OF_IMAGES = " of images"
MIXED = '''class BatchNormalization({tf}.keras.layers.BatchNormalization):
    """Batch normalization that keeps the unbiased variance{of}, as TF 1's fused kernel does."""

    updates = True  # but in `averages_kept`

    def call(self, inputs, training=False):
        axes = list(range(len(inputs.shape) - 1))
        if training and not self.updates:
            moments = {tf}.nn.moments(inputs, axes)
            return {tf}.nn.batch_normalization(
                inputs, *moments, self.beta, self.gamma, self.epsilon)
        outputs = super().call(inputs, training=training)
        if training and len(inputs.shape) == 4:
            variance = {tf}.math.reduce_variance(inputs, axes)
            count = {tf}.cast({tf}.size(inputs) // inputs.shape[-1], variance.dtype)
            change = (1 - self.momentum) * variance / {tf}.maximum(count - 1, 1)
            self.moving_variance.assign_add(change)
        return outputs


@contextlib.contextmanager
def averages_kept():
    """Normalizations with the batch's own mean and variance that leave their averages alone."""
    BatchNormalization.updates = False
    try:
        yield
    finally:
        BatchNormalization.updates = True
'''


def made(layer: Layer, writer: Sources) -> str:
    """The source of a normalization that stands for itself."""
    if layer.norm is not None:
        return source(layer.norm, layer, writer)
    rank = rank_of(layer.given.get("inputs"), writer.walker)
    return _lasting(layer.endpoint, layer.given, rank, layer, writer)


def _lasting(
    kind: str, given: dict[str, ast.expr], rank: int | None, layer: Layer, writer: Sources
) -> str:
    """The source of a normalization without averages.

    Raises:
        Blocked: its numbers would be others.
    """
    known, named = TABLE[kind], kind == layer.endpoint
    if kind.endswith("instance_norm"):  # a group for each channel
        order = given.get("data_format")
        if order is not None and _number(order) != "NHWC":
            raise Blocked(order, "`data_format` of an instance norm")
        return _keras("GroupNormalization", known, given, layer, writer, named=named)
    if kind.endswith("group_norm"):
        if rank != 4:  # TF 1 takes heights and widths alone
            raise Blocked(layer.call, "a group norm of what isn't surely images")
        return _keras("GroupNormalization", known, given, layer, writer, named=named)
    begin, params = (given.get(f"begin_{n}_axis", ast.Constant(d)) for n, d in _AXES)
    if _number(params) != -1:
        raise Blocked(params, "`begin_params_axis` of a layer norm")
    first = _number(begin)
    if first == -1 or (first == 1 and rank == 2):
        return _keras("LayerNormalization", known, given, layer, writer, named=named)
    if not isinstance(first, int) or first < 1:
        raise Blocked(begin, "`begin_norm_axis` of a layer norm")
    writer.module.need("LayerNormalization", LAYER_NORM.format(tf=writer.tf))
    axis = {"begin_norm_axis": "begin_norm_axis"} if first > 1 else {}
    own = Known({**known.arguments, **axis}, {})
    found = _keras("LayerNormalization", own, given, layer, writer, named=named)
    return found.removeprefix(f"{writer.tf}.keras.layers.")


def source(norm: Norm, layer: Layer, writer: Sources) -> str:
    """The source of a batch normalization.

    Raises:
        Blocked: its numbers would be others.
    """
    given = norm.given
    if norm.kind:
        rank = rank_of(layer.given.get("inputs"), writer.walker)
        if layer.endpoint.rpartition(".")[2] in CONVOLVED:
            rank = CONVOLVED[layer.endpoint.rpartition(".")[2]]
        return _lasting(norm.kind, given, rank, layer, writer)
    for argument in ("axis", "data_format"):
        node = given.get(argument)
        last = (-1, 3, "NHWC", "channels_last")
        if node is not None and _number(node) not in last:
            raise Blocked(node, f"`{argument}` of a batch normalization")
    fixed = given.get("trainable")
    if fixed is not None and _number(fixed) is not True and not _idle(norm):
        # Keras's takes the averages then, TF 1's the batch's.
        raise Blocked(fixed, "`trainable` of a batch normalization")
    endpoint = CONTRIB + "batch_norm" if norm.contrib else "tensorflow.layers.batch_normalization"
    fused = given.get("fused")
    unfused = isinstance(fused, ast.Constant) and fused.value is False
    rank = rank_of(layer.given.get("inputs"), writer.walker)
    if norm.contrib and not norm.alone and layer.endpoint not in TABLE:
        rank = 2 if layer.endpoint.endswith(("fully_connected", "linear", "relu")) else 4
    plain = unfused or norm.frozen or (not norm.contrib and rank == 2)
    plain = plain and not norm.mixed
    named = layer.endpoint in TABLE
    if unfused and norm.contrib and rank != 4:
        raise Blocked(norm.call, "a batch_norm without the fused kernel")
    if plain:
        known = TABLE[endpoint]
        return _keras(NAME, known, given, layer, writer, named=named, frozen=norm.frozen)
    images = not norm.contrib
    text = SOURCE.format(
        tf=writer.tf,
        of=OF_IMAGES if images else "",
        when=" and len(inputs.shape) == 4" if images else "",
    )
    if any(n.norm is not None and n.norm.mixed for n in writer.walker.layers.values()):
        text = MIXED.format(tf=writer.tf, of=OF_IMAGES) if images else ""
    kept = writer.module.needed.get(NAME, text)
    if kept != text or not text:
        raise Blocked(norm.call, "batch normalizations that keep different variances")
    writer.module.need(NAME, text, ["import contextlib"] if "contextlib" in text else [])
    written = _keras(NAME, TABLE[endpoint], given, layer, writer, named=named)
    return written.removeprefix(f"{writer.tf}.keras.layers.")


def _idle(norm: Norm) -> bool:
    """Whether a batch normalization takes the averages in all runs."""
    if norm.switch is None:
        return not norm.contrib
    return isinstance(norm.switch, ast.Constant) and not norm.switch.value


def _own_collections(walker: Any) -> bool:
    """Whether the program reads a collection that it may have named itself."""
    return any(
        walker.endpoints.get(id(n.func), "").startswith(T + "get_collection")
        and not (n.args and walker.endpoints.get(id(n.args[0]), "").startswith(T + "GraphKeys."))
        for tree in walker.program()
        for n in all_of(tree, ast.Call)
    )


def _keras(
    name: str,
    known: Known,
    given: dict[str, ast.expr],
    layer: Layer,
    writer: Sources,
    *,
    named: bool,
    frozen: bool = False,
) -> str:
    text, tf = writer.text, writer.tf
    values: dict[str, str] = {}
    for argument, node in given.items():
        if isinstance(node, ast.Constant) and node.value is None:
            continue
        if argument in SKIPPED and argument not in known.arguments:
            continue
        if argument == "variables_collections" and not _own_collections(writer.walker):
            continue
        if argument == STARTS:
            for part in writer.walker.entries(node):
                start = layer.described[f"{part}_initializer"]
                values[f"{part}_initializer"] = initializers.keras(*start, text, tf)[0]
            continue
        if argument == PENALTIES:
            for part, of in writer.walker.entries(node).items():
                values[f"{part}_regularizer"] = regularizers.source(of, writer.walker, text, tf)
            continue
        new = known.arguments.get(argument)
        if new is None:
            at = _number(node)
            if argument in ("renorm", "zero_debias_moving_mean") and at is False:
                continue
            raise Blocked(node, f"`{argument}` of a normalization{reasons.of(argument)}")
        if argument.endswith("_initializer"):
            described = layer.described.get(argument)
            if described is None:
                raise Blocked(node, "an initializer that isn't seen")
            given_so = id(node) in writer.walker.kept.get(("given initializers",), ())
            source = initializers.keras(*described, text, tf)[0]
            values[new] = text.source(node) if given_so else source
        elif argument.endswith("_regularizer"):
            values[new] = regularizers.source(node, writer.walker, text, tf)
        else:
            values[new] = text.source(node)
    for argument, value in known.defaults.items():
        values.setdefault(argument, value)
    if frozen:
        values["momentum"] = "1.0"  # no run updates the averages
    if values.get("scale") == "True":
        del values["scale"]
    out = [f"{k}={v}" for k, v in values.items()]
    own = layer.given.get("name", layer.given.get("scope"))
    if named and isinstance(own, ast.Constant) and isinstance(own.value, str):
        if "/" not in own.value:
            out.append(f"name={text.source(own)}")
    return f"{tf}.keras.layers.{name}({', '.join(out)})"


def called(norm: Norm, name: str, inputs: str, writer: Sources) -> str:
    """The call of a batch normalization in the mode that TF 1 would have."""
    switch = norm.switch
    if norm.kind:
        return f"{name}({inputs})"
    if switch is None:
        return f"{name}({inputs}, training={norm.contrib})"
    if isinstance(switch, ast.Constant):
        return f"{name}({inputs}, training={bool(switch.value)})"
    said = writer.switched(switch)
    if said is not None or writer.hosted(switch):
        return f"{name}({inputs}, training={said or writer.source(switch)})"
    branches = [f"lambda: {name}({inputs}, training={on})" for on in (True, False)]
    return f"{writer.tf}.cond({writer.source(switch)}, {', '.join(branches)})"


def activated(layer: Layer, out: str, writer: Sources) -> str:
    """The activation that comes after a normalization."""
    node = layer.given.get("activation_fn")
    plain = layer.endpoint in TABLE or layer.endpoint.endswith("linear")
    if node is None:
        return out if plain else f"{writer.tf}.nn.relu({out})"
    if isinstance(node, ast.Constant) and node.value is None:
        return out
    function = writer.source(node)
    if _may_be_none(node, layer, writer):
        return f"{writer.tf}.keras.activations.get({function})({out})"
    plain = isinstance(node, (ast.Name, ast.Attribute, ast.Call))
    return f"{function}({out})" if plain else f"({function})({out})"


def _function_of(node: ast.AST, writer: Sources) -> ast.FunctionDef | None:
    tree = writer.walker.files.at(node).tree
    return function_around(tree, node) if tree is not None else None


def _may_be_none(node: ast.expr, layer: Layer, writer: Sources) -> bool:
    """Whether an activation is a parameter that is, or may be, None."""
    target = _function_of(layer.call, writer)
    if not isinstance(node, ast.Name) or target is None:
        return False
    names = [a.arg for a in target.args.args]
    if node.id not in names:
        return False
    defaults = dict(zip(reversed(names), reversed(target.args.defaults), strict=False))
    if isinstance(defaults.get(node.id), (ast.Constant, ast.IfExp)):
        return True
    for call in known_branches.every(writer.walker, target):
        value = known_branches.place(target, call, node.id)
        if isinstance(value, (ast.Constant, ast.IfExp)):
            return True
        outer = _function_of(call.func, writer)
        mine = {a.arg for a in outer.args.args} if outer is not None else set()
        if isinstance(value, ast.Name) and value.id in mine:
            return True
    return False


def _number(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None
