"""Files whose lines begin with tabs, between the passes: spaces in their stead, and tabs again.

What follows a program writes lines as far to the right as others begin, in spaces.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.source import apply
from migrate.engine.trees import walk

BEGINS = re.compile(r"^ *\t", re.M)
WIDTHS = (4, 8)  # of a tab; with Python's own, 8, no two blocks can be taken for one


def expanded(document: Document) -> Document:
    """The document with spaces for the tabs that its lines begin with; itself without any."""
    text = document.text
    if document.notebook is not None or "\t" not in text or BEGINS.search(text) is None:
        return document
    inside = _texts(document.tree)
    meant = ast.dump(document.tree)
    for width in WIDTHS:
        edits, start = [], 0
        for number, line in enumerate(text.split("\n"), 1):
            margin = margin_of(line)
            if "\t" in margin and number not in inside:
                edits.append(Edit(start, start + len(margin), margin.expandtabs(width)))
            start += len(line) + 1
        new = apply(text, edits)
        try:
            tree = ast.parse(new)
        except SyntaxError:
            continue
        if ast.dump(tree) == meant:
            return replace(document, text=new, tree=tree)
    return document


def margin_of(line: str) -> str:
    """What a line begins with, spaces or tabs."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def column_back(old: Document, new: Document, line: int, column: int) -> int:
    """Where something in a line of the expanded text stands in the document's own, in bytes."""
    lines, own = new.text.split("\n"), old.text.split("\n")
    if not 0 < line <= min(len(lines), len(own)):
        return column
    return max(0, column - len(margin_of(lines[line - 1])) + len(margin_of(own[line - 1])))


def with_tabs(old: Document, new: Document, after: Document) -> str | None:
    """What became of an expanded document, in the document's own tabs and spaces.

    A line that stayed is as it was; another one begins as those of its block do. None where no
    such text means the same.
    """
    text = _Tabbed(old, new, after).text()
    try:
        same = ast.dump(ast.parse(text)) == ast.dump(after.tree)
    except SyntaxError:
        return None
    return text if same else None


class _Tabbed:
    """The lines of what an expanded document became, with tabs."""

    def __init__(self, old: Document, new: Document, after: Document) -> None:
        import difflib

        own, was = old.text.split("\n"), new.text.split("\n")
        self.lines = after.text.split("\n")
        matcher = difflib.SequenceMatcher(None, was, self.lines, autojunk=False)
        self.stayed: dict[int, str] = {}  # the author's lines, by the place where they are now
        for a, b, size in matcher.get_matching_blocks():
            self.stayed.update({b + i: own[a + i] for i in range(size)})
        self.unit = next((n for n in WIDTHS if _by(n, own, was)), WIDTHS[0])
        self.inside, self.begins = _texts(after.tree), _begins(after.tree)
        self.margins: dict[int, str] = {}  # by the first line of a statement
        self._block(after.tree.body, "")

    def _block(self, body: Sequence[ast.stmt], around: str, deeper: str = "") -> None:
        """Tell how the statements of a block begin: as the first one that stayed does."""
        own = (margin_of(self.stayed[s.lineno - 1]) for s in body if s.lineno - 1 in self.stayed)
        margin = next((m for m in own if m == around or _deeper(m, around)), around + deeper)
        for stmt in body:
            self.margins.setdefault(stmt.lineno - 1, margin)
            for inner in _blocks(stmt):
                width = inner[0].col_offset - stmt.col_offset
                self._block(inner, margin, self._indent(width))

    def _indent(self, width: int) -> str:
        whole, rest = divmod(max(width, 0), self.unit)
        return "\t" * whole + " " * rest

    def text(self) -> str:
        """All lines."""
        found: list[str] = []
        for i, line in enumerate(self.lines):
            bare = line.lstrip(" \t")
            if not bare or i + 1 in self.inside:
                found.append(self.stayed.get(i, line))
            elif i in self.margins:
                found.append(self.margins[i] + bare)
            elif bare.startswith("#"):
                found.append(self.stayed.get(i) or self._beside(i) + bare)
            elif (first := self.begins.get(i + 1)) is not None:
                found.append(self._further(first, i))
            else:  # `else:`, a decorator
                found.append(self._beside(i) + bare)
        return "\n".join(found)

    def _beside(self, at: int) -> str:
        """How the statement before or behind a line begins that is as deep."""
        column = len(margin_of(self.lines[at]))
        for way in (range(at, len(self.lines)), range(at, -1, -1)):
            for i in way:
                here = len(margin_of(self.lines[i]))
                if i in self.margins and here <= column:
                    if here == column:
                        return self.margins[i]
                    break
        return self._indent(column)

    def _further(self, first: int, at: int) -> str:
        """A line on which a statement goes on."""
        bare, margin = self.lines[at].lstrip(" \t"), self.margins.get(first, "")
        own = self.stayed.get(at)
        if own is not None and margin_of(self.stayed.get(first, "")) == margin:
            return own
        more = len(margin_of(self.lines[at])) - len(margin_of(self.lines[first]))
        aligned = more < 0 or more % self.unit  # under a bracket, as it was
        return margin + (" " * max(more, 0) if aligned else self._indent(more)) + bare


def _deeper(margin: str, around: str) -> bool:
    """Whether Python takes a margin for that of an inner block, however wide a tab is."""
    wider = len(margin.expandtabs()) > len(around.expandtabs())
    return wider and len(margin) > len(around)


def _by(width: int, own: Sequence[str], was: Sequence[str]) -> bool:
    """Whether the lines were expanded by this width of a tab."""
    pairs = [(margin_of(a), margin_of(b)) for a, b in zip(own, was, strict=True)]
    return all(a == b or a.expandtabs(width) == b for a, b in pairs)


def _blocks(stmt: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a statement that begin on lines of their own."""
    holders = [stmt, *getattr(stmt, "handlers", []), *getattr(stmt, "cases", [])]
    for holder in holders:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(holder, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _texts(tree: ast.AST) -> set[int]:
    """The lines that begin inside of a string."""
    return {
        line
        for n in walk(tree)
        if isinstance(n, ast.JoinedStr)
        or (isinstance(n, ast.Constant) and isinstance(n.value, (str, bytes)))
        for line in range(n.lineno + 1, (n.end_lineno or n.lineno) + 1)
    }


def _begins(tree: ast.AST) -> dict[int, int]:
    """The place of a statement's first line, by the number of each further one of its own."""
    return {line: stmt.lineno - 1 for stmt, last in _own_lines(tree) for line in last}


def _own_lines(tree: ast.AST) -> Iterator[tuple[ast.stmt, range]]:
    for n in walk(tree):
        if isinstance(n, ast.stmt):
            body = getattr(n, "body", None)
            inner = body[0] if isinstance(body, list) and body else None
            first = min((d.lineno for d in getattr(inner, "decorator_list", [])), default=None)
            end = (first or inner.lineno) - 1 if inner is not None else n.end_lineno or n.lineno
            yield n, range(n.lineno + 1, end + 1)
