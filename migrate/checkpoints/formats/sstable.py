"""Sorted tables of LevelDB: V1 checkpoints, and the index of V2 ones.

https://github.com/google/leveldb/blob/main/doc/table_format.md; TensorFlow's copy differs in
nothing that is on disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats import crc, snappy
from migrate.checkpoints.formats.wire import encoded, varint

MAGIC = bytes.fromhex("57fb808b247547db")
FOOTER = 48
_TRAILER = 5
_BLOCK = 256 << 10
_RESTART_EVERY = 16


class Table:
    """A table opened for reading; each block is checked against its sum when it is read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: BinaryIO = open(path, "rb")  # noqa: SIM115
        try:
            self._size = os.fstat(self._file.fileno()).st_size
            self._index = self._blocks_of_index()
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _blocks_of_index(self) -> list[tuple[int, int]]:
        if self._size < FOOTER:
            raise CheckpointError(f"{self.path}: damaged: {self._size} bytes are no table")
        self._file.seek(self._size - FOOTER)
        footer = self._file.read(FOOTER)
        if footer[-8:] != MAGIC:
            raise CheckpointError(f"{self.path}: damaged: no table, or one that is cut off")
        _, place = varint(footer, 0)
        _, place = varint(footer, place)
        offset, place = varint(footer, place)
        size, _ = varint(footer, place)
        found = []
        for _, handle in self._entries(offset, size):
            start, place = varint(handle, 0)
            length, place = varint(handle, place)
            if place != len(handle):
                raise CheckpointError(f"{self.path}: damaged: the index of its blocks")
            found.append((start, length))
        return found

    def _block(self, offset: int, size: int) -> bytes:
        if offset + size + _TRAILER > self._size - FOOTER:
            raise CheckpointError(f"{self.path}: damaged: a block lies outside of the file")
        self._file.seek(offset)
        data = self._file.read(size + _TRAILER)
        if len(data) != size + _TRAILER:
            raise CheckpointError(f"{self.path}: damaged: a block is cut off")
        summed = crc.mask(crc.extend(0, data[: size + 1]))
        if summed != int.from_bytes(data[size + 1 :], "little"):
            raise CheckpointError(f"{self.path}: damaged: the checksum of a block is wrong")
        kind = data[size]
        if kind == 0:
            return data[:size]
        if kind == 1:
            return snappy.decompress(data[:size])
        raise CheckpointError(f"{self.path}: damaged: a block is compressed in way {kind}")

    def _entries(self, offset: int, size: int) -> Iterator[tuple[bytes, bytes]]:
        block = self._block(offset, size)
        if len(block) < 4:
            raise CheckpointError(f"{self.path}: damaged: a block is too short")
        restarts = int.from_bytes(block[-4:], "little")
        end = len(block) - 4 * (restarts + 1)
        if end < 0:
            raise CheckpointError(f"{self.path}: damaged: a block's restarts")
        key, place = b"", 0
        while place < end:
            shared, place = varint(block, place)
            fresh, place = varint(block, place)
            length, place = varint(block, place)
            if shared > len(key) or place + fresh + length > end:
                raise CheckpointError(f"{self.path}: damaged: an entry of a block")
            key = key[:shared] + block[place : place + fresh]
            place += fresh
            yield key, block[place : place + length]
            place += length

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        """All entries in order of their keys."""
        last: bytes | None = None
        for offset, size in self._index:
            for key, value in self._entries(offset, size):
                if last is not None and key <= last:
                    raise CheckpointError(f"{self.path}: damaged: entries out of order")
                last = key
                yield key, value

    def places(self) -> Iterator[tuple[bytes, tuple[int, int]]]:
        """Keys with the block that each lies in, for ``within``; values are not kept."""
        for handle in self._index:
            for key, _ in self._entries(*handle):
                yield key, handle

    def within(self, handle: tuple[int, int], wanted: bytes) -> bytes:
        """The value of a key in a block that ``places`` gave."""
        for key, value in self._entries(*handle):
            if key == wanted:
                return value
        raise CheckpointError(f"{self.path}: changed while it was read")


def write(stream: BinaryIO, entries: Iterator[tuple[bytes, bytes]]) -> None:
    """Write a table; entries come in order of their keys."""
    builder = _Builder()
    index = _Builder(every=1)
    place = 0
    for key, value in entries:
        builder.add(key, value)
        if builder.size >= _BLOCK:
            place = _flush(stream, builder, index, place)
            builder = _Builder()
    if builder.count:
        place = _flush(stream, builder, index, place)
    meta = encoded(place) + encoded(_put(stream, _Builder().done()))
    place = stream.tell()
    last = encoded(place) + encoded(_put(stream, index.done()))
    stream.write((meta + last).ljust(FOOTER - len(MAGIC), b"\0") + MAGIC)


def _flush(stream: BinaryIO, builder: _Builder, index: _Builder, place: int) -> int:
    size = _put(stream, builder.done())
    index.add(builder.last, encoded(place) + encoded(size))
    return place + size + _TRAILER


def _put(stream: BinaryIO, block: bytes) -> int:
    kind = b"\0"
    stream.write(block + kind + crc.mask(crc.extend(0, block + kind)).to_bytes(4, "little"))
    return len(block)


def _common(one: bytes, other: bytes) -> int:
    """How many bytes two keys begin with together."""
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    return shared


class _Builder:
    """A block in the making: keys share beginnings, whole ones stand at restarts."""

    def __init__(self, every: int = _RESTART_EVERY) -> None:
        self._every = every
        self._data = bytearray()
        self._restarts = [0]
        self.count = 0
        self.last = b""

    @property
    def size(self) -> int:
        return len(self._data)

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self.count and self.count % self._every == 0:
            self._restarts.append(len(self._data))
        elif self.count:
            shared = _common(key, self.last)
        self._data += encoded(shared) + encoded(len(key) - shared) + encoded(len(value))
        self._data += key[shared:] + value
        self.last = key
        self.count += 1

    def done(self) -> bytes:
        ends = b"".join(place.to_bytes(4, "little") for place in self._restarts)
        return bytes(self._data) + ends + len(self._restarts).to_bytes(4, "little")
