"""Whether predictions are whole numbers: TF 1's metrics of classes cast others first.

`tf.metrics.accuracy` casts predictions to the labels' type, so that a probability of 0.9 is class
0; `precision`, `recall` and the counts take all that isn't 0 for true. Keras compares them as they
are, or with 0.5.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/ops/metrics_impl.py
"""

from __future__ import annotations

import ast

from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.scopes import Binding

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
# Predictions of canned Estimators that are numbers of classes.
CLASSES = frozenset({"class_ids", "all_class_ids"})


def cast(program: Program, kind: str, parts: dict[str, ast.expr]) -> str:
    """What predictions are cast to before they are taken in; nothing where that changes nothing."""
    predicted, labels = parts.get("predictions"), parts.get("labels")
    if predicted is None or labels is None:
        return ""
    if kind == "accuracy":
        return "{labels}.dtype" if _level(program, predicted, 0) == UNKNOWN else ""
    if kind in COUNTS:
        return "{tf}.bool" if _level(program, predicted, 0) < NATURAL else ""
    return ""


def _level(program: Program, node: ast.expr, depth: int) -> int:
    """How whole the numbers of a tensor are seen to be."""
    if depth > 20:
        return UNKNOWN
    if isinstance(node, ast.Name):
        found = program.scopes.lookup(node)
        every = [found] if found is not None else program.scopes.bindings(node.id, node)
        if found is not None and found.kind == "param":
            return _given(program, node.id, found, depth)
        return min(
            (
                _level(program, b.value, depth + 1)
                if b.kind == "assign" and b.value is not None
                else _part(program, b.value, b.place)
                for b in every
            ),
            default=UNKNOWN,
        )
    if isinstance(node, ast.Compare):
        kept = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
        return NATURAL if all(isinstance(op, kept) for op in node.ops) else UNKNOWN
    if isinstance(node, ast.Constant):
        return NATURAL if isinstance(node.value, int) and node.value >= 0 else UNKNOWN
    if isinstance(node, ast.Attribute):
        return _part(program, node.value, 1) if node.attr == "indices" else UNKNOWN
    if isinstance(node, ast.Subscript):
        return _item(program, node, depth)
    return _made(program, node, depth) if isinstance(node, ast.Call) else UNKNOWN


def _part(program: Program, node: ast.expr | None, place: int) -> int:
    """How whole a part is of what a call gives."""
    value = program.scopes.value(node) if node is not None else None
    endpoint = program.called(value) if value is not None else ""
    return NATURAL if PARTS.get(endpoint) == place else UNKNOWN


def _given(program: Program, name: str, found: Binding, depth: int) -> int:
    """Of what all calls give a parameter, those too that a TPUEstimatorSpec has beside it."""
    function = found.scope
    if not isinstance(function, ast.FunctionDef) or isinstance(
        program.scopes.scope(function), ast.ClassDef
    ):
        return UNKNOWN
    names = [a.arg for a in function.args.args]
    levels: list[int] = []
    for use in program.readers(function):
        above = program.scopes.parents[id(use)]
        given: dict[str, ast.expr] = {}
        if isinstance(above, ast.Call) and above.func is use:
            given = dict(zip(names, above.args, strict=False))
            given |= {str(k.arg): k.value for k in above.keywords}
        elif isinstance(above, ast.Tuple) and len(above.elts) == 2 and above.elts[0] is use:
            said = above.elts[1]
            if isinstance(said, (ast.List, ast.Tuple)):
                given = dict(zip(names, said.elts, strict=False))
            elif isinstance(said, ast.Dict):
                pairs = zip(said.keys, said.values, strict=True)
                given = {str(k.value): v for k, v in pairs if isinstance(k, ast.Constant)}
        levels.append(_level(program, given[name], depth + 1) if name in given else UNKNOWN)
    return min(levels, default=UNKNOWN)


def _item(program: Program, node: ast.Subscript, depth: int) -> int:
    """Of a tensor's part; of what a dict has under a key."""
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    if not isinstance(key, str):
        if isinstance(key, int) and (known := _part(program, node.value, key)):
            return known
        return _level(program, node.value, depth + 1)
    value = program.scopes.value(node.value)
    if isinstance(value, ast.Dict):
        pairs = zip(value.keys, value.values, strict=True)
        found = [v for k, v in pairs if isinstance(k, ast.Constant) and k.value == key]
        return _level(program, found[-1], depth + 1) if found else UNKNOWN
    owner = program.scopes.lookup(node.value)
    canned = owner is not None and owner.kind == "param" and key in CLASSES
    return NATURAL if canned else UNKNOWN


def _made(program: Program, node: ast.Call, depth: int) -> int:
    """Of what a call gives."""
    endpoint = program.called(node)
    if not endpoint:
        return _returned(program, node, depth)
    name = endpoint.removeprefix("tensorflow.").removeprefix("math.")
    given = list(program.given(node).values())
    first = given[0] if given else None
    if name in NATURALS:
        return NATURAL
    if first is None:
        return UNKNOWN
    level = _level(program, first, depth + 1)
    if name in ROUNDED or name in CAST:
        to = program.endpoint(given[1]).rpartition(".")[2] if name == "cast" and given[1:] else ""
        if to == "bool":
            return NATURAL
        if name == "cast" and to not in INTEGERS:
            return level
        value = program.scopes.value(first)
        positive = program.called(value).removeprefix("tensorflow.") in POSITIVE
        return NATURAL if positive or level == NATURAL else WHOLE
    if name in WHOLES:
        return WHOLE
    if name == "where" and len(given) == 3:
        return min(_level(program, g, depth + 1) for g in given[1:])
    return level if name in TAKEN else UNKNOWN


def _returned(program: Program, node: ast.Call, depth: int) -> int:
    """Of what a function of the program returns."""
    function = program.scopes.function(node.func)
    if function is None:
        return UNKNOWN
    returns = [s for s in program.scopes.walk() if isinstance(s, ast.Return)]
    values = [s.value for s in returns if program.scopes.scope(s) is function]
    return min(
        (_level(program, v, depth + 1) if v is not None else UNKNOWN for v in values),
        default=UNKNOWN,
    )


__all__ = ["cast"]
