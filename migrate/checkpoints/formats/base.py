"""What every format offers: tensors by name, read whole or in pieces, written one by one."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING

from migrate.checkpoints import dtypes
from migrate.checkpoints.errors import CheckpointError

if TYPE_CHECKING:
    from typing_extensions import Self

    from migrate.checkpoints.dtypes import Array

PIECE = 4 << 20  # bytes held at once
_MOST = 1 << 60


@dataclass(frozen=True)
class Tensor:
    """A tensor's description; ``nbytes`` is what its values take in the file."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    nbytes: int = -1
    slices: int = 0

    def __post_init__(self) -> None:
        if self.nbytes < 0 and self.dtype in dtypes.SIZES:
            object.__setattr__(self, "nbytes", self.size * dtypes.SIZES[self.dtype])

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)


def checked_shape(shape: tuple[int, ...], what: str) -> tuple[int, ...]:
    """The shape, if any tensor can have it.

    Raises:
        CheckpointError: a negative or an absurd size.
    """
    if len(shape) > 254 or any(size < 0 for size in shape) or math.prod(shape) > _MOST:
        raise CheckpointError(f"{what}: no tensor has shape {list(shape)[:8]}")
    return shape


class Reader(ABC):
    """An opened checkpoint. Opening reads names only; values come when asked for."""

    format: str = ""
    words: str = ""  # the format in words, for a report
    checksums = False  # whether a flipped bit in a value is noticed

    def __init__(self, path: str) -> None:
        self.path = path
        self.tensors: dict[str, Tensor] = {}
        self.notes: list[str] = []
        self.aliases: dict[str, str] = {}  # a tensor's name -> what its program calls it

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Let go of files and processes."""

    def __getitem__(self, name: str) -> Tensor:
        try:
            return self.tensors[name]
        except KeyError:
            raise CheckpointError(f"{self.path} has no tensor {name!r}{self._near(name)}") from None

    def _near(self, name: str) -> str:
        import difflib

        near = difflib.get_close_matches(name, self.tensors, n=1)
        return f"; did you mean {near[0]!r}?" if near else ""

    @abstractmethod
    def pieces(self, name: str) -> Iterator[bytes]:
        """The values row by row, little-endian, some megabytes at a time; not for strings.

        Raises:
            CheckpointError: at the latest behind the last piece, where values are damaged.
        """

    def read(self, name: str) -> Array:
        """All values of a tensor."""
        import numpy as np

        tensor = self[name]
        if tensor.dtype == dtypes.STRING:
            return self.strings(name)
        values = np.empty(tensor.nbytes, np.uint8)
        place = 0
        for piece in self.pieces(name):
            values[place : place + len(piece)] = np.frombuffer(piece, np.uint8)
            place += len(piece)
        if place != tensor.nbytes:
            raise CheckpointError(
                f"{self.path}: {name!r} has {place} bytes instead of {tensor.nbytes}"
            )
        return values.view(dtypes.numpy_dtype(tensor.dtype)).reshape(tensor.shape)

    def strings(self, name: str) -> Array:
        """A tensor of strings, as an array of ``bytes`` objects."""
        raise CheckpointError(f"{self.path}: {name!r}: {self.words} holds no strings")

    @property
    def largest(self) -> int:
        """Bytes of the largest tensor."""
        return max((tensor.nbytes for tensor in self.tensors.values()), default=0)

    @property
    def total(self) -> int:
        """Bytes of all tensors."""
        return sum(max(tensor.nbytes, 0) for tensor in self.tensors.values())


@dataclass
class Content:
    """A tensor on its way into a file: read only when a writer asks for it."""

    tensor: Tensor
    reader: Reader | None = None
    origin: str = ""
    make: object = None  # () -> Array, where values are not copied as they are
    used: list[str] = field(default_factory=list)

    def array(self) -> Array:
        """All values."""
        if self.reader is not None:
            return self.reader.read(self.origin)
        assert callable(self.make)
        made: Array = self.make()
        return made

    def pieces(self) -> Iterator[bytes]:
        """The values row by row in pieces; whatever made them, no second copy of all is made."""
        if self.reader is not None:
            yield from self.reader.pieces(self.origin)
        else:
            yield from pieces_of(self.array(), self.tensor)


def pieces_of(array: Array, tensor: Tensor) -> Iterator[bytes]:
    """An array's values row by row, little-endian; the array may be any view."""
    wanted = dtypes.numpy_dtype(tensor.dtype)
    if array.shape != tensor.shape or dtypes.of_numpy(array.dtype) != dtypes.of_numpy(wanted):
        raise CheckpointError(
            f"{tensor.name}: expected {tensor.dtype}{list(tensor.shape)}, got "
            f"{array.dtype}{list(array.shape)}"
        )
    yield from _rows(array.astype(wanted, copy=False))


def _rows(array: Array) -> Iterator[bytes]:
    if array.nbytes <= PIECE or not array.ndim:
        yield array.tobytes()
        return
    if array.flags.c_contiguous:
        raw = dtypes.to_bytes(array)
        for place in range(0, raw.nbytes, PIECE):
            yield raw[place : place + PIECE].tobytes()
        return
    step = max(1, PIECE * len(array) // array.nbytes)
    for place in range(0, len(array), step):
        block = array[place : place + step]
        if block.nbytes > 2 * PIECE and len(block) == 1:
            yield from _rows(block[0])
        else:
            yield block.tobytes()


class Writer(ABC):
    """A file in the making, below a staging folder; see ``staging``."""

    strings = True  # whether the format holds them

    @abstractmethod
    def add(self, content: Content) -> None:
        """Write one tensor."""

    @abstractmethod
    def finish(self) -> None:
        """Write what comes last, and bring everything to the disk."""

    @abstractmethod
    def close(self) -> None:
        """Close files, finished or not."""
