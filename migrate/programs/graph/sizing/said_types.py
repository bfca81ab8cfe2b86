"""Types that a call says of its tensor: ``tf.count_nonzero(x, 1, dtype=tf.int32)``."""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Symbol
from migrate.programs.graph.sizing import static_dims

# The argument that says it, what is so without it, and that of a dimension that goes.
SAYING = {
    "cast": ("dtype", "", ""),
    "count_nonzero": ("dtype", "int64", "axis"),
    "math.count_nonzero": ("dtype", "int64", "axis"),
    "argmax": ("output_type", "int64", "axis"),
    "math.argmax": ("output_type", "int64", "axis"),
    "argmin": ("output_type", "int64", "axis"),
    "math.argmin": ("output_type", "int64", "axis"),
}
TYPES = ("float32", "int32", "int64", "bool")


def of(walker: Any, symbol: Symbol) -> tuple[str, str] | None:
    """The rank of a tensor, as a shape, and its type by its name in TensorFlow.

    None where its statement doesn't say.
    """
    match symbol.step.node:
        case ast.Assign([ast.Name() | ast.Attribute()], ast.Call() as call):
            pass
        case _:
            return None
    endpoint = walker.endpoints.get(id(call.func), "")
    argument, dtype, axis = SAYING.get(endpoint.removeprefix(T), ("", "", ""))
    given = walker.bound(endpoint, call) if argument else {}
    first = next((given[name] for name in ("input", "input_tensor", "x") if name in given), None)
    shape = static_dims.dims(walker, first, None) if first is not None else None
    if shape is None:
        return None
    if axis:
        gone = given.get(axis)
        kept = {"keepdims", "keep_dims"} & set(given)
        if kept or not (isinstance(gone, ast.Constant) and type(gone.value) is int):
            return None
        shape = shape[1:]
    if argument in given:
        dtype = walker.endpoints.get(id(given[argument]), "").removeprefix(T)
    if dtype not in TYPES:
        return None
    return f"[{', '.join(['None'] * len(shape))}]", dtype
