"""V1 checkpoints: one sorted table per shard, values as protocol buffers inside of it.

What `tf.train.Saver` wrote before TF 0.12, and writes with `write_version=tf.train.SaverDef.V1`.
tensorflow/core/util/saved_tensor_slice.proto describes the entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrate.checkpoints import dtypes
from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats import slices, sstable, wire
from migrate.checkpoints.formats.base import Reader, Tensor, checked_shape, pieces_of

if TYPE_CHECKING:
    from migrate.checkpoints.dtypes import Array

# field of TensorProto -> how its values are packed
_FIXED = {5: "<f4", 6: "<f8", 9: "<c8", 12: "<c16"}
_VARINTS = (7, 10, 11, 13, 16, 17)
_STRINGS = 8
_FIELD_OF = {
    "float32": 5, "float64": 6, "int32": 7, "uint8": 7, "int16": 7, "int8": 7, "uint16": 7,
    "qint8": 7, "quint8": 7, "qint16": 7, "quint16": 7, "qint32": 7, "string": 8, "complex64": 9,
    "int64": 10, "bool": 11, "complex128": 12, "float16": 13, "bfloat16": 13, "uint32": 16,
    "uint64": 17,
}  # fmt: skip

_Handle = tuple[sstable.Table, tuple[int, int]]


class V1Reader(Reader):
    """Reads a table, or all tables of a sharded checkpoint."""

    format = "v1"
    words = "a V1 checkpoint"
    checksums = True

    def __init__(self, path: str, shards: list[str]) -> None:
        super().__init__(path)
        self._tables: list[sstable.Table] = []
        self._slices: dict[str, list[slices.Slice]] = {}
        self._places: dict[bytes, _Handle] = {}
        self.shards = len(shards)
        try:
            for shard in shards:
                table = sstable.Table(shard)
                self._tables.append(table)
                self._read_meta(table)
        except BaseException:
            self.close()
            raise
        self.tensors = dict(sorted(self.tensors.items()))
        for name, parts in self._slices.items():
            for part in parts:
                if part.key(name) not in self._places:
                    raise CheckpointError(f"{path}: {name}: damaged: a part of it is missing")

    def _read_meta(self, table: sstable.Table) -> None:
        header = False
        for key, handle in table.places():
            if key:
                self._places[key] = (table, handle)
                continue
            header = True
            for field, value in wire.fields(table.within(handle, key)):
                if field == 1:
                    self._meta(wire.views(value))
        if not header:
            raise CheckpointError(f"{table.path}: damaged: it has no list of its tensors")

    def _meta(self, data: memoryview) -> None:
        for field, value in wire.fields(data):
            if field != 1:
                continue
            name, number = "", 0
            shape: tuple[int, ...] = ()
            parts: list[slices.Slice] = []
            for inner, held in wire.fields(wire.views(value)):
                if inner == 1:
                    name = wire.texts(held)
                elif inner == 2:
                    shape = slices.shape_of(wire.views(held), self.path)
                elif inner == 3:
                    number = wire.numbers(held)
                elif inner == 4:
                    parts.append(slices.parse(wire.views(held)))
            dtype = dtypes.name_of(number)
            if dtype not in _FIELD_OF:
                raise CheckpointError(f"{self.path}: {name}: damaged: V1 holds no {dtype}")
            known = self.tensors.get(name)
            if known is not None and (known.dtype, known.shape) != (dtype, shape):
                raise CheckpointError(
                    f"{self.path}: {name}: its shards are of different checkpoints"
                )
            held_parts = self._slices.setdefault(name, [])
            held_parts += parts
            count = len(held_parts) if len(held_parts) > 1 else 0
            self.tensors[name] = Tensor(
                name, dtype, checked_shape(shape, name), 0 if dtype == "string" else -1, count
            )

    def close(self) -> None:
        for table in self._tables:
            table.close()

    def pieces(self, name: str) -> Iterator[bytes]:
        tensor = self[name]
        yield from pieces_of(self._values(name), tensor)

    def read(self, name: str) -> Array:
        return self._values(name)

    def strings(self, name: str) -> Array:
        return self._values(name)

    def _values(self, name: str) -> Array:
        tensor = self[name]
        what = f"{self.path}: {name}"
        parts = []
        for part in self._slices[name]:
            axes = part.of(tensor.shape, what)
            shape = tuple(axis.stop - axis.start for axis in axes)
            table, handle = self._places[part.key(name)]
            values = self._slice(table.within(handle, part.key(name)), tensor, shape, what)
            parts.append((axes, values))
        slices.tiles([axes for axes, _ in parts], tensor.shape, what)
        if len(parts) == 1:
            return parts[0][1]
        return slices.assemble(parts, tensor.shape)

    def _slice(self, data: bytes, tensor: Tensor, shape: tuple[int, ...], what: str) -> Array:
        for field, value in wire.fields(data):
            if field != 2:
                continue
            for inner, held in wire.fields(wire.views(value)):
                if inner == 3:
                    return tensor_values(wire.views(held), tensor.dtype, shape, what)
        raise CheckpointError(f"{what}: damaged: an entry without values")


def tensor_values(data: memoryview, dtype: str, shape: tuple[int, ...], what: str) -> Array:
    """The values of a TensorProto whose dtype and shape are known."""
    import numpy as np

    wanted = _FIELD_OF[dtype]
    size = Tensor("", dtype, shape).size
    found: list[Array] = []
    texts: list[bytes] = []
    for field, value in wire.fields(data):
        if field == 1 and dtypes.name_of(wire.numbers(value)) != dtype:
            raise CheckpointError(f"{what}: damaged: values of another dtype")
        if field != wanted:
            continue
        if field == _STRINGS:
            texts.append(bytes(wire.views(value)))
        elif isinstance(value, int):
            raise CheckpointError(f"{what}: damaged: values that are not packed")
        elif field in _FIXED:
            form = np.dtype(_FIXED[field])
            if len(value) % form.itemsize:
                raise CheckpointError(f"{what}: damaged: values are cut off")
            found.append(np.frombuffer(value, form))
        else:
            found.append(_varints(value, what))
    if wanted == _STRINGS:
        values = np.empty(len(texts), object)
        values[:] = texts
    else:
        values = np.concatenate(found) if found else np.empty(0, np.int64)
    if len(values) != size:
        raise CheckpointError(f"{what}: damaged: {len(values)} values instead of {size}")
    if dtype in ("float16", "bfloat16"):
        values = values.astype(np.uint16).view(dtypes.numpy_dtype(dtype))
    return values.astype(dtypes.numpy_dtype(dtype), copy=False).reshape(shape)


def _varints(data: memoryview, what: str) -> Array:
    """Many base-128 integers at once, as int64 (uint64 wraps)."""
    import numpy as np

    raw = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(raw < 0x80)
    if not len(raw):
        return np.empty(0, np.int64)
    if not len(ends) or ends[-1] != len(raw) - 1:
        raise CheckpointError(f"{what}: damaged: a number that does not end")
    starts = np.concatenate([np.zeros(1, ends.dtype), ends[:-1] + 1])
    lengths = ends - starts
    if lengths.max() > 9:
        raise CheckpointError(f"{what}: damaged: a number of more than ten bytes")
    values = np.zeros(len(ends), np.uint64)
    for byte in range(int(lengths.max()) + 1):
        rows = np.flatnonzero(lengths >= byte)
        part = (raw[starts[rows] + byte] & 0x7F).astype(np.uint64)
        values[rows] |= part << np.uint64(7 * byte)
    return values.view(np.int64)
