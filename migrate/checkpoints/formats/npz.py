"""NumPy's npz: a zip of arrays; what NumPy has no dtype for is named in one more entry.

``NAMES`` holds JSON as an array of bytes: name → dtype, and for strings that end in a zero byte
their lengths. No pickle is read or written.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any, BinaryIO

from migrate.checkpoints import dtypes
from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats.base import (
    PIECE,
    Content,
    Reader,
    Tensor,
    Writer,
    checked_shape,
    pieces_of,
)
from migrate.checkpoints.formats.bundle import as_bytes
from migrate.checkpoints.formats.early import EarlySync

if TYPE_CHECKING:
    from migrate.checkpoints.dtypes import Array

NAMES = "migrate:dtypes"
_DEFLATE = 1040  # deflate packs no tighter: more is a bomb
_HEADER = 30  # of an entry, before its name
_DESCRIPTOR = 24  # at most, behind an entry whose sizes were not known before
_MOST_NOTES = 64 << 20
READ_ERRORS = (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, OSError, RuntimeError)


def opened(path: str) -> zipfile.ZipFile:
    """A zip whose entries claim no more than they can hold.

    Raises:
        CheckpointError: it is none.
    """
    try:
        archive = zipfile.ZipFile(path)
    except READ_ERRORS as error:
        raise CheckpointError(f"{path}: damaged, or no zip file: {error}") from None
    place = 0
    for info in sorted(archive.infolist(), key=lambda info: info.header_offset):
        # The list of entries has no checksum: without gaps nothing has fallen out of it.
        if not place <= info.header_offset <= place + _DESCRIPTOR * bool(info.flag_bits & 8):
            archive.close()
            raise CheckpointError(f"{path}: damaged: entries are missing before {info.filename!r}")
        place = info.header_offset + _entry_size(archive, info)
        if info.file_size > _DEFLATE * max(info.compress_size, 1) or info.flag_bits & 1:
            archive.close()
            raise CheckpointError(f"{path}: damaged: the entry {info.filename!r}")
    if not place <= archive.start_dir <= place + _DESCRIPTOR:
        archive.close()
        raise CheckpointError(f"{path}: damaged: entries are missing at its end")
    return archive


def _entry_size(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> int:
    """Bytes of an entry with its header."""
    stream = archive.fp
    assert stream is not None
    stream.seek(info.header_offset + _HEADER - 4)
    lengths = stream.read(4)
    name, extra = (int.from_bytes(lengths[n : n + 2], "little") for n in (0, 2))
    return _HEADER + name + extra + info.compress_size


class NpzReader(Reader):
    """Reads the arrays' headers; values when asked for, checked by the zip's sums."""

    format = "npz"
    words = "an npz file"
    checksums = True

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._zip = opened(path)
        self._infos: dict[str, tuple[zipfile.ZipInfo, int, bool, Any]] = {}
        self._lengths: dict[str, list[int]] = {}
        try:
            self._read_headers()
        except BaseException:
            self._zip.close()
            raise

    def close(self) -> None:
        self._zip.close()

    def _read_headers(self) -> None:
        notes: dict[str, Any] = {}
        for info in self._zip.infolist():
            name = info.filename
            if not name.endswith(".npy"):
                raise CheckpointError(f"{self.path}: {name!r} is no array")
            name = name[: -len(".npy")]
            if name in self._infos:
                raise CheckpointError(f"{self.path}: damaged: {name!r} twice")
            try:
                with self._zip.open(info) as stream:
                    shape, fortran, dtype = _header(stream)
                    place = stream.tell()
            except READ_ERRORS as error:
                raise CheckpointError(f"{self.path}: damaged: {name}: {error}") from None
            if dtype.hasobject:
                raise CheckpointError(
                    f"{self.path}: {name} holds Python objects, which only a pickle can; "
                    "pickles are never read"
                )
            size = Tensor(name, "int8", checked_shape(shape, name)).size * dtype.itemsize
            if place + size != info.file_size:
                raise CheckpointError(f"{self.path}: damaged: {name} has another size")
            self._infos[name] = (info, place, fortran, dtype)
            if name == NAMES:
                notes = self._notes_of(size)
                continue
            self.tensors[name] = Tensor(name, "void", shape, size)
        for name, tensor in list(self.tensors.items()):
            dtype = self._infos[name][3]
            noted = notes.get(name)
            if isinstance(noted, dict):
                self._lengths[name] = noted.get("lengths", [])
                noted = noted.get("dtype")
            if noted is None:
                noted = dtypes.of_numpy(dtype)
            if noted not in dtypes.NUMBER_OF or (
                dtypes.SIZES.get(noted, dtype.itemsize) != dtype.itemsize
            ):
                raise CheckpointError(f"{self.path}: damaged: {name} is said to be {noted!r}")
            size = tensor.nbytes if noted == dtypes.STRING else -1
            self.tensors[name] = Tensor(name, noted, tensor.shape, size)

    def _notes_of(self, size: int) -> dict[str, Any]:
        if size > _MOST_NOTES:
            raise CheckpointError(f"{self.path}: damaged: its list of dtypes")
        try:
            found = json.loads(b"".join(self._raw(NAMES)).rstrip(b"\0"))
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise CheckpointError(f"{self.path}: damaged: its list of dtypes")
        return found

    def _raw(self, name: str) -> Iterator[bytes]:
        info, place, _, _ = self._infos[name]
        try:
            with self._zip.open(info) as stream:
                stream.read(place)
                while data := stream.read(PIECE):
                    yield data
        except READ_ERRORS as error:
            raise CheckpointError(f"{self.path}: damaged: {name}: {error}") from None

    def pieces(self, name: str) -> Iterator[bytes]:
        tensor = self[name]
        dtypes.numpy_dtype(tensor.dtype)
        _, _, fortran, dtype = self._infos[name]
        if not fortran and dtype.byteorder != ">":
            yield from self._raw(name)
            return
        import numpy as np

        raw = np.frombuffer(b"".join(self._raw(name)), dtype)
        array = raw.reshape(tensor.shape, order="F" if fortran else "C")
        native = array.astype(array.dtype.newbyteorder("<"), copy=False)
        yield from pieces_of(_as(native, tensor.dtype), tensor)

    def strings(self, name: str) -> Array:
        import numpy as np

        tensor = self[name]
        _, _, fortran, dtype = self._infos[name]
        raw = np.frombuffer(b"".join(self._raw(name)), dtype)
        raw = raw.reshape(tensor.shape, order="F" if fortran else "C")
        values = np.empty(tensor.size, object)
        values[:] = [
            item.encode("utf-8") if isinstance(item, str) else bytes(item)
            for item in raw.reshape(-1).tolist()
        ]
        lengths = self._lengths.get(name)
        if lengths:
            if len(lengths) != tensor.size or not all(
                isinstance(n, int) and len(v) <= n <= dtype.itemsize
                for n, v in zip(lengths, values, strict=False)
            ):
                raise CheckpointError(f"{self.path}: damaged: {name}: lengths of its strings")
            values[:] = [v.ljust(n, b"\0") for n, v in zip(lengths, values, strict=True)]
        return values.reshape(tensor.shape)


def _as(array: Array, dtype: str) -> Array:
    wanted = dtypes.numpy_dtype(dtype)
    return array if array.dtype == wanted else array.view(wanted)


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, Any]:
    """Shape, whether columns come first, dtype."""
    import numpy as np

    major, minor = np.lib.format.read_magic(stream)
    if (major, minor) == (1, 0):
        return np.lib.format.read_array_header_1_0(stream)
    if (major, minor) == (2, 0):
        return np.lib.format.read_array_header_2_0(stream)
    raise ValueError(f"array format {major}.{minor} is not read here")


class NpzWriter(Writer):
    """Writes an entry per tensor, uncompressed."""

    def __init__(self, path: str, tensors: list[Tensor]) -> None:
        self._file: BinaryIO = open(path, "wb")  # noqa: SIM115
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_STORED, allowZip64=True)
        self._sync = EarlySync(self._file)
        self._notes: dict[str, Any] = {}
        if any(tensor.name == NAMES for tensor in tensors):
            raise CheckpointError(f"an npz file cannot hold a tensor named {NAMES!r}")

    def add(self, content: Content) -> None:
        import numpy as np

        tensor = content.tensor
        if tensor.dtype == dtypes.STRING:
            self._put(tensor.name, *self._fixed(tensor.name, content.array()))
            return
        dtype = dtypes.numpy_dtype(tensor.dtype)
        if dtypes.of_numpy(dtype) in dtypes.EXTENDED:
            dtype = np.dtype(f"u{dtype.itemsize}").newbyteorder("<")
        if dtypes.of_numpy(dtype) != tensor.dtype:
            self._notes[tensor.name] = tensor.dtype
        self._put(tensor.name, tensor.shape, dtype, content.pieces())

    def _fixed(self, name: str, values: Array) -> tuple[tuple[int, ...], Any, Iterator[bytes]]:
        """Strings as NumPy has them: of one width, filled up with zero bytes."""
        import numpy as np

        items = [as_bytes(item) for item in values.reshape(-1)]
        width = max((len(item) for item in items), default=0) or 1
        if any(item.endswith(b"\0") for item in items):
            self._notes[name] = {"dtype": dtypes.STRING, "lengths": [len(item) for item in items]}
        return values.shape, np.dtype(f"S{width}"), (item.ljust(width, b"\0") for item in items)

    def _put(self, name: str, shape: tuple[int, ...], dtype: Any, data: Iterator[bytes]) -> None:
        import numpy as np

        info = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
        with self._zip.open(info, "w", force_zip64=True) as stream:
            described = {
                "descr": np.lib.format.dtype_to_descr(dtype),
                "fortran_order": False,
                "shape": shape,
            }
            np.lib.format.write_array_header_1_0(stream, described)
            for piece in data:
                stream.write(piece)
                self._sync.wrote(len(piece))

    def finish(self) -> None:
        import numpy as np

        if self._notes:
            text = json.dumps(self._notes, sort_keys=True).encode()
            self._put(NAMES, (), np.dtype(f"S{len(text)}"), iter([text]))
        self._zip.close()
        self._sync.finish()

    def close(self) -> None:
        self._sync.done()
        self._zip.close()
        self._file.close()
