"""TensorFlow's dtypes: their numbers in protocol buffers, and what NumPy calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from migrate.checkpoints.errors import CheckpointError, need

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]
    NumpyDType = np.dtype[Any]

# tensorflow/core/framework/types.proto; numbers over 100 are references to the same
NUMBERS = {
    1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 7: "string",
    8: "complex64", 9: "int64", 10: "bool", 11: "qint8", 12: "quint8", 13: "qint32",
    14: "bfloat16", 15: "qint16", 16: "quint16", 17: "uint16", 18: "complex128", 19: "float16",
    20: "resource", 21: "variant", 22: "uint32", 23: "uint64", 24: "float8_e5m2",
    25: "float8_e4m3fn", 29: "int4", 30: "uint4",
}  # fmt: skip
NUMBER_OF = {name: number for number, name in NUMBERS.items()}
STRING = "string"
# Held as integers of their width: NumPy knows no quantized types.
QUANTIZED = {
    "qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32",
}  # fmt: skip
EXTENDED = ("bfloat16", "float8_e5m2", "float8_e4m3fn", "int4", "uint4")
SIZES = {
    "float32": 4, "float64": 8, "int32": 4, "uint8": 1, "int16": 2, "int8": 1, "complex64": 8,
    "int64": 8, "bool": 1, "qint8": 1, "quint8": 1, "qint32": 4, "bfloat16": 2, "qint16": 2,
    "quint16": 2, "uint16": 2, "complex128": 16, "float16": 2, "uint32": 4, "uint64": 8,
    "float8_e5m2": 1, "float8_e4m3fn": 1, "int4": 1, "uint4": 1,
}  # fmt: skip
FLOATS = ("float16", "bfloat16", "float32", "float64", "float8_e5m2", "float8_e4m3fn")


def name_of(number: int) -> str:
    """The dtype with this number.

    Raises:
        CheckpointError: TensorFlow has no such dtype.
    """
    found = NUMBERS.get(number - 100 if number > 100 else number)
    if found is None:
        raise CheckpointError(f"dtype number {number} is not one of TensorFlow's")
    return found


def numpy_dtype(name: str) -> NumpyDType:
    """The NumPy dtype that holds a dtype's values, little-endian."""
    import numpy as np

    if name == STRING:
        return np.dtype(object)
    if name in EXTENDED:
        try:
            import ml_dtypes
        except ImportError:
            raise need("ml_dtypes", f"dtype {name}") from None
        extended: NumpyDType = np.dtype(getattr(ml_dtypes, name))
        return extended
    if name not in SIZES:
        raise CheckpointError(f"dtype {name} has no values that could be read")
    return np.dtype(QUANTIZED.get(name, name)).newbyteorder("<")


def of_numpy(dtype: NumpyDType) -> str:
    """TensorFlow's name for a NumPy dtype.

    Raises:
        CheckpointError: TensorFlow has none.
    """
    if dtype.kind in "OSUT":
        return STRING
    name = dtype.newbyteorder("=").name
    if name not in SIZES:
        raise CheckpointError(f"NumPy dtype {dtype} has no counterpart in TensorFlow")
    return name


def to_bytes(array: Array) -> Array:
    """The same memory as bytes, for values whose rows lie one behind the other."""
    import numpy as np

    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
