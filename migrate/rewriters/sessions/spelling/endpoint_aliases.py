"""Calls by the whole names of what had short ones."""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.analyzed import line_of, without
from migrate.rewriters.sessions.spelling.source import Source


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """The assignment goes, and what imported it."""
    stmt = error.node
    assert isinstance(stmt, ast.Assign)
    found: dict[str, list[Edit | None]] = {source.document.path: [line_of(source, stmt)]}
    uses: list[ast.Name] = error.found["uses"]
    for use in uses:
        place = Source(source.parts, use)
        edit = Edit(*place.span(use), error.found["written"])
        found.setdefault(place.document.path, []).append(edit)
    for one in error.found["imports"]:
        place = Source(source.parts, one)
        found.setdefault(place.document.path, []).append(without(place, one, error.found["name"]))
    done = {path: [e for e in each if e is not None] for path, each in found.items()}
    if sum(map(len, done.values())) != sum(map(len, found.values())):
        return None
    mine = done.pop(source.document.path)
    error.more.update({p: sorted(each, key=lambda e: e.start) for p, each in done.items()})
    return mine
