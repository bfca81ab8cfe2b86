"""Partitioned variables: parts of a tensor, the keys they are filed under, the whole of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats import wire

if TYPE_CHECKING:
    from migrate.checkpoints.dtypes import Array

FULL = -1


@dataclass(frozen=True)
class Slice:
    """(start, length) of every axis; a length of -1 is the whole axis."""

    extents: tuple[tuple[int, int], ...]

    def of(self, shape: Sequence[int], what: str) -> tuple[slice, ...]:
        """The part of an array of this shape.

        Raises:
            CheckpointError: there is no such part.
        """
        found = []
        if len(self.extents) != len(shape):
            raise CheckpointError(f"{what}: damaged: a part has another rank than the whole")
        for (start, length), size in zip(self.extents, shape, strict=True):
            if length == FULL:
                start, length = 0, size
            if start < 0 or length < 0 or start + length > size:
                raise CheckpointError(f"{what}: damaged: a part lies outside of the whole")
            found.append(slice(start, start + length))
        return tuple(found)

    def key(self, name: str) -> bytes:
        """What the part is filed under: ordered code, as in tensorflow/core/lib/strings."""
        text = name.encode("utf-8").replace(b"\xff", b"\xff\0").replace(b"\0", b"\0\xff")
        parts = [_unsigned(0), text, b"\0\x01", _unsigned(len(self.extents))]
        for start, length in self.extents:
            parts += [_signed(start), _signed(length)]
        return b"".join(parts)


def parse(data: memoryview) -> Slice:
    """A TensorSliceProto."""
    extents = []
    for number, value in wire.fields(data):
        if number == 1:
            start, length = 0, FULL
            for inner, held in wire.fields(wire.views(value)):
                if inner == 1:
                    start = wire.signed(wire.numbers(held))
                elif inner == 2:
                    length = wire.signed(wire.numbers(held))
            extents.append((start, length))
    return Slice(tuple(extents))


def shape_of(data: memoryview, what: str) -> tuple[int, ...]:
    """A TensorShapeProto.

    Raises:
        CheckpointError: an unknown rank.
    """
    sizes = []
    for number, value in wire.fields(data):
        if number == 2:
            size = 0
            for inner, held in wire.fields(wire.views(value)):
                if inner == 1:
                    size = wire.signed(wire.numbers(held))
            sizes.append(size)
        elif number == 3 and value:
            raise CheckpointError(f"{what}: damaged: a shape of unknown rank")
    return tuple(sizes)


def tiles(parts: Sequence[tuple[slice, ...]], shape: Sequence[int], what: str) -> None:
    """Check that parts make up the whole, each element once.

    Raises:
        CheckpointError: they leave something out, or overlap.
    """
    sizes = [math.prod(part.stop - part.start for part in axes) for axes in parts]
    filled = [axes for axes, size in zip(parts, sizes, strict=True) if size]
    for place, one in enumerate(filled):
        for other in filled[:place]:
            if all(a.start < b.stop and b.start < a.stop for a, b in zip(one, other, strict=True)):
                raise CheckpointError(f"{what}: damaged: parts of it overlap")
    if sum(sizes) != math.prod(shape):
        raise CheckpointError(f"{what}: damaged: parts of it are missing")


def assemble(parts: Sequence[tuple[tuple[slice, ...], Array]], shape: tuple[int, ...]) -> Array:
    """The whole from its parts."""
    import numpy as np

    whole = np.empty(shape, parts[0][1].dtype)
    for axes, values in parts:
        whole[axes] = values
    return whole


def _unsigned(value: int) -> bytes:
    data = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return bytes([len(data)]) + data


def _signed(value: int) -> bytes:
    length = (~value if value < 0 else value).bit_length() // 7 + 1
    data = bytearray(value.to_bytes(10, "big", signed=True)[10 - length :])
    header = ((1 << length) - 1) << (16 - length)  # as many ones as there are bytes
    data[0] ^= header >> 8
    if length > 1:
        data[1] ^= header & 0xFF
    return bytes(data)
