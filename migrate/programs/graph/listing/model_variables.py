"""slim's lists of variables: those of its layers, all, and those that are trained.

`get_model_variables()` has what layers of `tf.contrib.layers` have made, averages included, and
nothing else; the others are TensorFlow's own lists.

https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/contrib/framework/get_model_variables
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked

LISTS = tuple(
    home + name
    for home in (T + "contrib.slim.", T + "contrib.framework.")
    for name in ("get_model_variables", "get_variables", "get_trainable_variables")
)


def of(walker: Any, entries: list[Any], node: ast.AST) -> list[Any]:
    """Those that slim's layers have made.

    Raises:
        Blocked: a function has made some of these and others.
    """
    found = []
    for entry in entries:
        said = _said(walker, entry)
        if len(said) > 1:
            raise Blocked(node, "slim's variables and others, which one function has made")
        if said == {True}:
            found.append(entry)
    return found


def _said(walker: Any, entry: Any) -> set[bool]:
    """Whether what was made is slim's; both where a function has made such and others."""
    layer = walker.layers.get(id(entry.layer))
    if layer is None:
        return {False}
    if layer.factory is None:
        return {layer.endpoint.startswith(T + "contrib.layers.")}
    owned = walker.entered[id(layer.factory)].owned
    return {said for inner in owned for said in _said(walker, inner)}
