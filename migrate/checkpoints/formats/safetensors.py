"""safetensors: a JSON header and raw values behind it. It knows no strings and has no checksums.

https://github.com/huggingface/safetensors#format; its own library writes from memory only, which a
checkpoint may be too large for.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from migrate.checkpoints import dtypes
from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats.base import (
    PIECE,
    Content,
    Reader,
    Tensor,
    Writer,
    checked_shape,
)
from migrate.checkpoints.formats.early import EarlySync

DTYPES = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "U16": "uint16", "I16": "int16",
    "F16": "float16", "BF16": "bfloat16", "U32": "uint32", "I32": "int32", "F32": "float32",
    "U64": "uint64", "I64": "int64", "F64": "float64", "F8_E5M2": "float8_e5m2",
    "F8_E4M3": "float8_e4m3fn", "C64": "complex64",
}  # fmt: skip
_NAMES = {name: code for code, name in DTYPES.items()}
_NOTES = "__metadata__"
_MOST = 100_000_000  # bytes of a header, as the library has it


class SafetensorsReader(Reader):
    """Reads the header; a flipped bit in a value can't be noticed."""

    format = "safetensors"
    words = "a safetensors file"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._file: BinaryIO = open(path, "rb", buffering=0)  # noqa: SIM115
        self._starts: dict[str, int] = {}
        try:
            self._read_header()
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        self._file.close()

    def _read_header(self) -> None:
        size = os.fstat(self._file.fileno()).st_size
        length = int.from_bytes(self._file.read(8), "little")
        if not 2 <= length <= min(_MOST, size - 8):
            raise CheckpointError(f"{self.path}: damaged: its header is cut off")
        try:
            header = json.loads(self._file.read(length).decode("utf-8"))
        except (ValueError, RecursionError):
            header = None
        if not isinstance(header, dict):
            raise CheckpointError(f"{self.path}: damaged: its header is no JSON object")
        notes = header.pop(_NOTES, {})
        quantized = notes.get("dtypes", "{}") if isinstance(notes, dict) else "{}"
        places = []
        for name, item in header.items():
            tensor, start = self._tensor(name, item)
            self.tensors[name] = tensor
            self._starts[name] = 8 + length + start
            places.append((start, start + tensor.nbytes))
        place = 0
        for start, end in sorted(places):
            if start != place:
                raise CheckpointError(f"{self.path}: damaged: its values overlap or leave gaps")
            place = end
        if 8 + length + place != size:
            raise CheckpointError(f"{self.path}: damaged: it has {size} bytes, not what it says")
        self._label(quantized)

    def _tensor(self, name: str, item: Any) -> tuple[Tensor, int]:
        try:
            dtype = DTYPES[item["dtype"]]
            shape = tuple(item["shape"])
            start, end = item["data_offsets"]
            if not all(type(size) is int for size in (*shape, start, end)) or start < 0:
                raise ValueError
        except (KeyError, TypeError, ValueError):
            raise CheckpointError(f"{self.path}: damaged: the entry of {name!r}") from None
        tensor = Tensor(name, dtype, checked_shape(shape, name))
        if tensor.nbytes != end - start:
            raise CheckpointError(f"{self.path}: damaged: {name!r} has another size")
        return tensor, start

    def _label(self, quantized: Any) -> None:
        """Quantized dtypes, which the format has no code for, stand in the notes."""
        try:
            labels = json.loads(quantized)
            for name, dtype in labels.items():
                tensor = self.tensors[name]
                if dtypes.QUANTIZED.get(dtype) == tensor.dtype:
                    self.tensors[name] = Tensor(name, dtype, tensor.shape)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise CheckpointError(f"{self.path}: damaged: the notes in its header") from None

    def pieces(self, name: str) -> Iterator[bytes]:
        left = self[name].nbytes
        place = self._starts[name]
        while left:
            self._file.seek(place)
            data = self._file.read(min(left, PIECE))
            if not data:
                raise CheckpointError(f"{self.path}: {name}: cut off")
            yield data
            place += len(data)
            left -= len(data)


class SafetensorsWriter(Writer):
    """Writes the header first: the order of tensors is fixed from the start."""

    strings = False

    def __init__(self, path: str, tensors: list[Tensor]) -> None:
        header: dict[str, Any] = {_NOTES: {"format": "tf"}}
        labels = {t.name: t.dtype for t in tensors if t.dtype in dtypes.QUANTIZED}
        if labels:
            header[_NOTES]["dtypes"] = json.dumps(labels, sort_keys=True)
        place = 0
        for tensor in tensors:
            code = _NAMES.get(dtypes.QUANTIZED.get(tensor.dtype, tensor.dtype))
            if code is None or tensor.name == _NOTES:
                raise CheckpointError(
                    f"{tensor.name} is {tensor.dtype}, which safetensors cannot hold; leave it out "
                    "with --exclude, or convert to npz"
                )
            end = place + tensor.nbytes
            header[tensor.name] = {
                "dtype": code,
                "shape": list(tensor.shape),
                "data_offsets": [place, end],
            }
            place = end
        text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
        text = text.ljust(-(-len(text) // 8) * 8)
        self._file: BinaryIO = open(path, "wb")  # noqa: SIM115
        self._file.write(len(text).to_bytes(8, "little") + text)
        self._sync = EarlySync(self._file)
        self._order = iter(tensors)

    def add(self, content: Content) -> None:
        expected = next(self._order, None)
        if expected != content.tensor:
            raise CheckpointError(f"{content.tensor.name} came out of turn")
        for piece in content.pieces():
            self._file.write(piece)
            self._sync.wrote(len(piece))

    def finish(self) -> None:
        self._sync.finish()

    def close(self) -> None:
        self._sync.done()
        self._file.close()
