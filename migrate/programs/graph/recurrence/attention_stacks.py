"""Cells that attend, one upon the other: ``MultiRNNCell([AttentionWrapper(…), …])``.

All of them look at one thing; the state is a tuple of theirs.
"""

from __future__ import annotations

from typing import Any

from migrate.programs.graph.fetching.structures import Structure
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.recurrence.cells import Cells


def seen(walker: Any, cells: object) -> bool:
    """Whether these are cells that may stand in a stack, all of which attend.

    Raises:
        Blocked: they are in one already, or keep what they look at.
    """
    if not isinstance(cells, Cells) or cells.kind != "attention":
        return False
    if cells.stacked or cells.history:
        raise Blocked(walker.stmt, "cells that attend in several stacks, or keep a history")
    walker.kept.setdefault("recurrent", set()).add("stacked")
    return True


def made(cells: Cells, found: list[Cells]) -> None:
    """Note that a cell is a stack of what attends."""
    if found and found[0].kind:
        cells.kind, cells.stacked, cells.late = found[0].kind, True, found[0].late
        cells.shape = None  # in which order they make their variables isn't told by names


def state(clones: bool = False) -> Value:
    """The state of a stack, of which nothing may be asked: TF 1's has more in it."""
    return Value(Kind.TENSOR, Structure({}, clones, partial=True))
