"""``tf.Variable([.3], tf.float32)``: a type where TF 1 takes whether the variable is trained.

So the first "Getting started" of TensorFlow had it. A type is true: the variable is trained, with
the type of its value.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.wording.spelled import Source, Spelled

TYPES = frozenset(
    f"{T}{kind}{size}"
    for kind, sizes in {"float": (16, 32, 64), "int": (8, 16, 32, 64), "uint": (8,)}.items()
    for size in sizes
)


def check(walker: Any, name: str, node: ast.Call) -> None:
    """See whether a variable's second argument is a type.

    Raises:
        Spelled: it is, and goes.
    """
    if (
        name != T + "Variable"
        or len(node.args) != 2
        or walker.endpoints.get(id(node.args[1])) not in TYPES
    ):
        return

    def written(source: Source) -> str:
        given = [source(node.args[0]), *(f"{k.arg}={source(k.value)}" for k in node.keywords)]
        return f"{source(node.func)}({', '.join(given)})"

    if all(k.arg is not None for k in node.keywords):
        raise Spelled(node, "a type as `trainable`", [(node, written)])
