"""Dimensions of tensors, and what arithmetic on them gives."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from migrate.programs.graph.sizing.shapes import OPEN


@dataclass(frozen=True, slots=True)
class Dim:
    """A dimension: how it is written where it is asked for, and its number where that is known."""

    text: str
    number: int | None = None
    # `self.units`, where an object knows it by that.
    own: ast.Attribute | None = field(default=None, compare=False)


ANY = Dim(OPEN)


def known(number: int) -> Dim:
    """A dimension that is a number."""
    return Dim(str(number), number)


def total(factors: Sequence[Dim]) -> Dim:
    """The product of dimensions."""
    number = 1
    for dim in factors:
        if dim.number is None:
            return ANY
        number *= dim.number
    return known(number)


def wider(first: list[Dim] | None, second: list[Dim] | None) -> list[Dim] | None:
    """The shape of what two tensors are together; None where they don't fit."""
    if first is None or second is None:
        return None
    if len(first) < len(second):
        first, second = second, first
    head = first[: len(first) - len(second)]
    tail = [_wider(a, b) for a, b in zip(first[len(head) :], second, strict=True)]
    return [*head, *(d for d in tail if d is not None)] if None not in tail else None


def _wider(a: Dim, b: Dim) -> Dim | None:
    if a == b:
        return a if a.own is not None else b
    if b.number == 1:
        return a
    if a.number == 1:
        return b
    if a.number is None and b.number is None:
        return ANY  # one of them may be 1
    if a.number is not None and b.number is not None:
        return None
    return b if a.number is None else a


def windows(
    sizes: Sequence[Dim], window: Sequence[Dim], strides: Sequence[Dim], *, same: bool
) -> list[Dim] | None:
    """What a window that goes over an image leaves of it; None where its steps aren't seen."""
    found = []
    for size, width, stride in zip(sizes, window, strides, strict=True):
        if not stride.number:
            return None
        if same and stride.number == 1:
            found.append(size)
        elif size.number is None or width.number is None:
            found.append(ANY)
        elif same:
            found.append(known(-(-size.number // stride.number)))
        else:
            found.append(known((size.number - width.number) // stride.number + 1))
    return found
