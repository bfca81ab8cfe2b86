"""Decompress Snappy's raw format, which V1 checkpoints and old index files use.

https://github.com/google/snappy/blob/main/format_description.txt
"""

from __future__ import annotations

from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats.wire import varint

# A copy of at most 64 bytes takes at least two: no block grows by more.
_RATIO = 64


def decompress(data: bytes) -> bytes:
    """The original bytes.

    Raises:
        CheckpointError: no such data.
    """
    size, place = varint(data, 0)
    if size > _RATIO * len(data):
        raise CheckpointError("damaged: a compressed block claims more than it can hold")
    out = bytearray()
    end = len(data)
    while place < end:
        tag = data[place]
        place += 1
        kind = tag & 3
        if kind == 0:
            length = tag >> 2
            if length >= 60:
                extra = length - 59
                length = int.from_bytes(data[place : place + extra], "little")
                place += extra
            length += 1
            if place + length > end:
                raise CheckpointError("damaged: a compressed block is cut off")
            out += data[place : place + length]
            place += length
            continue
        width = (1, 2, 4)[kind - 1]
        if place + width > end:
            raise CheckpointError("damaged: a compressed block is cut off")
        if kind == 1:
            length = ((tag >> 2) & 7) + 4
            offset = ((tag >> 5) << 8) | data[place]
        else:
            length = (tag >> 2) + 1
            offset = int.from_bytes(data[place : place + width], "little")
        place += width
        start = len(out) - offset
        if offset == 0 or start < 0:
            raise CheckpointError("damaged: a compressed block refers to nothing")
        if offset >= length:
            out += out[start : start + length]
        else:  # the copy reads what it writes
            pattern = bytes(out[start:])
            out += (pattern * (length // offset + 1))[:length]
        if len(out) > size:
            break
    if len(out) != size:
        raise CheckpointError("damaged: a compressed block has another length than it says")
    return bytes(out)
