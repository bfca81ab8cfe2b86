"""V2 checkpoints: an index, which is a sorted table, and raw values in one or more shards.

The same files hold name-based checkpoints of TF 1, object-based ones of TF 2 and the variables of
SavedModels. tensorflow/core/protobuf/tensor_bundle.proto describes header and entries.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from migrate.checkpoints import dtypes
from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats import crc, slices, sstable, wire
from migrate.checkpoints.formats.base import (
    PIECE,
    Content,
    Reader,
    Tensor,
    Writer,
    checked_shape,
    pieces_of,
)
from migrate.checkpoints.formats.early import EarlySync

if TYPE_CHECKING:
    from migrate.checkpoints.dtypes import Array

INDEX = ".index"
_PRODUCER = 1  # of header.version; TF 1.15 and 2.21 write the same
_MOST_SHARDS = 100_000


def shard_name(prefix: str, shard: int, shards: int) -> str:
    """The file of a shard."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


@dataclass(frozen=True)
class _Entry:
    dtype: str
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    crc: int
    slices: tuple[slices.Slice, ...]


def _entry(data: bytes, what: str) -> _Entry:
    number = shard = offset = size = summed = 0
    shape: tuple[int, ...] = ()
    parts = []
    for field, value in wire.fields(data):
        if field == 1:
            number = wire.numbers(value)
        elif field == 2:
            shape = slices.shape_of(wire.views(value), what)
        elif field == 3:
            shard = wire.numbers(value)
        elif field == 4:
            offset = wire.numbers(value)
        elif field == 5:
            size = wire.numbers(value)
        elif field == 6:
            summed = wire.numbers(value)
        elif field == 7:
            parts.append(slices.parse(wire.views(value)))
    return _Entry(
        dtypes.name_of(number), checked_shape(shape, what), shard, offset, size, summed,
        tuple(parts),
    )  # fmt: skip


class BundleReader(Reader):
    """Reads by the index; every value is checked against its sum."""

    format = "v2"
    words = "a V2 checkpoint"
    checksums = True

    def __init__(self, prefix: str, *, names_only: bool = False) -> None:
        super().__init__(prefix)
        self._files: dict[int, BinaryIO] = {}
        self._entries: dict[str, _Entry] = {}
        self._parts: dict[bytes, _Entry] = {}
        self.shards = 0
        try:
            self._read_index()
            try:
                self._check_shards()
            except CheckpointError as error:
                if not names_only:
                    raise
                self.notes.append(str(error))
        except BaseException:
            self.close()
            raise

    def _read_index(self) -> None:
        path = self.path + INDEX
        table = sstable.Table(path)
        try:
            entries = iter(table)
            key, value = next(entries, (None, b""))
            if key != b"":
                raise CheckpointError(f"{path}: damaged: it has no header")
            self._header(value)
            for key, value in entries:
                if key[:1] == b"\0":
                    self._parts[key] = _entry(value, path)
                    continue
                try:
                    name = key.decode("utf-8")
                except UnicodeDecodeError:
                    raise CheckpointError(f"{path}: damaged: a name is not UTF-8") from None
                entry = _entry(value, f"{path}: {name}")
                self._entries[name] = entry
                size = entry.size
                if entry.slices:
                    size = -1
                elif entry.dtype in dtypes.SIZES:
                    expected = Tensor(name, entry.dtype, entry.shape).nbytes
                    if size != expected:
                        raise CheckpointError(
                            f"{path}: damaged: {name} has {size} bytes instead of {expected}"
                        )
                self.tensors[name] = Tensor(name, entry.dtype, entry.shape, size, len(entry.slices))
        finally:
            table.close()

    def _header(self, value: bytes) -> None:
        producer = least = 0
        for field, held in wire.fields(value):
            if field == 1:
                self.shards = wire.numbers(held)
            elif field == 2 and held:
                raise CheckpointError(
                    f"{self.path}: written on a big-endian machine, which is not read here; "
                    "TensorFlow 2 reads it and can save it anew"
                )
            elif field == 3:
                for inner, version in wire.fields(wire.views(held)):
                    if inner == 1:
                        producer = wire.numbers(version)
                    elif inner == 2:
                        least = wire.numbers(version)
        if least > _PRODUCER:
            raise CheckpointError(
                f"{self.path}: of format version {producer}, which asks for a reader of version "
                f"{least}; version {_PRODUCER} is read here"
            )
        if not 0 < self.shards <= _MOST_SHARDS:
            raise CheckpointError(f"{self.path}: damaged: it claims {self.shards} shards")

    def _check_shards(self) -> None:
        """Every shard that an entry lies in is there, and long enough."""
        needed: dict[int, int] = {}
        for entry in (*self._entries.values(), *self._parts.values()):
            if entry.slices:
                continue
            if not 0 <= entry.shard < self.shards:
                raise CheckpointError(
                    f"{self.path}{INDEX}: damaged: a tensor in shard {entry.shard} of {self.shards}"
                )
            needed[entry.shard] = max(needed.get(entry.shard, 0), entry.offset + entry.size)
        for shard, size in needed.items():
            path = shard_name(self.path, shard, self.shards)
            try:
                found = os.stat(path).st_size
            except OSError as error:
                raise CheckpointError(
                    f"{path}: {error.strerror}; {os.path.basename(self.path)}{INDEX} needs "
                    f"{len(needed)} of {self.shards} data files, and this one is missing"
                ) from None
            if found < size:
                raise CheckpointError(
                    f"{path}: cut off: it has {found} bytes, and the index needs {size}"
                )

    def close(self) -> None:
        for stream in self._files.values():
            stream.close()
        self._files.clear()

    def _stream(self, shard: int) -> BinaryIO:
        if shard not in self._files:
            path = shard_name(self.path, shard, self.shards)
            self._files[shard] = open(path, "rb", buffering=0)  # noqa: SIM115
        return self._files[shard]

    def _whole(self, name: str) -> _Entry:
        self[name]
        return self._entries[name]

    def pieces(self, name: str) -> Iterator[bytes]:
        entry = self._whole(name)
        if entry.slices:
            yield from pieces_of(self._assembled(name, entry), self.tensors[name])
        else:
            dtypes.numpy_dtype(entry.dtype)  # a resource has no values
            yield from self._raw(name, entry)

    def _raw(self, name: str, entry: _Entry) -> Iterator[bytes]:
        stream = self._stream(entry.shard)
        left, place, summed = entry.size, entry.offset, 0
        while left:
            stream.seek(place)  # another tensor may have been read in between
            data = stream.read(min(left, PIECE))
            if not data:
                raise CheckpointError(f"{self.path}: {name}: its data file is cut off")
            summed = crc.extend(summed, data)
            place += len(data)
            left -= len(data)
            if not left and crc.mask(summed) != entry.crc:
                break
            yield data
        if crc.mask(summed) != entry.crc:
            raise CheckpointError(
                f"{self.path}: {name}: damaged, or index and data are of different checkpoints: "
                "the checksum of its values is wrong"
            )

    def _assembled(self, name: str, entry: _Entry) -> Array:
        import numpy as np

        what = f"{self.path}: {name}"
        found = []
        for part in entry.slices:
            held = self._parts.get(part.key(name))
            if held is None:
                raise CheckpointError(f"{what}: damaged: a part of it is missing in the index")
            axes = part.of(entry.shape, what)
            shape = tuple(axis.stop - axis.start for axis in axes)
            if held.shape != shape or held.dtype != entry.dtype:
                raise CheckpointError(f"{what}: damaged: a part has another shape than it should")
            if held.size != Tensor(name, held.dtype, shape).nbytes:
                raise CheckpointError(f"{what}: damaged: a part has {held.size} bytes")
            found.append((axes, held))
        slices.tiles([axes for axes, _ in found], entry.shape, what)
        whole = np.empty(entry.shape, dtypes.numpy_dtype(entry.dtype))
        for axes, held in found:
            raw = np.frombuffer(b"".join(self._raw(name, held)), whole.dtype)
            whole[axes] = raw.reshape(held.shape)
        return whole

    def strings(self, name: str) -> Array:
        import numpy as np

        entry = self._whole(name)
        what = f"{self.path}: {name}"
        if entry.slices:
            raise CheckpointError(f"{what}: partitioned strings, which TensorFlow does not write")
        stream = self._stream(entry.shard)
        stream.seek(entry.offset)
        data = stream.read(entry.size)
        count = Tensor(name, entry.dtype, entry.shape).size
        if count > len(data):
            raise CheckpointError(f"{what}: damaged: too few bytes for {count} strings")
        place, summed, lengths = 0, 0, []
        for _ in range(count):
            length, place = wire.varint(data, place)
            summed = crc.extend(summed, _length_bytes(length))
            lengths.append(length)
        stored = data[place : place + 4]
        if int.from_bytes(stored, "little") != crc.mask(summed) or len(stored) != 4:
            raise CheckpointError(f"{what}: damaged: the checksum of its lengths is wrong")
        place += 4
        if place + sum(lengths) != len(data):
            raise CheckpointError(f"{what}: damaged: its strings have another length")
        if crc.mask(crc.extend(crc.extend(summed, stored), data[place:])) != entry.crc:
            raise CheckpointError(f"{what}: damaged: the checksum of its values is wrong")
        values = np.empty(count, object)
        for number, length in enumerate(lengths):
            values[number] = data[place : place + length]
            place += length
        return values.reshape(entry.shape)


def _length_bytes(length: int) -> bytes:
    return length.to_bytes(4 if length <= 0xFFFFFFFF else 8, "little")


class BundleWriter(Writer):
    """Writes values one behind the other into one shard; the index comes last."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._data: BinaryIO = open(shard_name(prefix, 0, 1), "wb", buffering=0)  # noqa: SIM115
        self._sync = EarlySync(self._data)
        self._entries: dict[bytes, bytes] = {}
        self._place = 0

    def add(self, content: Content) -> None:
        tensor = content.tensor
        if tensor.dtype == dtypes.STRING:
            size, summed = self._strings(content.array())
        else:
            size = summed = 0
            for piece in content.pieces():
                summed = crc.extend(summed, piece)
                size += len(piece)
                _write_all(self._data, piece)
                self._sync.wrote(len(piece))
            if size != tensor.nbytes:
                raise CheckpointError(
                    f"{tensor.name}: {size} bytes came for {tensor.dtype}{list(tensor.shape)}"
                )
        key = tensor.name.encode("utf-8")
        if not key or key[0] == 0 or key in self._entries:
            raise CheckpointError(f"{tensor.name!r} cannot be the name of another tensor")
        shape = b"".join(wire.block(2, wire.number(1, length)) for length in tensor.shape)
        self._entries[key] = (
            wire.number(1, dtypes.NUMBER_OF[tensor.dtype])
            + wire.block(2, shape)
            + wire.number(4, self._place)
            + wire.number(5, size)
            + wire.fixed32(6, crc.mask(summed))
        )
        self._place += size

    def _strings(self, values: Array) -> tuple[int, int]:
        items = [as_bytes(item) for item in values.reshape(-1)]
        lengths = b"".join(wire.encoded(len(item)) for item in items)
        summed = 0
        for item in items:
            summed = crc.extend(summed, _length_bytes(len(item)))
        stored = crc.mask(summed).to_bytes(4, "little")
        body = b"".join(items)
        _write_all(self._data, lengths + stored + body)
        summed = crc.extend(crc.extend(summed, stored), body)
        return len(lengths) + 4 + len(body), summed

    def finish(self) -> None:
        self._sync.finish()
        version = wire.block(3, wire.number(1, _PRODUCER))
        entries = [(b"", wire.number(1, 1) + version), *sorted(self._entries.items())]
        with open(self._prefix + INDEX, "wb") as stream:
            sstable.write(stream, iter(entries))
            sync(stream)

    def close(self) -> None:
        self._sync.done()
        self._data.close()


def as_bytes(item: object) -> bytes:
    """An element of a tensor of strings."""
    return item if isinstance(item, bytes) else str(item).encode("utf-8")


def sync(stream: BinaryIO) -> None:
    """Bring a file to the disk, so that no rename comes before its content."""
    stream.flush()
    os.fsync(stream.fileno())


def _write_all(stream: BinaryIO, data: bytes) -> None:
    """Write everything, also where one call of the system takes less."""
    written = stream.write(data)
    while written < len(data):
        written += stream.write(memoryview(data)[written:])
