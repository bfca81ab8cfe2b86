"""Branches that a call decides: what stays of a function that is written in the call's place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence


class Folds:
    """The lines that go, and how much farther to the left the others stand."""

    def __init__(
        self,
        body: Sequence[ast.stmt],
        decides: Callable[[ast.expr], bool | None],
        lines: Sequence[str],
        above: int,
    ) -> None:
        self.gone: set[int] = set()
        self.left: dict[int, str] = {}
        self.decides, self.lines, self.above = decides, lines, above
        for stmt in body:
            self._statement(stmt)

    def deeper(self, line: int) -> str:
        """The indentation that a line loses beside that of the function."""
        return self.left.get(line, "")

    def _statement(self, stmt: ast.stmt) -> None:
        if isinstance(stmt, ast.If):
            self._branch(stmt)
        for inner in (getattr(stmt, "body", ()), getattr(stmt, "orelse", ())):
            for one in inner:
                self._statement(one)

    def _branch(self, stmt: ast.If) -> None:
        taken = self.decides(stmt.test)
        if taken is None:
            return
        kept = stmt.body if taken else stmt.orelse
        if any(one.lineno == stmt.lineno for one in stmt.body):
            return
        if stmt.orelse and self._line(stmt.orelse[0]).lstrip().startswith(("elif", "else:")):
            return
        first, last = self._span(stmt.lineno, stmt.end_lineno)
        stays: set[int] = set()
        if kept:
            begin, end = self._span(kept[0].lineno, kept[-1].end_lineno)
            floor = first if taken else self._span(0, stmt.body[-1].end_lineno)[1]
            while begin - 1 > floor and self.lines[begin - 2].lstrip().startswith("#"):
                begin -= 1
            stays = set(range(begin, end + 1))
            more = " " * (kept[0].col_offset - stmt.col_offset)
            inner = self._line(kept[0])
            outer = self._line(stmt)
            if inner.startswith(outer[: stmt.col_offset]):
                more = inner[stmt.col_offset : kept[0].col_offset]
            for line in stays:
                self.left[line] = self.left.get(line, "") + more
        self.gone |= set(range(first, last + 1)) - stays

    def _span(self, first: int, last: int | None) -> tuple[int, int]:
        return first - self.above, (last or first) - self.above

    def _line(self, stmt: ast.stmt) -> str:
        return self.lines[stmt.lineno - self.above - 1]


def of_module(node: ast.expr, tree: ast.Module) -> bool:
    """Whether an expression is an attribute of a module that a file imports."""
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if root is node or not isinstance(root, ast.Name):
        return False
    return any(
        (alias.asname or alias.name.partition(".")[0]) == root.id
        for stmt in tree.body
        if isinstance(stmt, ast.Import)
        for alias in stmt.names
    )
