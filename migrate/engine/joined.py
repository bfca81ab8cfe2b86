"""The files of a program as one text, one after the other: a place in it tells its file."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from migrate.engine.document import Document
from migrate.engine.names import Names
from migrate.engine.source import LineIndex, SourceError
from migrate.engine.trees import move


@dataclass(slots=True, eq=False, repr=False)
class Part:
    """A file in the joined text."""

    document: Document  # the lines of its tree are the joined text's
    names: Names
    start: int = 0  # the offset of its first character
    line: int = 0  # how many lines stand before it


def join(files: Sequence[tuple[Document, Names]]) -> tuple[Document, list[Part]]:
    """The files' text and tree as one, and where each lies; their trees are moved.

    Raises:
        SourceError: the lines of one can't be counted.
    """
    if len(files) == 1:
        return files[0][0], [Part(*files[0])]
    parts: list[Part] = []
    texts: list[str] = []
    start = line = 0
    for document, names in files:
        parts.append(Part(document, names, start, line))
        # An empty line after each: what is added at its end isn't the next one's.
        text = f"{document.text}\n" if document.text.endswith("\n") else f"{document.text}\n\n"
        count = LineIndex(text).line_count
        if len(text.splitlines()) != count:
            raise SourceError("lines end in an odd way")
        texts.append(text)
        start, line = start + len(text), line + count
    for part in parts:  # once nothing can fail: who joins them moves them back
        move(part.document.tree, part.line)
    tree = ast.Module([stmt for part in parts for stmt in part.document.tree.body], [])
    return Document("", b"", "".join(texts), tree), parts


def part_of(parts: Sequence[Part], node: ast.AST) -> Part:
    """The file in which a node stands."""
    at: int = getattr(node, "lineno", 1)
    return next((p for p in reversed(parts) if p.line < at), parts[0])


def moved(node: ast.AST, part: Part) -> ast.AST:
    """A node's place, as its file counts lines."""
    if not part.line or not hasattr(node, "lineno"):
        return node
    first: int = node.lineno
    last: int = getattr(node, "end_lineno", None) or first
    return ast.Pass(
        lineno=first - part.line,
        end_lineno=last - part.line,
        col_offset=getattr(node, "col_offset", 0),
        end_col_offset=getattr(node, "end_col_offset", 0) or 0,
    )
