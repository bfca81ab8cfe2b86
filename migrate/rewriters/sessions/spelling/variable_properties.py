"""What a property asks the graph for, where it is read; the last one takes the property along."""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.source import Source


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """The property's expression instead of its name."""
    found: dict[str, list[Edit]] = {}
    found[source.document.path] = [Edit(*source.span(error.node), error.found["written"])]
    gone: list[ast.FunctionDef] = error.found["gone"]
    for member in gone:
        place = Source(source.parts, member)
        if not place.alone(member):
            return None
        found.setdefault(place.document.path, []).append(place.removed(member))
    mine = found.pop(source.document.path)
    error.more.update({p: sorted(each, key=lambda e: e.start) for p, each in found.items()})
    return mine
