"""Two checkpoints side by side: how far their tensors lie apart, and what only one of them has."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from migrate.checkpoints import dtypes
from migrate.checkpoints.errors import CheckpointError
from migrate.checkpoints.formats.base import Content, Reader, Tensor

if TYPE_CHECKING:
    from migrate.checkpoints.dtypes import Array

_BLOCK = 1 << 20  # elements compared at once


@dataclass
class Row:
    """One tensor. ``status``: equal, close, differs, shape, dtype, missing (on the right), extra.

    ``worst`` is the place of the largest distance with both values.
    """

    name: str
    status: str
    left: str = ""
    right: str = ""
    size: int = 0
    mismatched: int = 0
    max_abs: float = 0.0
    max_rel: float = 0.0
    worst: tuple[tuple[int, ...], str, str] | None = None

    @property
    def fine(self) -> bool:
        """Whether the tensor agrees within what was allowed."""
        return self.status in ("equal", "close")


@dataclass
class Comparison:
    """All tensors of both sides."""

    left: str
    right: str
    rtol: float
    atol: float
    rows: list[Row] = field(default_factory=list)

    @property
    def different(self) -> list[Row]:
        """What does not agree."""
        return [row for row in self.rows if not row.fine]


def described(tensor: Tensor) -> str:
    """dtype[shape]."""
    return f"{tensor.dtype}{list(tensor.shape)}"


def compare(
    left: Reader,
    right: Reader,
    contents: dict[str, Content],
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    missing: dict[str, str] | None = None,
    known: Collection[str] = (),
    progress: Callable[[int], object] | None = None,
) -> Comparison:
    """Compare ``right``'s tensors with what ``contents`` makes of ``left`` under the same names.

    Args:
        left: the first checkpoint.
        right: the second.
        contents: name on the right → what the left side gives for it.
        rtol: relative distance that is allowed, of the left value.
        atol: absolute distance that is allowed.
        missing: tensors of the left that go nowhere, with a reason.
        known: tensors of the right that nothing on the left is expected for.
        progress: told the bytes of each tensor that was compared.
    """
    found = Comparison(left.path, right.path, rtol, atol)
    for name, content in contents.items():
        other = right.tensors.get(name)
        mine = described(content.tensor)
        if other is None:
            found.rows.append(Row(name, "missing", mine, size=content.tensor.size))
        elif other.shape != content.tensor.shape:
            found.rows.append(Row(name, "shape", mine, described(other), other.size))
        elif other.dtype != content.tensor.dtype:
            found.rows.append(Row(name, "dtype", mine, described(other), other.size))
        else:
            row = Row(name, "equal", mine, described(other), other.size)
            _values(row, content, right, rtol, atol)
            found.rows.append(row)
        if progress is not None and other is not None:
            progress(max(other.nbytes, 0))
    for name, reason in (missing or {}).items():
        found.rows.append(Row(name, "missing", described(left.tensors[name]), reason))
    for name, tensor in right.tensors.items():
        if name not in contents and name not in known:
            found.rows.append(Row(name, "extra", "", described(tensor), tensor.size))
    found.rows.sort(key=lambda row: (row.fine, -row.max_rel if row.status == "differs" else 0))
    return found


def _values(row: Row, content: Content, right: Reader, rtol: float, atol: float) -> None:
    tensor = content.tensor
    if tensor.dtype == dtypes.STRING:
        one, other = content.array().reshape(-1), right.read(tensor.name).reshape(-1)
        wrong = [place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
        row.mismatched = len(wrong)
        if wrong:
            row.status = "differs"
            row.worst = (_index(wrong[0], tensor.shape), repr(one[wrong[0]]), repr(other[wrong[0]]))
        return
    place = 0
    largest = -1.0
    for first, second in blocks(content, right):
        gap, relative, wrong_here = _distance(first, second, rtol, atol)
        if first.tobytes() != second.tobytes() and row.status == "equal":
            row.status = "close"
        if gap.size:
            at = int(gap.argmax())
            if float(gap[at]) > max(largest, 0.0):
                largest = float(gap[at])
                values = (_shown(first[at]), _shown(second[at]))
                row.worst = (_index(place + at, tensor.shape), *values)
            row.max_abs = max(row.max_abs, float(gap[at]))
            row.max_rel = max(row.max_rel, float(relative.max()))
        row.mismatched += wrong_here
        place += len(first)
    if row.mismatched:
        row.status = "differs"


def blocks(content: Content, right: Reader) -> Iterator[tuple[Array, Array]]:
    """Both sides' values in equal pieces."""
    import numpy as np

    tensor = content.tensor
    dtype = dtypes.numpy_dtype(tensor.dtype)
    sides = [content.pieces(), right.pieces(tensor.name)]
    rest = [b"", b""]
    left = tensor.nbytes
    while left:
        size = min(left, _BLOCK * dtype.itemsize)
        taken = []
        for side, pieces in enumerate(sides):
            held = [rest[side]]
            length = len(rest[side])
            while length < size:
                piece = next(pieces, b"")
                if not piece:
                    raise CheckpointError(f"{tensor.name}: its values are cut off")
                held.append(piece)
                length += len(piece)
            data = b"".join(held)
            taken.append(np.frombuffer(data[:size], dtype))
            rest[side] = data[size:]
        yield taken[0], taken[1]
        left -= size
    for pieces in sides:  # behind the last piece stands the checksum
        for _ in pieces:
            pass


def _distance(first: Array, second: Array, rtol: float, atol: float) -> tuple[Array, Array, int]:
    """Distances, relative ones, and how many lie too far apart; NaN equals NaN."""
    import numpy as np

    if first.dtype.kind in "iub" and first.dtype.itemsize == 8:
        same = first == second
        a, b = first.astype(np.float64), second.astype(np.float64)
    else:
        kind = np.complex128 if first.dtype.kind == "c" else np.float64
        a, b = first.astype(kind), second.astype(kind)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        gap = np.where(same, 0.0, np.abs(a - b))
        gap = np.where(np.isnan(gap), np.inf, gap)
        relative = np.where(gap > 0, gap / np.maximum(np.abs(a), np.abs(b)), 0.0)
        relative = np.where(np.isnan(relative), np.inf, relative)
        allowed = atol + rtol * np.abs(a)
        wrong = ~same & ~(gap <= allowed)
    return gap, relative, int(wrong.sum())


def _index(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    import numpy as np

    return tuple(int(part) for part in np.unravel_index(place, shape)) if shape else ()


def _shown(value: object) -> str:
    text = getattr(value, "item", lambda: value)()
    return f"{text:.9g}" if isinstance(text, float) else str(text)
