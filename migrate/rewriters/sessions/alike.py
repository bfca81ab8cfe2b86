"""Functions that were followed for several classes: what is written must be the same for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from migrate.engine.findings import Edit
from migrate.programs.graph.model import Blocked, Region
from migrate.programs.graph.objects import two_classes


def write(program: Any, regions: list[Region], written: Callable[[Region], None]) -> None:
    """Write regions; copies of functions write nothing, and are compared.

    Raises:
        Blocked: a function would have to be another one for each class.
    """
    known = two_classes.originals(program.walker)
    apart: dict[int, list[Edit]] = {}
    for region in regions:
        program.turn(region.node)
        mine, said = program.changes, list(program.page.said)
        program.changes = []
        written(region)
        changes, program.changes = program.changes, mine
        if id(region.node) not in known:
            apart[id(region.node)] = changes
            mine.extend(changes)
            continue
        program.page.said[:] = said
        if _plain(changes) != _plain(apart.get(id(known[id(region.node)]), [])):
            raise Blocked(region.node, f"`{region.name}` is given objects of two classes")


def _plain(changes: list[Edit]) -> list[tuple[int, int, str]]:
    return sorted((c.start, c.end, c.new) for c in changes)
