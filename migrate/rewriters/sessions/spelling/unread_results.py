"""A function and its calls without variables that it gives beside its tensor and nobody reads."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.findings import Edit
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.known_branches import place
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.source import Source
from migrate.rewriters.sessions.spelling.unused_sessions import cut


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """Each call's first target, and no argument that asks for more; the first value is returned."""
    target: ast.FunctionDef = error.found["target"]
    flag: str | None = error.found["flag"]
    value: ast.Tuple = error.found["value"]
    found: dict[str, list[Edit]] = {source.document.path: []}
    for stmt, call in error.found["unpacked"]:
        there = Source(source.parts, call)
        to = stmt.targets[0]
        each = found.setdefault(there.document.path, [])
        start, end = there.span(to)
        if there.document.text[start : start + 1] == "(" or "#" in there.document.text[start:end]:
            return None
        each.append(Edit(start, end, there.of(to.elts[0])))
        if flag is None:
            continue
        asks = place(target, call, flag)
        items: list[Any] = [*call.args, *call.keywords]
        at = next((i for i, n in enumerate(items) if asks in (n, getattr(n, "value", None))), None)
        if at is None or (at + 1 < len(items) and items[at] is asks):
            return None  # what follows would be given to it
        each.append(cut(there, [(n, n) for n in items], at))
    if flag is None:
        start, end = source.span(value)
        if value in _bare(source, value) or "#" in source.document.text[start:end]:
            return None
        found[source.document.path].append(Edit(start, end, source.of(value.elts[0])))
    mine = found.pop(source.document.path)
    error.more.update({p: sorted(e, key=lambda x: x.start) for p, e in found.items()})
    return mine


def _bare(source: Source, value: ast.Tuple) -> list[ast.Tuple]:
    """The tuple where its lines would need its parentheses."""
    first = value.elts[0]
    inside = source.document.text[source.span(value)[0] : source.span(value)[1]]
    return [value] if first.lineno != first.end_lineno and inside[:1] == "(" else []
