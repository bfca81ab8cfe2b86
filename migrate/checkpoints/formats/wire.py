"""The protocol buffer wire format: fields of a message, and messages from fields.

https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Iterator

from migrate.checkpoints.errors import CheckpointError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def varint(data: bytes | memoryview, place: int) -> tuple[int, int]:
    """A base-128 integer and the place behind it."""
    result = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise CheckpointError(f"damaged: a number that does not end at byte {place}")
        byte = data[place]
        place += 1
        result |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return result, place
        shift += 7


def signed(value: int) -> int:
    """A varint as int64."""
    return value if value < 1 << 63 else value - (1 << 64)


def fields(data: bytes | memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """(number, value) of every field; what has a length is a view of ``data``."""
    view = memoryview(data)
    place, end = 0, len(view)
    while place < end:
        key, place = varint(view, place)
        kind = key & 7
        if kind == VARINT:
            value, place = varint(view, place)
            yield key >> 3, value
            continue
        if kind == BYTES:
            size, place = varint(view, place)
        elif kind == FIXED64:
            size = 8
        elif kind == FIXED32:
            size = 4
        else:
            raise CheckpointError(f"damaged: no field has wire type {kind}")
        if place + size > end:
            raise CheckpointError("damaged: a field is cut off")
        if kind == BYTES:
            yield key >> 3, view[place : place + size]
        else:
            yield key >> 3, int.from_bytes(view[place : place + size], "little")
        place += size


def texts(value: int | memoryview) -> str:
    """A string field.

    Raises:
        CheckpointError: not UTF-8, or no string.
    """
    try:
        return bytes(views(value)).decode("utf-8")
    except UnicodeDecodeError:
        raise CheckpointError("damaged: a name is not UTF-8") from None


def views(value: int | memoryview) -> memoryview:
    """A field that has a length."""
    if isinstance(value, int):
        raise CheckpointError("damaged: a number where a message should be")
    return value


def numbers(value: int | memoryview) -> int:
    """A field that is a number."""
    if not isinstance(value, int):
        raise CheckpointError("damaged: a message where a number should be")
    return value


# -- writing --------


def encoded(value: int) -> bytes:
    """A base-128 integer; negative ones as int64."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append((value & 0x7F) | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    """A varint field; nothing for 0, as proto3 has it."""
    return encoded(field << 3) + encoded(value) if value else b""


def fixed32(field: int, value: int) -> bytes:
    """A fixed32 field; nothing for 0."""
    return encoded(field << 3 | FIXED32) + value.to_bytes(4, "little") if value else b""


def block(field: int, value: bytes | str) -> bytes:
    """A field with a length, present even if empty."""
    data = value.encode("utf-8") if isinstance(value, str) else value
    return encoded(field << 3 | BYTES) + encoded(len(data)) + data


def string(field: int, value: str) -> bytes:
    """A string field; nothing for the empty one."""
    return block(field, value) if value else b""
