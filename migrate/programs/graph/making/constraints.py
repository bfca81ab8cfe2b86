"""Constraints of variables: `tf.keras.constraints` and functions, which Keras's optimizers apply.

TF 1's optimizers apply them after each update, too.
https://keras.io/api/layers/constraints/
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.made import Layer, family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value

KERAS = T + "keras.constraints."
NAMES = (
    *("MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm"),
    *("max_norm", "min_max_norm", "non_neg", "unit_norm"),
)


@family(*(KERAS + name for name in NAMES))
def _constraint(walker: Any, name: str, node: ast.Call) -> Value:
    walker.arguments(node)
    return Value(Kind.HOST, node=node)


def check(walker: Any, node: ast.expr) -> None:
    """See that a constraint means the same whenever it is called.

    Raises:
        Blocked: it reads what may be something else by then.
    """
    if isinstance(node, ast.Call) and walker.endpoints.get(id(node.func), "").startswith(KERAS):
        return
    if isinstance(node, ast.Lambda):
        own = {a.arg for a in all_of(node, ast.arg)}
        known = {*own, *walker.files.at(node).aliases(), "np", "numpy"}
        if all(n.id in known for n in all_of(node, ast.Name)):
            return
    raise Blocked(node, "a constraint that isn't one of Keras's or a lambda of TensorFlow's")


def has(layer: Layer) -> bool:
    """Whether a layer has one."""
    return any(
        name.endswith("_constraint") and not (isinstance(v, ast.Constant) and v.value is None)
        for name, v in layer.given.items()
    )
