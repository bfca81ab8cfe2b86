"""Methods that use nothing of their object, as functions before their class."""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.source import Source


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """The methods' lines moved, `self` taken from them and from their calls."""
    cls: ast.ClassDef = error.found["cls"]
    methods: list[ast.FunctionDef] = error.found["methods"]
    nl = "\r\n" if "\r\n" in source.document.text else "\n"
    calls: list[tuple[int, int]] = []
    for call in error.found["calls"]:
        start = source.span(call.func)[0]
        calls.append((start, source.span(call.func)[1] - len(call.func.attr)))
    if len(methods) == len(cls.body):
        return None
    texts: list[str] = []
    found: list[Edit] = []
    for method in sorted(methods, key=lambda m: m.lineno):
        first, last = _lines(source, method)
        start = sum(map(len, source.lines[: first - 1]))
        end = sum(map(len, source.lines[:last]))
        inner = [(lo, hi) for lo, hi in (*calls, _own(source, method)) if start <= lo < end]
        text = source.document.text[start:end]
        for lo, hi in sorted(inner, reverse=True):
            text = text[: lo - start] + text[hi - start :]
        moved = _dedented(source, method, text)
        if moved is None:
            return None
        texts.append(moved)
        above = first
        while above > 1 and not source.lines[above - 2].strip():
            above -= 1
        keeps = method is cls.body[0]  # the next one stands where it stood
        if keeps:
            while last < len(source.lines) and not source.lines[last].strip():
                last += 1
        top = start if keeps else sum(map(len, source.lines[: above - 1]))
        found.append(Edit(top, sum(map(len, source.lines[:last])), ""))
    top, _ = _lines(source, cls)
    at = sum(map(len, source.lines[: top - 1]))
    found.append(Edit(at, at, "".join(f"{text.rstrip()}{nl}{nl}{nl}" for text in texts)))
    gone = [(e.start, e.end) for e in found]
    found += [Edit(lo, hi, "") for lo, hi in calls if not any(a <= lo < b for a, b in gone)]
    return found


def _own(source: Source, method: ast.FunctionDef) -> tuple[int, int]:
    """Where `self` stands, and the comma behind it."""
    args = method.args.args
    index, above = source.document.index, source.part.line
    start = index.offset(args[0].lineno - above, args[0].col_offset)
    if len(args) > 1:
        return start, index.offset(args[1].lineno - above, args[1].col_offset)
    return start, index.offset((args[0].end_lineno or 0) - above, args[0].end_col_offset or 0)


def _dedented(source: Source, method: ast.FunctionDef, text: str) -> str | None:
    """A method's lines further to the left; None where a string of several lines is in it."""
    doc = method.body[0] if ast.get_docstring(method) is not None else None
    for node in walk(method):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno != node.lineno:
            if not isinstance(doc, ast.Expr) or node is not doc.value:
                return None
    indent = source.indent(method)
    if not source.alone(method) or not source.alone(method.body[0]):
        return None
    return "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))


def _lines(source: Source, stmt: ast.stmt) -> tuple[int, int]:
    """The first line of a definition, its comments and decorators included, and the last one."""
    decorators = getattr(stmt, "decorator_list", [])
    first = min([stmt.lineno, *(d.lineno for d in decorators)]) - source.part.line
    indent = source.indent(stmt)
    while first > 1 and source.lines[first - 2].startswith(indent + "#"):
        first -= 1
    return first, (stmt.end_lineno or stmt.lineno) - source.part.line
