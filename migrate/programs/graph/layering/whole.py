"""Whether predictions are whole numbers: TF 1's metrics of classes cast others first.

`tf.metrics.accuracy` casts predictions to the labels' type, so that a probability of 0.9 is class
0; `precision`, `recall` and the counts take all that isn't 0 for true. Keras compares them as they
are, or with 0.5.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/ops/metrics_impl.py
"""

from __future__ import annotations

import ast
from typing import Protocol

COUNTS = frozenset(
    {"precision", "recall", "true_positives", "true_negatives"}
    | {"false_positives", "false_negatives"}
)
UNKNOWN, WHOLE, NATURAL = 0, 1, 2  # whole numbers that may be negative, or not
NATURALS = frozenset(
    {"argmax", "argmin", "equal", "not_equal", "greater", "greater_equal", "less", "less_equal"}
    | {"logical_and", "logical_or", "logical_not", "logical_xor", "ones", "zeros", "ones_like"}
    | {"zeros_like", "is_nan", "is_finite", "nn.in_top_k", "sequence_mask"}
)
ROUNDED = frozenset({"round", "rint", "floor", "ceil"})
WHOLES = frozenset({"sign"})
# What has only numbers that it was given.
TAKEN = frozenset(
    {"reshape", "squeeze", "expand_dims", "identity", "stop_gradient", "gather", "gather_nd"}
    | {"boolean_mask", "transpose", "slice", "reduce_max", "reduce_min", "tile", "to_float"}
    | {"reverse_sequence", "to_double"}
)
POSITIVE = frozenset({"sigmoid", "nn.sigmoid", "nn.softmax", "abs", "nn.relu", "exp", "square"})
CAST = frozenset({"cast", "to_int32", "to_int64"})
INTEGERS = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16"})
# What gives several tensors: which of them are numbers of classes.
PARTS = {"tensorflow.nn.top_k": 1, "tensorflow.contrib.crf.crf_decode": 0}


class Known(Protocol):
    """What a program knows of its expressions."""

    def called(self, node: ast.expr) -> str:
        """The endpoint that an expression calls."""

    def endpoint(self, node: ast.expr) -> str:
        """The endpoint that an expression is."""

    def given(self, call: ast.Call) -> dict[str, ast.expr]:
        """The arguments of a call, by their names."""

    def value(self, node: ast.expr) -> ast.expr:
        """An expression, or what the name that it is was given."""

    def level(self, node: ast.expr, depth: int) -> int:
        """How whole a name is, what a dict has under a key, or what a function returns."""


def cast(known: Known, kind: str, labels: ast.expr | None, predicted: ast.expr | None) -> str:
    """What predictions are cast to before they are taken in; nothing where that changes nothing."""
    if predicted is None or labels is None:
        return ""
    if kind == "accuracy":
        return "{labels}.dtype" if level(known, predicted) == UNKNOWN else ""
    return "{tf}.bool" if kind in COUNTS and level(known, predicted) < NATURAL else ""


def written(to: str, tf: str, labels: tuple[ast.expr, str], predictions: str) -> str:
    """The source of predictions that are cast to that."""
    node, said = labels
    plain = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    return f"{tf}.cast({predictions}, {to.format(tf=tf, labels=said if plain else f'({said})')})"


def level(known: Known, node: ast.expr, depth: int = 0) -> int:
    """How whole the numbers of a tensor are seen to be."""
    if depth > 20:
        return UNKNOWN
    if isinstance(node, ast.Compare):
        kept = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
        return NATURAL if all(isinstance(op, kept) for op in node.ops) else UNKNOWN
    if isinstance(node, ast.Constant):
        return NATURAL if isinstance(node.value, int) and node.value >= 0 else UNKNOWN
    if isinstance(node, ast.Attribute) and node.attr == "indices":
        return part(known, node.value, 1)
    if isinstance(node, ast.Subscript):
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(key, int) and part(known, node.value, key):
            return NATURAL
        if not isinstance(key, str):
            return level(known, node.value, depth + 1)
    if isinstance(node, ast.Call) and known.called(node):
        return _made(known, node, depth)
    return known.level(node, depth + 1)


def part(known: Known, node: ast.expr | None, place: int) -> int:
    """How whole a part is of what a call gives."""
    value = known.value(node) if node is not None else None
    endpoint = known.called(value) if value is not None else ""
    return NATURAL if PARTS.get(endpoint) == place else UNKNOWN


def _made(known: Known, node: ast.Call, depth: int) -> int:
    """How whole that is what an op gives."""
    name = known.called(node).removeprefix("tensorflow.").removeprefix("math.")
    given = known.given(node)
    to = known.endpoint(given["dtype"]).rpartition(".")[2] if "dtype" in given else ""
    parts = [v for k, v in given.items() if k not in ("dtype", "name", "axis", "shape")]
    if name in NATURALS or (name in ("cast", "placeholder") and to == "bool"):
        return NATURAL
    if name == "placeholder" and to in INTEGERS:
        return WHOLE
    if not parts:
        return UNKNOWN
    if name == "where" and {"condition", "x", "y"} <= given.keys():
        return min(level(known, given[k], depth + 1) for k in ("x", "y"))
    found = level(known, parts[0], depth + 1)
    if name in ROUNDED or name in CAST:
        if name == "cast" and to not in INTEGERS:
            return found
        value = known.value(parts[0])
        positive = known.called(value).removeprefix("tensorflow.") in POSITIVE
        return NATURAL if positive or found == NATURAL else WHOLE
    if name in WHOLES:
        return WHOLE
    return found if name in TAKEN else UNKNOWN
