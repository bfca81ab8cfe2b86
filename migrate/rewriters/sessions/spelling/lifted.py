"""Ops that a function builds at every call, above the function: they are built once."""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.source import Source


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """The statements, with the comments above them, taken out and put before the definition."""
    target: ast.FunctionDef = error.found["target"]
    nl = "\r\n" if "\r\n" in source.document.text else "\n"
    lines, found = [], []
    for stmt in error.found["found"]:
        first, last = _lines(source, stmt)
        indent = source.indent(stmt)
        rest = source.document.text[source.span(stmt)[1] :].partition("\n")[0].strip()
        if not source.alone(stmt) or (rest and not rest.startswith("#")):
            return None
        for node in walk(stmt):
            if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno != node.lineno:
                return None  # a string of several lines
        lines += [line.removeprefix(indent) for line in source.lines[first - 1 : last]]
        before = sum(map(len, source.lines[: first - 1]))
        if stmt is not target.body[0]:
            empty = not "".join(source.lines[last : last + 1]).strip()
            while empty and first > 1 and not source.lines[first - 2].strip():
                first -= 1
                before -= len(source.lines[first - 1])
        found.append(Edit(before, sum(map(len, source.lines[:last])), ""))
    top, _ = _lines(source, target)
    at = sum(map(len, source.lines[: top - 1]))
    return [Edit(at, at, "".join(lines) + nl * 2), *found]


def _lines(source: Source, stmt: ast.stmt) -> tuple[int, int]:
    """The first line of a statement, its comments included, and the last one."""
    first = stmt.lineno - source.part.line
    indent = source.indent(stmt)
    while first > 1 and source.lines[first - 2].startswith(indent + "#"):
        first -= 1
    return first, (stmt.end_lineno or stmt.lineno) - source.part.line
