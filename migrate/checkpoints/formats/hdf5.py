"""HDF5 files of Keras: ``.weights.h5``, and the older layouts as far as they are arrays by name."""

from __future__ import annotations

import json
import os
import select
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from migrate.checkpoints import dtypes
from migrate.checkpoints.errors import CheckpointError, need
from migrate.checkpoints.formats.base import Content, Reader, Tensor, Writer, checked_shape
from migrate.checkpoints.formats.bundle import as_bytes

if TYPE_CHECKING:
    from migrate.checkpoints.dtypes import Array

SIGNATURE = b"\x89HDF\r\n\x1a\n"
_CHILD = Path(__file__).with_name("hdf5_child.py")
_PATIENCE = 120.0  # seconds without a sign of life
_LONGEST = 1 << 31
_DEFLATE = 1040


class Hdf5Reader(Reader):
    """Reads through a child process: the HDF5 library may crash on a damaged file."""

    format = "h5"
    words = "an HDF5 file"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._busy = False
        try:
            import h5py  # noqa: F401
        except ImportError:
            raise need("h5py", "Reading HDF5") from None
        self._child = subprocess.Popen(
            [sys.executable, str(_CHILD), os.path.abspath(path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            described = json.loads(self._frame() or b"null")
            self._describe(described)
        except BaseException:
            self.close()
            raise

    def _describe(self, described: Any) -> None:
        size = os.path.getsize(self.path)
        names = described["names"]
        for name, item in sorted(described["tensors"].items()):
            shape = checked_shape(tuple(item["shape"]), f"{self.path}: {name}")
            label = item["label"] or _label(item["dtype"], f"{self.path}: {name}")
            nbytes = -1
            if label == dtypes.STRING:
                nbytes = item["stored"]
            tensor = Tensor(name, label, shape, nbytes)
            if label not in dtypes.NUMBER_OF or tensor.nbytes < 0:
                raise CheckpointError(f"{self.path}: {name}: {label!r} is no dtype of TensorFlow")
            most = size if item["plain"] else _DEFLATE * size
            if tensor.nbytes > most:
                raise CheckpointError(f"{self.path}: damaged: {name} is larger than the file")
            self.tensors[name] = tensor
            group = name.rpartition("/")[0]
            if group in names:
                self.aliases[name] = f"{names[group]}/{name.rpartition('/')[2]}"
        self.attributes: dict[str, str] = described["attributes"]

    def close(self) -> None:
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                pipe.close()
        self._child.kill()
        self._child.wait()

    def _bytes(self, size: int) -> bytes:
        assert self._child.stdout is not None
        found = bytearray()
        while len(found) < size:
            ready, _, _ = select.select([self._child.stdout], [], [], _PATIENCE)
            if not ready:
                raise CheckpointError(f"{self.path}: the HDF5 library does not come to an end")
            data = os.read(self._child.stdout.fileno(), size - len(found))
            if not data:
                raise CheckpointError(f"{self.path}: damaged: the HDF5 library gave up on it")
            found += data
        return bytes(found)

    def _frame(self) -> bytes:
        (size,) = struct.unpack("<q", self._bytes(8))
        if size == -1:
            (size,) = struct.unpack("<q", self._bytes(8))
            message = self._bytes(min(size, 4000)).decode("utf-8", "replace")
            raise CheckpointError(f"{self.path}: damaged, or no HDF5 file: {message}")
        if not 0 <= size < _LONGEST:
            raise CheckpointError(f"{self.path}: damaged: the HDF5 library gave up on it")
        return self._bytes(size)

    def _ask(self, name: str) -> Iterator[bytes]:
        if self._busy:
            raise CheckpointError(f"{self.path}: two tensors at once")
        assert self._child.stdin is not None
        self._busy = True
        try:
            self._child.stdin.write(json.dumps(name).encode() + b"\n")
            self._child.stdin.flush()
        except OSError:
            raise CheckpointError(f"{self.path}: damaged: the HDF5 library gave up on it") from None
        while data := self._frame():
            yield data
        self._busy = False

    def pieces(self, name: str) -> Iterator[bytes]:
        tensor = self[name]
        dtypes.numpy_dtype(tensor.dtype)
        size = 0
        for piece in self._ask(name):
            size += len(piece)
            yield piece
        if size != tensor.nbytes:
            raise CheckpointError(f"{self.path}: damaged: {name} has {size} bytes")

    def strings(self, name: str) -> Array:
        import numpy as np

        tensor = self[name]
        items = [item[1:] for item in self._ask(name)]
        if len(items) != tensor.size:
            raise CheckpointError(f"{self.path}: damaged: {name} has {len(items)} strings")
        values = np.empty(len(items), object)
        values[:] = items
        return values.reshape(tensor.shape)


def _label(text: str, what: str) -> str:
    import numpy as np

    if text == "string":
        return dtypes.STRING
    try:
        return dtypes.of_numpy(np.dtype(text))
    except TypeError:
        raise CheckpointError(f"{what}: {text!r} is no dtype of TensorFlow") from None


class Hdf5Writer(Writer):
    """Fills the datasets of a template that Keras wrote; or, without one, makes them by name."""

    def __init__(self, path: str, template: str | None = None) -> None:
        try:
            import h5py
        except ImportError:
            raise need("h5py", "Writing HDF5") from None
        if template is not None:
            _copy(template, path)
        self._h5py = h5py
        self._file = h5py.File(path, "r+" if template is not None else "w")
        self._path = path

    def add(self, content: Content) -> None:
        import numpy as np

        tensor = content.tensor
        if tensor.dtype == dtypes.STRING:
            items = np.array([as_bytes(v) for v in content.array().reshape(-1)], object)
            if tensor.name in self._file:
                del self._file[tensor.name]
            self._file.create_dataset(
                tensor.name,
                data=items.reshape(tensor.shape),
                dtype=self._h5py.string_dtype("ascii"),
            )
            return
        dtype = dtypes.numpy_dtype(tensor.dtype)
        labelled = dtypes.of_numpy(dtype) != tensor.dtype or tensor.dtype in dtypes.EXTENDED
        held = np.dtype(f"V{dtype.itemsize}") if tensor.dtype in dtypes.EXTENDED else dtype
        dataset = self._file.get(tensor.name)
        if dataset is None:
            dataset = self._file.create_dataset(tensor.name, shape=tensor.shape, dtype=held)
            if labelled:
                dataset.attrs["dtype"] = tensor.dtype
        elif dataset.shape != tensor.shape or dataset.dtype.itemsize != held.itemsize:
            raise CheckpointError(
                f"{tensor.name}: the template holds {dataset.dtype}{list(dataset.shape)}, not "
                f"{tensor.dtype}{list(tensor.shape)}"
            )
        _fill(dataset, content, held)

    def finish(self) -> None:
        self._file.close()
        with open(self._path, "rb+") as stream:
            os.fsync(stream.fileno())

    def close(self) -> None:
        self._file.close()


def _fill(dataset: Any, content: Content, held: Any) -> None:
    """Write pieces into rows; a piece may end inside of one."""
    import numpy as np

    tensor = content.tensor
    if not tensor.nbytes:
        for _ in content.pieces():
            pass
        return
    if not tensor.shape:
        dataset[()] = np.frombuffer(b"".join(content.pieces()), held)[0]
        return
    row = tensor.nbytes // tensor.shape[0]
    rest, place = b"", 0
    for piece in content.pieces():
        data = rest + piece
        count = len(data) // row
        if count:
            block = np.frombuffer(data[: count * row], held).reshape(count, *tensor.shape[1:])
            dataset[place : place + count] = block
            place += count
        rest = data[count * row :]
    if rest or place != tensor.shape[0]:
        raise CheckpointError(f"{tensor.name}: its values are cut off")


def _copy(source: str, target: str) -> None:
    import shutil

    shutil.copyfile(source, target)
