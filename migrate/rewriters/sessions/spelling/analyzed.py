"""A program without what only prints a graph's variables."""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.source import Source


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """Each call goes, and what a helper is defined and imported for."""
    target: ast.FunctionDef | None = error.found["target"]
    found: dict[str, list[Edit]] = {}
    for stmt in error.found["calls"]:
        place = Source(source.parts, stmt)
        edit = line_of(place, stmt)
        if edit is None:
            return None
        found.setdefault(place.document.path, []).append(edit)
    for stmt in error.found["aliases"]:
        place = Source(source.parts, stmt)
        edit = without(place, stmt, str(target and target.name))
        if edit is None:
            return None
        found.setdefault(place.document.path, []).append(edit)
    if target is not None:
        place = Source(source.parts, target)
        if not place.alone(target):
            return None
        found.setdefault(place.document.path, []).append(place.removed(target))
    mine = found.pop(source.document.path)
    error.more.update({p: sorted(each, key=lambda e: e.start) for p, each in found.items()})
    return mine


def line_of(place: Source, stmt: ast.stmt) -> Edit | None:
    """A statement goes with its line, and with an empty one where two would meet."""
    start, end = place.span(stmt)
    text = place.document.text
    first, below = text.rfind("\n", 0, start) + 1, text.find("\n", end) + 1 or len(text)
    rest = text[end:below].strip()
    if not place.alone(stmt) or (rest and not rest.startswith("#")):
        return None
    above = stmt.lineno - place.part.line - 2
    last = (stmt.end_lineno or stmt.lineno) - place.part.line
    around = [place.lines[n].strip() for n in (above, last) if 0 <= n < len(place.lines)]
    if above >= 0 and place.lines[above].strip().startswith("#"):
        first -= len(place.lines[above])  # what was said of it
        around[:1] = [place.lines[above - 1].strip()] if above else []
    if around == ["", ""]:
        below += len(place.lines[last])
    return Edit(first, below, "")


def without(place: Source, stmt: ast.ImportFrom, name: str) -> Edit | None:
    """An import without a name, or none."""
    rest = [a for a in stmt.names if a.name != name]
    if not rest:
        return line_of(place, stmt)
    index, above = place.document.index, place.part.line
    first, last = stmt.names[0], stmt.names[-1]
    start = index.offset(first.lineno - above, first.col_offset)
    end = index.offset((last.end_lineno or 0) - above, last.end_col_offset or 0)
    return Edit(start, end, ", ".join(ast.unparse(a) for a in rest))
