"""Which lines of a module can name what is of interest: the rest is never walked."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from migrate.engine.names import ROOTS, Names, Problem, import_target

# Alone on its line, or one of several statements there.
_ASSIGNMENT = re.compile(
    r"(?:^|[;:])[ \t]*([^\W\d]\w*)[ \t]*=[ \t]*([^\W\d]\w*)(?:\.\w+)*[ \t]*(?=[;#]|\s*$)", re.M
)


class Lines:
    """Which statements can matter: those with a line in the set."""

    def __init__(self, lines: Iterable[int]) -> None:
        self._lines = sorted(set(lines))

    def __bool__(self) -> bool:
        return bool(self._lines)

    def touches(self, first: int, last: int) -> bool:
        at = bisect_left(self._lines, first)
        return at < len(self._lines) and self._lines[at] <= last


def lines_of(words: Iterable[str], text: str, starts: list[int]) -> Iterator[int]:
    """The lines on which one of the words stands, in code or not."""
    find = text.find
    size = len(text)
    for word in words:
        length = len(word)
        at = find(word)
        while at >= 0:
            end = at + length
            before = text[at - 1] if at else " "
            after = text[end] if end < size else " "
            if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
                line = bisect_right(starts, at)
                yield line
                # Once a line is enough.
                end = starts[line] if line < len(starts) else size
            at = find(word, end)


def import_statements(
    body: list[ast.stmt], lines: Lines, root: ast.AST
) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports anywhere below ``body`` on the given lines."""
    for stmt in body:
        if not lines.touches(stmt.lineno, stmt.end_lineno or stmt.lineno):
            continue
        if isinstance(stmt, (ast.Import, ast.ImportFrom)):
            yield stmt
            continue
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(stmt, name, None)
            if isinstance(inner, list):
                yield from import_statements(inner, lines, root)
        for handler in getattr(stmt, "handlers", ()):
            yield from import_statements(handler.body, lines, root)
        for case in getattr(stmt, "cases", ()):
            yield from import_statements(case.body, lines, root)


def bound_names(node: ast.Import | ast.ImportFrom, roots: frozenset[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            if top in roots:
                yield alias.asname or top
    else:
        target = import_target(node)
        if target and target.partition(".")[0] in roots:
            for alias in node.names:
                if alias.name != "*":
                    yield alias.asname or alias.name


def close_over_aliases(text: str, interest: set[str], starts: list[int]) -> set[int]:
    """Add names that are plainly assigned from a chain on a name of interest.

    Returns the lines on which a name of interest stands.
    """
    lines: set[int] = set()
    fresh = set(interest)
    while fresh:
        found = set(lines_of(fresh, text, starts))
        fresh = set()
        for line in found:
            start = starts[line - 1]
            end = starts[line] if line < len(starts) else len(text)
            if "=" not in text[start:end]:
                continue
            for match in _ASSIGNMENT.finditer(text, start, end):
                if match[2] in interest and match[1] not in interest:
                    fresh.add(match[1])
        interest |= fresh
        lines |= found
    return lines


def star_import(node: ast.Import | ast.ImportFrom, names: Names, roots: frozenset[str]) -> None:
    if isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names):
        target = import_target(node)
        if target and target.partition(".")[0] in ROOTS & roots:
            names.problems.append(
                Problem(
                    "star",
                    node,
                    f"star import: what the file uses of {target} can't be seen; "
                    f"import the names, or `import tensorflow as tf`",
                    target,
                )
            )
