"""Just enough of the protocol buffer wire format to read event files and SavedModels.

The tool's process never imports TensorFlow; the two messages are small and frozen.
https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
DT_FLOAT, DT_DOUBLE, DT_INT32, DT_INT64 = 1, 2, 3, 9
DTYPES = {
    1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 7: "string",
    8: "complex64", 9: "int64", 10: "bool", 14: "bfloat16", 17: "uint16", 18: "complex128",
    19: "float16", 20: "resource", 21: "variant", 22: "uint32", 23: "uint64",
}  # fmt: skip


class WireError(ValueError):
    """The bytes are no message of the expected kind."""


def varint(data: bytes, place: int) -> tuple[int, int]:
    """A base-128 integer and the place after it."""
    result = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise WireError(f"a truncated integer at byte {place}")
        byte = data[place]
        place += 1
        result |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return result, place
        shift += 7


def fields(data: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    """Fields of a message: (number, wire type, value)."""
    place = 0
    while place < len(data):
        key, place = varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, place = varint(data, place)
            yield number, kind, value
            continue
        if kind == BYTES:
            size, place = varint(data, place)
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
        else:
            raise WireError(f"wire type {kind} at byte {place}")
        if place + size > len(data):
            raise WireError(f"a truncated field at byte {place}")
        yield number, kind, data[place : place + size]
        place += size


def message(data: bytes, number: int) -> list[bytes]:
    """All length-delimited values of one field."""
    return [
        value for key, kind, value in fields(data) if key == number and isinstance(value, bytes)
    ]


def text(data: bytes, number: int) -> str:
    """The last value of a string field, or an empty string."""
    values = message(data, number)
    return values[-1].decode("utf-8", errors="replace") if values else ""


def records(data: bytes) -> Iterator[bytes]:
    """Records of a TFRecord file; a last one that is cut off ends the iteration."""
    place = 0
    while place + 12 <= len(data):
        (size,) = struct.unpack_from("<Q", data, place)
        if place + 16 + size > len(data):
            return
        yield data[place + 12 : place + 12 + size]
        place += 16 + size


@dataclass
class Scalars:
    """A summary tag: its values with their steps."""

    steps: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)


def event_scalars(data: bytes) -> dict[str, Scalars]:
    """Scalars of an event file by tag, ``simple_value`` of TF 1 and tensors of TF 2 alike."""
    found: dict[str, Scalars] = {}
    for record in records(data):
        step = 0
        for number, _, value in fields(record):
            if number == 2 and isinstance(value, int):
                step = value if value < 1 << 63 else value - (1 << 64)
        for summary in message(record, 5):
            for item in message(summary, 1):
                scalar = _scalar(item)
                if scalar is not None:
                    tag = found.setdefault(text(item, 1), Scalars())
                    tag.steps.append(step)
                    tag.values.append(scalar)
    return found


def _scalar(item: bytes) -> float | None:
    for number, kind, value in fields(item):
        if number == 2 and kind == FIXED32 and isinstance(value, bytes):
            return float(struct.unpack("<f", value)[0])
        if number == 8 and isinstance(value, bytes):
            return _tensor_scalar(value)
    return None


def _tensor_scalar(tensor: bytes) -> float | None:
    dtype, content, floats = 0, b"", None
    for number, kind, value in fields(tensor):
        if number == 1 and isinstance(value, int):
            dtype = value
        elif number == 2 and isinstance(value, bytes) and message(value, 2):
            return None
        elif number == 4 and isinstance(value, bytes):
            content = value
        elif number in (5, 6) and isinstance(value, bytes):
            form = "<f" if number == 5 else "<d"
            if kind in (FIXED32, FIXED64) or len(value) == struct.calcsize(form):
                floats = float(struct.unpack(form, value)[0])
    form = {DT_FLOAT: "<f", DT_DOUBLE: "<d", DT_INT32: "<i", DT_INT64: "<q"}.get(dtype, "")
    if content and form and len(content) == struct.calcsize(form):
        return float(struct.unpack(form, content)[0])
    return floats


def signatures(data: bytes) -> dict[str, dict[str, dict[str, str]]]:
    """Signatures of ``saved_model.pb``: name → inputs and outputs → key → ``dtype[shape]``."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for meta_graph in message(data, 2):
        for entry in message(meta_graph, 5):
            definition = message(entry, 2)
            if definition:
                found[text(entry, 1)] = {
                    "inputs": _tensors(definition[-1], 1),
                    "outputs": _tensors(definition[-1], 2),
                }
    return found


def _tensors(definition: bytes, number: int) -> dict[str, str]:
    found = {}
    for entry in message(definition, number):
        info = message(entry, 2)
        if info:
            found[text(entry, 1)] = _info(info[-1])
    return found


def _info(info: bytes) -> str:
    dtype, shape = "?", "unknown"
    for number, _, value in fields(info):
        if number == 2 and isinstance(value, int):
            dtype = DTYPES.get(value, str(value))
        elif number == 3 and isinstance(value, bytes):
            sizes = []
            for dimension in message(value, 2):
                size = 0
                for key, _, number_of in fields(dimension):
                    if key == 1 and isinstance(number_of, int):
                        size = number_of if number_of < 1 << 63 else number_of - (1 << 64)
                sizes.append("?" if size < 0 else str(size))
            shape = "[" + ", ".join(sizes) + "]"
    return f"{dtype}{shape}"
