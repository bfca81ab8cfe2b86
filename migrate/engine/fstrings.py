"""Edits inside f-strings: before Python 3.12 these can't hold the quotes that they stand in."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace

from migrate.engine.findings import Edit
from migrate.engine.source import LineIndex
from migrate.engine.trees import all_of

_OPENING = re.compile(r"[rRfF]+('''|\"\"\"|'|\")")


def requote(tree: ast.Module, text: str, index: LineIndex, edits: Sequence[Edit]) -> list[Edit]:
    """The edits, with the other quotes where they stand inside an f-string.

    An f-string that is joined to other strings is left as it is: the safety net sees to it.
    """
    quoted = [edit for edit in edits if '"' in edit.new or "'" in edit.new]
    if not quoted or not re.search(r"\b[rR]?[fF][rR]?[\"']", text):
        return list(edits)
    spans = [index.span(n) for n in all_of(tree, ast.JoinedStr)]
    return [_requoted(edit, text, spans) if edit in quoted else edit for edit in edits]


def _requoted(edit: Edit, text: str, spans: Sequence[tuple[int, int]]) -> Edit:
    for start, end in spans:
        opening = _OPENING.match(text, start, end)
        if opening is None or not start < edit.start <= edit.end < end:
            continue
        quote = opening[1][0]
        other = "'" if quote == '"' else '"'
        if quote in edit.new and other not in edit.new:
            return replace(edit, new=edit.new.replace(quote, other))
    return edit
