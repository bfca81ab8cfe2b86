"""A variable scope's regularizer, which each variable of a layer inside gets.

TF 1's layers make their variables by `get_variable`, which takes the scope's regularizer where it
is given none; that of the layer comes on top.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/layers/base.py
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.scoping import scopes

CONTRIB = T + "contrib.layers."
KINDS = ("dense", *(f"conv{d}d" for d in (1, 2, 3)), "conv2d_transpose", "conv3d_transpose")
# Layers of a kernel and a bias: their regularizers' names.
NAMES = {T + "layers." + kind: ("kernel_regularizer", "bias_regularizer") for kind in KINDS} | {
    CONTRIB + kind: ("weights_regularizer", "biases_regularizer")
    for kind in ("fully_connected", "linear", "relu", *KINDS[1:])
}


def given(walker: Any, name: str, node: ast.Call, arguments: dict[str, ast.expr]) -> None:
    """A layer's arguments get the regularizer of the scopes around it.

    Raises:
        Blocked: its variables are others, or it has one of its own.
    """
    value = scopes.default(walker, "regularizer", node)
    if value is None:
        return
    names = NAMES.get(name)
    own = [arguments[k] for k in (*(names or ()), "normalizer_fn") if k in arguments]
    if names is None or any(not isinstance(v, ast.Constant) or v.value is not None for v in own):
        raise Blocked(node, "a variable scope gives this its `regularizer`")
    arguments.update(dict.fromkeys(names, value))
