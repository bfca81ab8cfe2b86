"""Blank lines around what came and what went, and the edits that make one text of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.source import apply
from migrate.programs.graph.model import Blocked

# Marks in the text, until its blank lines are put in order.
OPEN, CLOSE, GONE = "\x01", "\x02", "\x03\n"


def tidy(text: str) -> str:
    """The text with its blank lines in order around what came and what went; others stay."""
    text = text.replace("\r\n", "\n") if "\r\n" in text else text
    out: list[str] = []
    blank: list[str] = []  # blank lines since the last line
    want = 0  # at least so many before the next line
    gone = False
    before: list[str] = []  # blank lines before what went
    for line in text.split("\n"):
        if line[:1] in (OPEN, CLOSE):
            want = max(want, int(line[1:]))
        elif line[:1] == GONE[:1]:
            if not gone:
                before = blank
            gone, blank = True, []
        elif not line.strip():
            blank.append(line)
        else:
            if gone:
                opens = bool(out) and out[-1].endswith(":")  # a block begins with no blank line
                blank = before if opens else max(blank, before, key=len)
            count = max(len(blank), want) if out else 0
            dedents = bool(out) and out[-1][:1].isspace() and not line[:1].isspace()
            if want and count > want:
                count = min(count, 2) if dedents else want
            if want and out and _opens(out[-1], line):
                count = 0
            out.extend([*blank, *[""] * (count - len(blank))][:count])
            out.append(line)
            blank, want, gone, before = [], 0, False, []
    return "\n".join(out) + "\n"


def _opens(header: str, line: str) -> bool:
    """Whether a line is the first one of a block."""
    deeper = len(line) - len(line.lstrip()) > len(header) - len(header.lstrip())
    return header.rstrip().endswith(":") and deeper


def by_line(old: str, new: str) -> list[Edit]:
    """The edits, by lines, that make one text of another."""
    import difflib

    size = len(old)
    if not (old.endswith("\n") or new.endswith("\n")):  # a cell: its last line is as any other
        newline = "\r\n" if "\r\n" in old else "\n"
        changes = by_line(old + newline, new + "\n")
        return [_inside(e, old, newline) if e.end > size else e for e in changes]
    if "\r\n" in old:
        new = new.replace("\r\n", "\n").replace("\n", "\r\n")
    a, b = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in a:
        starts.append(starts[-1] + len(line))
    return [
        Edit(starts[i1], starts[i2], "".join(b[j1:j2]))
        for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
        if tag != "equal"
    ]


def _inside(edit: Edit, old: str, newline: str) -> Edit:
    """An edit of the last lines, in a text whose last one ends without a newline."""
    start, end, new = edit.start, len(old), edit.new.removesuffix(newline)
    if start > end:
        return Edit(end, end, newline + new)
    if not edit.new and start:
        start -= len(newline)
    return Edit(start, end, new)


def _apart(change: Edit, spans: Sequence[tuple[int, int]]) -> Iterator[Edit]:
    """A change of a statement whose comments begin in a cell before, as one of each cell."""
    over = [s for s in spans if max(s[0], change.start) < min(s[1], change.end)]
    for start, end in over[:-1]:
        yield Edit(max(start, change.start), min(end, change.end), "")
    start = max(change.start, over[-1][0]) if over else change.start
    yield Edit(start, change.end, change.new)


def by_cell(document: Document, changes: Sequence[Edit]) -> Iterator[Edit]:
    """Edits with marks in them as edits by lines; a notebook's stay inside its cells.

    Raises:
        Blocked: a change lies between two cells.
    """
    text, notebook = document.text, document.notebook
    spans = [(0, len(text))]
    if notebook is not None:
        spans = [(cell.start, cell.end) for cell in notebook.cells]
    changes = [part for change in changes for part in _apart(change, spans)]
    left = len(changes)
    closed = {end for _, end in spans} - {start for start, _ in spans}
    for start, end in spans:
        mine = [
            Edit(e.start - start, min(e.end, end) - start, e.new)
            for e in changes
            if start <= e.start and (e.start < end or e.start == e.end == end in closed)
        ]
        left -= len(mine)
        if not mine:
            continue
        old = text[start:end]
        new = tidy(apply(old, mine))
        if notebook is not None and not old.endswith("\n"):
            new = new.rstrip("\n")
        for edit in by_line(old, new):
            yield Edit(edit.start + start, edit.end + start, edit.new)
    if left:
        raise Blocked(document.tree.body[0], "a change between a notebook's cells")
