"""Properties that only give an attribute go: what reads one reads the attribute.

``self._cost`` behind a property ``cost`` is ``self.cost`` then.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.objects.getters import Getters, given
from migrate.rewriters.sessions.apart import rewritten


def replaced(documents: Sequence[Document], error: Getters) -> list[tuple[int, Document]] | None:
    """The documents that change, by their places; None where one can't."""
    found = []
    for place, document in enumerate(documents):
        edits = [*_gone(document, error), *_reads(document, error)]
        if not edits:
            continue
        new = rewritten(document, sorted(edits, key=lambda e: e.start))
        if new is None:
            return None
        found.append((place, new))
    return found or None


def _reads(document: Document, error: Getters) -> list[Edit]:
    """The attributes, by the properties' names."""
    names = {attribute: name for name, attribute in error.names.items()}
    modules = {
        (alias.asname or alias.name).partition(".")[0]
        for stmt in walk(document.tree)
        if isinstance(stmt, (ast.Import, ast.ImportFrom))
        for alias in stmt.names
    }
    inside = {
        id(n)
        for member in all_of(document.tree, ast.FunctionDef)
        if member.name in error.names and given(member) is not None
        for n in all_of(member, ast.Attribute)
    }
    found = []
    for node in all_of(document.tree, ast.Attribute):
        if node.attr not in names or id(node) in inside:
            continue
        if isinstance(node.value, ast.Name) and node.value.id in modules:
            continue
        end = document.index.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        found.append(Edit(end - len(node.attr), end, names[node.attr]))
    return found


def _gone(document: Document, error: Getters) -> list[Edit]:
    """The properties themselves, with the blank lines before them."""
    lines = document.text.splitlines(keepends=True)
    found = []
    for member in all_of(document.tree, ast.FunctionDef):
        if member.name not in error.names or given(member) is None:
            continue
        first, last = member.decorator_list[0].lineno, member.end_lineno or member.lineno
        while first > 1 and not lines[first - 2].strip():
            first -= 1
        start = sum(map(len, lines[: first - 1]))
        found.append(Edit(start, start + sum(map(len, lines[first - 1 : last])), ""))
    return found
