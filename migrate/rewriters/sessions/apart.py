"""Small changes of the text before anything is looked at, so that it can be followed.

Statements that share a line stand on lines of their own: some may go while others stay. The cells
of a notebook stay what they are.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.source import SourceError, apply
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.own_nodes import own_nodes
from migrate.rewriters.sessions.lines import by_line

ENDS = re.compile(r"([ \t]*;)[ \t]*(?:#.*)?(?:\r?\n|\Z)")
SHARED = "two statements share a line"


def apart(document: Document, line: int) -> Document | None:
    """The document with a line's statements on lines of their own; None where that can't be.

    Semicolons that end lines go in the whole function: it is written anew, and would ask for each.
    In a notebook one keeps a cell from showing its value.
    """
    text = document.text
    cuts: list[Edit] = []
    around = [
        n
        for n in all_of(document.tree, ast.FunctionDef)
        if n.lineno <= line <= (n.end_lineno or line)
    ]
    home = max(around, key=lambda n: n.lineno, default=document.tree)
    mine = set(map(id, own_nodes(home))) if document.notebook is None else set()
    for node in walk(document.tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if not isinstance(block, list):
                continue
            for first, second in itertools.pairwise([*block, None]):
                if first is None or (first.end_lineno != line and id(first) not in mine):
                    continue
                end = document.index.span(first)[1]
                if first.end_lineno != line:
                    after = document.index.offset((first.end_lineno or line) + 1, 0)
                    if (rest := ENDS.match(text, end, after)) is not None:
                        cuts.append(Edit(end, rest.end(1), ""))
                    continue
                if second is not None and second.lineno == line:
                    start = document.index.span(second)[0]
                    head = text[document.index.offset(block[0].lineno, 0) :]
                    indent = head[: len(head) - len(head.lstrip(" \t"))]
                    cuts.append(Edit(end, start, f"\n{indent}"))
                elif text[end : document.index.offset(line + 1, 0)].lstrip()[:1] == ";":
                    cuts.append(Edit(end, text.index(";", end) + 1, ""))
    return rewritten(document, cuts) if cuts else None


def rewritten(document: Document, edits: Sequence[Edit]) -> Document | None:
    """The document after some edits; None where it isn't Python any more."""
    try:
        if document.notebook is None:
            text = apply(document.text, edits)
            return replace(document, text=text, tree=ast.parse(text))
        notebook = document.notebook.edited(edits)
        if len(notebook.cells) != len(document.notebook.cells):
            return None
        tree = ast.parse(notebook.text)
        return replace(document, text=notebook.text, tree=tree, notebook=notebook)
    except (SyntaxError, SourceError):
        return None  # a block stands on its header's line


def back(document: Document, new: Document, edits: Sequence[Edit]) -> list[Edit]:
    """Edits of the changed text as edits of the document's own, by lines and inside of cells."""
    if document.notebook is None or new.notebook is None:
        text = apply(new.text, edits)
        return by_line(document.text, text.replace("\r\n", "\n"))
    return list(_by_cell(document, new, edits))


def _by_cell(document: Document, new: Document, edits: Sequence[Edit]) -> Iterator[Edit]:
    assert document.notebook is not None
    assert new.notebook is not None
    for old, cell in zip(document.notebook.cells, new.notebook.cells, strict=True):
        mine = [
            # A cell's last line may go with the line break that no cell has.
            Edit(e.start - cell.start, min(e.end, cell.end) - cell.start, e.new)
            for e in edits
            if cell.start <= e.start and (e.end <= cell.end or e.start < cell.end)
        ]
        whole = new.text[cell.start : cell.end]
        text = apply(whole, mine)
        if mine and not whole.endswith("\n"):
            text = text.rstrip("\n")
        for edit in by_line(document.text[old.start : old.end], text):
            yield Edit(edit.start + old.start, edit.end + old.start, edit.new)


def lines_back(old: str, new: str) -> list[int]:
    """For each line of the changed text the line of the old one; or the last one before it."""
    import difflib

    a, b = old.splitlines(), new.splitlines()
    found: list[int] = []
    for tag, i1, _, j1, j2 in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag != "delete":
            found += [i1 + (k if tag == "equal" else 0) + 1 for k in range(j2 - j1)]
    return found


__all__ = ["SHARED", "apart", "back", "lines_back", "rewritten"]
