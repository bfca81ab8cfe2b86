"""What functions ask for by name, the code that stands for it, and checkpoints with names."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.layering.layers import CONTRIB

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

INIT = "tensorflow.train.init_from_checkpoint"
SCAFFOLD = "tensorflow.train.Scaffold"
SCOPE, GET = "tensorflow.variable_scope", "tensorflow.get_variable"
CURRENT = "tensorflow.get_variable_scope"
LOOKUP = "tensorflow.nn.embedding_lookup"
NORM = "tensorflow.contrib.layers.layer_norm"
BATCH_NORM = "tensorflow.layers.batch_normalization"
CONTRIB_NORM = f"{CONTRIB}batch_norm"
LAYERS = "tensorflow.layers."
_MADE = (
    *("activation", "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer"),
    *("bias_regularizer", "trainable", "name", "reuse"),
)
_CONV = ("inputs", "filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate")
_POOL = ("inputs", "pool_size", "strides", "padding", "data_format", "name")
_CONTRIB = (
    *("weights_initializer", "weights_regularizer", "biases_initializer", "biases_regularizer"),
    *("reuse", "trainable", "scope"),
)
_WINDOWS = ("inputs", "kernel_size", "stride", "padding", "data_format", "scope")
# How many arguments of contrib's functions have the places that they have here.
PLACES = {
    "contrib_dense": 3,
    "contrib_conv": 8,
    "contrib_batch_norm": 6,
    "contrib_max_pool": 5,
    "contrib_mean_pool": 5,
    "contrib_flatten": 1,
    "contrib_dropout": 4,
}
# What is asked for by name: the function that stands for it, and the arguments that it takes.
KNOWN: dict[str, tuple[str, tuple[str, ...]]] = {
    SCOPE: ("named_scope", ("name_or_scope", "default_name", "values", "reuse")),
    GET: ("named_weight", ("name", "shape", "dtype", "initializer", "regularizer", "trainable")),
    f"{LAYERS}dense": ("named_dense", ("inputs", "units", *_MADE)),
    f"{LAYERS}conv1d": ("named_conv", (*_CONV, *_MADE)),
    f"{LAYERS}conv2d": ("named_conv", (*_CONV, *_MADE)),
    f"{LAYERS}conv2d_transpose": ("named_deconv", (*_CONV[:-1], *_MADE)),
    BATCH_NORM: (
        "named_batch_norm",
        (
            *("inputs", "axis", "momentum", "epsilon", "center", "scale", "training", "name"),
            *("reuse", "fused"),
        ),
    ),
    f"{LAYERS}dropout": (
        "switched_dropout",
        ("inputs", "rate", "noise_shape", "seed", "training", "name"),
    ),
    f"{LAYERS}max_pooling1d": ("max_pooled", _POOL),
    f"{LAYERS}max_pooling2d": ("max_pooled", _POOL),
    f"{LAYERS}average_pooling1d": ("mean_pooled", _POOL),
    f"{LAYERS}average_pooling2d": ("mean_pooled", _POOL),
    f"{LAYERS}flatten": ("flattened", ("inputs", "name")),
    f"{CONTRIB}fully_connected": (
        "contrib_dense",
        ("inputs", "num_outputs", "activation_fn", *_CONTRIB),
    ),
    f"{CONTRIB}conv2d": (
        "contrib_conv",
        (
            *("inputs", "num_outputs", "kernel_size", "stride", "padding", "data_format", "rate"),
            *("activation_fn", *_CONTRIB),
        ),
    ),
    CONTRIB_NORM: (
        "contrib_batch_norm",
        (
            *("inputs", "decay", "center", "scale", "epsilon", "activation_fn", "is_training"),
            *("updates_collections", "reuse", "scope"),
        ),
    ),
    f"{CONTRIB}max_pool2d": ("contrib_max_pool", _WINDOWS),
    f"{CONTRIB}avg_pool2d": ("contrib_mean_pool", _WINDOWS),
    f"{CONTRIB}flatten": ("contrib_flatten", ("inputs", "scope")),
    f"{CONTRIB}dropout": (
        "contrib_dropout",
        ("inputs", "keep_prob", "noise_shape", "is_training", "scope"),
    ),
    NORM: ("named_layer_norm", ("inputs", "begin_norm_axis", "begin_params_axis", "scope")),
}
# Those of them that have weights.
WEIGHED = frozenset(
    {"named_weight", "named_dense", "named_conv", "named_deconv", "named_batch_norm"}
    | {"named_layer_norm", "contrib_dense", "contrib_conv", "contrib_batch_norm"}
)
IMPORTS = ("import collections", "import contextlib", "import math", "import os")
# `Checkpointed` with checkpoints by name, and with what the model begins with.
CHECKPOINTS = re.compile(
    r"            variables = \[v\.value.*?\n            \)\n(?=        latest)", re.DOTALL
)
RESTORED = "            self.manager.checkpoint.restore(latest).assert_consumed()\n"
BEGINS = (
    "            self.manager.restore(latest)\n",
    "        elif latest is None and self.restored is None:\n            self.begin()\n",
)
SAVES = "    def save_checkpoint(self):\n"
BY_ITSELF = '''    def begin(self):
        """Give the weights what they begin with: here what initializers made."""
'''
CALLED = (
    "            tf.function(self.__call__).get_concrete_function(features)\n",
    "            # Training asks for all weights; `call` may give objects that no graph returns.\n"
    "            asked = tf.function(lambda batch: self(batch, training=True) is None)\n"
    "            asked.get_concrete_function(features)\n",
)


@cache
def sources() -> dict[str, str]:
    text = Path(__file__).with_name("named_code.txt").read_text(encoding="utf-8")
    return dict(part.partition("\n")[::2] for part in text.split("=== ")[1:])


def imports(source: str) -> tuple[str, ...]:
    """What code that stands for names imports."""
    return tuple(line for line in IMPORTS if f"{line.removeprefix('import ')}." in source)


def checkpointed(source: str, *, begins: bool, both: bool = False) -> str:
    """`Checkpointed` whose checkpoints have names; ``begins``: with those of another one.

    ``both``: models that do, and others that begin with what initializers make.
    """
    if both:
        source = source.replace(SAVES, f"{BY_ITSELF}\n{SAVES}", 1)
    if both or not begins:
        assert CALLED[0] in source
        source = source.replace(*CALLED)
    source, count = CHECKPOINTS.subn(
        "            self.manager = NamedCheckpoints(self)\n", source, count=1
    )
    assert count == 1
    assert RESTORED in source
    source = source.replace(RESTORED, BEGINS[0])
    mark = "            self.restored = latest\n"
    return source.replace(mark, mark + BEGINS[1], 1) if begins or both else source


def begins(program: Program, function: ast.AST) -> bool:
    """Whether a model_fn begins with the values of a checkpoint."""
    return any(program.called(n) == INIT for n in walk(function))


def scaffolds(program: Program, owner: ast.FunctionDef) -> bool:
    """Whether a `scaffold_fn` only does what the model_fn does without TPUs."""
    found = []
    for node in walk(owner):
        if isinstance(node, ast.FunctionDef) and node is not owner:
            said = [program.called(n) for n in walk(node)]
            if SCAFFOLD in said:
                found.append(node)
    if len(found) != 1 or len(found[0].body) != 2 or found[0].args.args:
        return False
    first, last = found[0].body
    if not isinstance(first, ast.Expr) or not isinstance(last, ast.Return):
        return False
    plain = isinstance(last.value, ast.Call) and not (last.value.args or last.value.keywords)
    return plain and program.called(first.value) == INIT
