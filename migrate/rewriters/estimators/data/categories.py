"""`to_categorical` of labels: Keras 3 gives float64, TF 1.15.5 gave float32.

https://keras.io/api/utils/python_utils/
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import READERS, Program

ENDPOINTS = (
    "tensorflow.keras.utils.to_categorical",
    "tensorflow.contrib.keras.utils.to_categorical",
)


def categorical(program: Program, call: ast.Call) -> None:
    """Give the rows the type that they had.

    Raises:
        Blocked: the call says another type, or hides its arguments.
    """
    if any(isinstance(a, ast.Starred) for a in call.args) or len(call.args) > 2:
        raise Blocked(call, "these arguments of to_categorical")
    given = [program.source(a) for a in call.args]
    for keyword in call.keywords:
        if keyword.arg not in ("y", "num_classes"):
            raise Blocked(call, "these arguments of to_categorical")
        name = "x" if keyword.arg == "y" else keyword.arg
        given.append(f"{name}={program.source(keyword.value)}")
    made = f"{program.tf}.keras.utils.to_categorical({', '.join(given)})"
    program.edit(call, f'{made}.astype("float32")', "float32, as it was")


READERS.update(dict.fromkeys(ENDPOINTS, categorical))
