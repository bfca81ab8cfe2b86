"""`tf.keras.layers.GRU`, LSTM and SimpleRNN in a model_fn, with what TF 1.15.5 takes for granted.

    GRU(8)(x)       tf.keras.layers.GRU(8, recurrent_activation=hard_sigmoid, reset_after=False)

Keras 3 has another `hard_sigmoid`, and other defaults for gates.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/keras/layers/GRU
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.estimator import K

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.layers import Layers

KNOWN = frozenset({f"{K}GRU", f"{K}LSTM", f"{K}SimpleRNN"})
HARD = "hard_sigmoid"
SOURCE = '''def hard_sigmoid(x):
    """The gates of TF 1's recurrent layers: a sigmoid of three straight lines."""
    return {tf}.clip_by_value(0.2 * x + 0.5, 0.0, 1.0)
'''
PLAIN = frozenset({"relu", "tanh", "sigmoid", "linear", "softmax", "elu", "selu", None})
# Arguments whose meaning is the same; those of `OFF` where they are off.
SAME = frozenset(
    {"units", "use_bias", "unit_forget_bias", "return_sequences", "go_backwards", "unroll", "name"}
)
OFF = frozenset({"dropout", "recurrent_dropout", "stateful", "return_state"})
SAID = frozenset({"input_shape", "input_dim", "batch_input_shape", "input_length"})


def source(owner: Layers, made: ast.Call) -> str:
    """The source of a layer.

    Raises:
        Blocked: an argument may mean something else in Keras 3.
    """
    name = owner.program.called(made).rpartition(".")[2]
    if len(made.args) > 1 or any(isinstance(a, ast.Starred) for a in made.args):
        raise Blocked(made, f"the arguments of tf.keras.layers.{name}")
    for node in walk(owner.function):
        if isinstance(node, ast.keyword) and node.arg in ("mask_zero", "mask"):
            raise Blocked(node.value, f"a mask beside tf.keras.layers.{name}")
    parts = [owner.text.source(a) for a in made.args]
    given = {k.arg: k.value for k in made.keywords}
    for argument, node in given.items():
        if argument in SAID:
            continue
        parts.append(f"{argument}={_value(owner, name, argument, node)}")
    if name != "SimpleRNN" and "recurrent_activation" not in given:
        parts.append(f"recurrent_activation={_hard(owner)}")
    if name == "GRU" and "reset_after" not in given:
        parts.append("reset_after=False")
    return " ".join(f"{owner.tf}.keras.layers.{name}({', '.join(parts)})".split())


def _value(owner: Layers, name: str, argument: str | None, node: ast.expr) -> str:
    """What an argument is given."""
    said = node.value if isinstance(node, ast.Constant) else ...
    if argument in ("activation", "recurrent_activation") and said == HARD:
        return _hard(owner)
    known = (
        argument in SAME
        or (argument in OFF and said in (0, None))
        or (argument in ("activation", "recurrent_activation") and said in PLAIN)
        or (argument == "reset_after" and said is False and name == "GRU")
    )
    if not known:
        raise Blocked(node, f"`{argument}` of tf.keras.layers.{name}")
    return str(owner.text.source(node))


def _hard(owner: Layers) -> str:
    owner.need(HARD, SOURCE)
    return HARD
