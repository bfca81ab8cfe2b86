"""Statements that share a line, one a line: some may go while others stay."""

from __future__ import annotations

import ast
import itertools
from dataclasses import replace

from migrate.engine.document import Document

SHARED = "two statements share a line"


def apart(document: Document, line: int) -> Document | None:
    """The document with a line's statements on lines of their own; None where that can't be."""
    if document.notebook is not None:
        return None
    text = document.text
    cuts: list[tuple[int, int, int]] = []
    for node in ast.walk(document.tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if not isinstance(block, list):
                continue
            for first, second in itertools.pairwise(block):
                if first.end_lineno == second.lineno == line:
                    end, start = document.index.span(first)[1], document.index.span(second)[0]
                    cuts.append((end, start, document.index.offset(block[0].lineno, 0)))
    for end, start, begin in sorted(cuts, reverse=True):
        head = text[begin:]
        indent = head[: len(head) - len(head.lstrip(" \t"))]
        text = f"{text[:end]}\n{indent}{text[start:]}"
    if not cuts:
        return None
    try:
        return replace(document, text=text, tree=ast.parse(text))
    except SyntaxError:
        return None  # the block stands on its header's line


__all__ = ["SHARED", "apart"]
