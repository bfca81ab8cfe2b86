"""Sizes as they are told: shapes, windows, and what is left of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from migrate.programs.graph.sizing.static_run.values import OPEN, Setting, Sizes, Tensor


def size(value: Any) -> int | None:
    """A number as a dimension."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def sizes(value: Any) -> Sizes | None:
    """A shape that is told as a list or by `tf.shape`, or None."""
    if isinstance(value, Tensor):
        return value.told
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,)
    if isinstance(value, (list, tuple)):
        return tuple(size(v) for v in value)
    return None


def rows(value: Any) -> Setting | None:
    """The flag that a shape begins with."""
    first = value[0] if isinstance(value, (list, tuple)) and value else None
    return first if isinstance(first, Setting) else None


def shape_of(value: Any) -> Sizes | None:
    """The shape of what an op is given: a tensor, or a number of Python's."""
    if isinstance(value, Tensor):
        return value.shape
    return () if isinstance(value, (int, float)) else None


def pair(value: Any, rank: int = 2) -> Sizes:
    """A window or its steps, for one dimension or for each."""
    if isinstance(value, (list, tuple)) and len(value) == rank:
        return tuple(size(v) for v in value)
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return (size(value[0]),) * rank
    return (size(value),) * rank


def window(
    below: Sequence[int | None],
    width: Sequence[int | None],
    strides: Sequence[int | None],
    padding: Any,
    rates: Sequence[int | None] | None = None,
) -> Sizes:
    """What a window leaves of an image."""
    found: list[int | None] = []
    same = isinstance(padding, str) and padding.upper() == "SAME"
    valid = isinstance(padding, str) and padding.upper() == "VALID"
    for i, (n, k, s) in enumerate(zip(below, width, strides, strict=True)):
        rate = rates[i] if rates is not None else 1
        if same and s == 1:
            found.append(n)
        elif n is None or not s or not (same or valid) or (valid and (k is None or rate is None)):
            found.append(None)
        elif same:
            found.append(-(-n // s))
        else:
            found.append((n - (k or 1) * (rate or 1) + (rate or 1) - 1) // s + 1)
    return tuple(found)


def axes_of(axis: Any, rank: int) -> list[int] | None:
    listed = axis if isinstance(axis, (list, tuple)) else [axis]
    if not all(isinstance(a, int) for a in listed):
        return None
    return [a % rank for a in listed] if rank else []


def reduced(below: Sizes | None, axis: Any, keep: Any) -> Tensor:
    if below is None or not isinstance(keep, (bool, type(None))):
        return OPEN
    axes = list(range(len(below))) if axis is None else axes_of(axis, len(below))
    if axes is None:
        return OPEN
    if keep:
        return Tensor(tuple(1 if i in axes else n for i, n in enumerate(below)))
    return Tensor(tuple(n for i, n in enumerate(below) if i not in axes))
