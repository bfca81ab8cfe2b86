"""A file's text by the nodes of its tree, whose lines are the joined text's."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.engine.findings import Edit
from migrate.engine.joined import Part, part_of
from migrate.engine.trees import all_of, holds, walk
from migrate.rewriters.sessions.state import tensorflow


class Source:
    """The text of the file in which a node stands."""

    def __init__(self, parts: Sequence[Part], node: ast.AST) -> None:
        self.parts = parts
        self.part = part_of(parts, node)
        self.document = self.part.document
        self.tree = self.document.tree
        self.tf = tensorflow(self.tree)
        self.lines = self.document.text.splitlines(keepends=True)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends."""
        index, above = self.document.index, self.part.line
        assert isinstance(node, (ast.expr, ast.stmt))
        start = index.offset(node.lineno - above, node.col_offset)
        return start, index.offset((node.end_lineno or 0) - above, node.end_col_offset or 0)

    def of(self, node: ast.AST) -> str:
        """A node as written."""
        start, end = self.span(node)
        return self.document.text[start:end]

    def indent(self, stmt: ast.stmt) -> str:
        """A statement's indentation."""
        line = self.lines[stmt.lineno - self.part.line - 1]
        return line[: len(line) - len(line.lstrip())]

    def alone(self, stmt: ast.stmt) -> bool:
        """Whether a statement has its first line for itself."""
        start = self.span(stmt)[0]
        first = self.document.index.offset(stmt.lineno - self.part.line, 0)
        return not self.document.text[first:start].strip()

    def removed(self, stmt: ast.stmt) -> Edit:
        """A definition is taken away, with the empty lines above it."""
        decorators = getattr(stmt, "decorator_list", [])
        first = min([stmt.lineno, *(d.lineno for d in decorators)]) - self.part.line
        last = (stmt.end_lineno or stmt.lineno) - self.part.line
        while first > 1 and not self.lines[first - 2].strip():
            first -= 1
        before = sum(map(len, self.lines[: first - 1]))
        return Edit(before, before + sum(map(len, self.lines[first - 1 : last])), "")

    def scope(self, node: ast.AST) -> ast.AST:
        """The function in which a node stands, or the module."""
        found: ast.AST = self.tree
        for n in walk(self.tree):
            if isinstance(n, ast.FunctionDef) and holds(n, node):
                found = n  # the walk goes from outside to inside
        return found

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement in which a node stands."""
        found = None
        for n in walk(self.tree):
            if isinstance(n, ast.stmt) and holds(n, node):
                found = n
        return found

    def free(self, names: Sequence[str], node: ast.AST) -> str | None:
        """The first of some names that isn't taken in a node's function."""
        taken = {n.id for n in all_of(self.scope(node), ast.Name)}
        taken |= {a.arg for a in all_of(self.scope(node), ast.arg)}
        return next((name for name in names if name not in taken), None)


def unit(source: Source) -> str:
    """What the file is indented by."""
    for node in walk(source.tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.stmt) and isinstance(body, list) and body:
            outer, inner = source.indent(node), source.indent(body[0])
            if source.alone(body[0]) and inner.startswith(outer) and inner != outer:
                return inner[len(outer) :]
    return "    "
