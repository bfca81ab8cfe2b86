"""Methods that start a graph's sessions and that several programs of a folder call, each once.

``model.train(data)`` of a class in a file of its own, called by ``main.py`` and by ``images.py``:
they never run together. A method is walked at its first call; where it is the first that opens a
session in the other program, too, it leaves there what it left in the first one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from migrate.programs.graph.model import Region
from migrate.programs.graph.running import again, later_runs

State = tuple[Any, ...]
NEW: State = (None, 0, 0)  # before any session


@dataclass(slots=True)
class Before:
    """What there was when a method was walked, and whether that was before any session."""

    new: bool
    stateful: bool
    memory: str


@dataclass(slots=True)
class _Walked:
    """A method that was the first to open a session in some programs."""

    entry: Any  # the last one that has called it
    stateful: bool  # whether there were variables
    after: State
    latest: Any


def standing(walker: Any) -> Before:
    """What there is before a method is walked."""
    new = _state(walker) == NEW and not walker.nested
    return Before(new, walker.stateful, again.memory(walker))


def walked(walker: Any, region: Region, before: Before) -> None:
    if before.new and again.memory(walker) == before.memory and not walker.loops:
        after = (walker.stateful, *_state(walker))
        found = _Walked(walker.entry, before.stateful, after, walker.latest)
        walker.kept["first to open a session", id(region)] = found


def first(walker: Any, region: Region) -> bool:
    """Whether another program calls such a method, as the first thing that opens a session."""
    found: _Walked | None = walker.kept.get(("first to open a session", id(region)))
    if found is None or found.entry is walker.entry or _state(walker) != NEW:
        return False
    if walker.nested or walker.loops or walker.stateful != found.stateful:
        return False
    if walker.kept.get((later_runs.AGAIN, walker.graph)):
        return False  # what was walked before may have opened one, too
    found.entry = walker.entry  # once
    walker.stateful, walker.fresh, walker.sessions, walker.init_runs = found.after
    walker.latest = found.latest
    return True


def _state(walker: Any) -> State:
    return walker.fresh, walker.sessions, walker.init_runs
