"""`tf.contrib.layers` regularizers as Keras's: TF 1 halves the squares that it adds up.

https://keras.io/api/layers/regularizers/
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.programs.graph.walk import Walker
from migrate.rewriters.sessions.text import Text

KERAS = "tensorflow.keras.regularizers."


def source(node: ast.expr, walker: Walker, text: Text, tf: str) -> str:
    """A regularizer's source: what is made here, or a function or object by its name.

    Raises:
        Blocked: it has no counterpart.
    """
    known = walker.regularizers.get(id(node))
    if known is None:
        if isinstance(node, (ast.Name, ast.Attribute, ast.Lambda)):
            return text.source(node)
        raise Blocked(node, "a regularizer that isn't seen")
    return keras(*known, text, tf)


def keras(endpoint: str, given: dict[str, ast.expr], text: Text, tf: str) -> str:
    """The Keras regularizer that an endpoint's call is."""
    if endpoint.startswith(KERAS):
        return _of_keras(endpoint.removeprefix(KERAS), given, text, tf)
    name = endpoint.rpartition(".")[2].removesuffix("_regularizer")
    l1, l2 = given.get("scale_l1"), given.get("scale_l2")
    if name == "l1":
        l1 = given.get("scale")
    elif name == "l2":
        l2 = given.get("scale")
    parts = []
    if l1 is not None:
        parts.append(("l1", text.source(l1)))
    if l2 is not None:
        parts.append(("l2", _half(l2, text)))
    if not parts:
        raise Blocked(ast.Pass(lineno=1, col_offset=0), "a regularizer without a scale")
    if name != "l1_l2":
        return f"{tf}.keras.regularizers.{name.upper()}({parts[0][1]})"
    return f"{tf}.keras.regularizers.L1L2({', '.join(f'{k}={v}' for k, v in parts)})"


def _of_keras(name: str, given: dict[str, ast.expr], text: Text, tf: str) -> str:
    """One of Keras's own, whose functions have other words and defaults in TF 1."""
    default = "0.0" if name == "L1L2" else "0.01"
    if name in ("l1", "l2"):
        said = text.source(given["l"]) if "l" in given else default
        return f"{tf}.keras.regularizers.{name.upper()}({said})"
    if name not in ("l1_l2", "L1L2"):
        raise Blocked(ast.Pass(lineno=1, col_offset=0), "a regularizer of Keras that isn't seen")
    parts = (f"{n}={text.source(given[n]) if n in given else default}" for n in ("l1", "l2"))
    return f"{tf}.keras.regularizers.L1L2({', '.join(parts)})"


def _half(node: ast.expr, text: Text) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return repr(node.value / 2)
    simple = isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return f"0.5 * {text.source(node)}" if simple else f"0.5 * ({text.source(node)})"
