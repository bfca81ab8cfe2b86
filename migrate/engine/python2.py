"""Python 2 source: brought to Python 3 with its layout, or reported where that needs a person.

``modernize`` is for source that Python 3 does not parse: fissix rewrites the syntax, and
``python2_names`` what has another name or meaning. ``leftovers`` is for source that does parse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.python2_syntax import converted_syntax
from migrate.engine.python2_tables import quick
from migrate.engine.source import (
    EditConflict,
    LineIndex,
    SourceError,
    apply,
    dominant_newline,
    parse,
)

if TYPE_CHECKING:
    import ast

    from migrate.engine.notebook import Notebook
    from migrate.engine.python2_places import Fix


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that was changed; the line is that of the text before."""

    line: int
    what: str
    before: str
    after: str

    @property
    def message(self) -> str:
        """The change in one line."""
        if not self.before and not self.after:
            return self.what
        if not self.after:
            return f"{self.what}: `{_short(self.before)}` went"
        return f"{self.what}: `{_short(self.before)}` became `{_short(self.after)}`"


@dataclass(frozen=True, slots=True)
class Note:
    """What a person must look at; the line is that of the text before."""

    line: int
    message: str


@dataclass(slots=True)
class Modernized:
    """Source in Python 3; or, where ``text`` is None, the reason why it could not be brought there.

    ``edits`` lead from the text before to ``text``.
    """

    text: str | None
    changes: list[Change] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Leftover:
    """A use of what only Python 2 has, in source that Python 3 parses."""

    start: int
    end: int
    message: str
    edits: tuple[Edit, ...]  # none: a person must act, or the edit of a larger one mends it
    fixed: bool
    within: int | None = None  # where the one begins whose edits mend this one too


def modernize(
    text: str, path: str = "", *, siblings: frozenset[str] = frozenset()
) -> Modernized | None:
    """Bring Python 2 source to Python 3; None for source that Python 3 parses already.

    ``siblings`` are the modules and packages beside the file, if it is in a package: imports of
    them become relative.
    """
    return _modernized(text, siblings)


# A file is read when it is judged, once more with those of its program, and when it is rewritten.
@lru_cache(maxsize=64)
def _modernized(text: str, siblings: frozenset[str]) -> Modernized | None:
    error = parse(text)
    if not isinstance(error, str):
        return None
    from migrate.engine.python2_names import find

    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        converted, marks, places = converted_syntax(plain)
    except SourceError as refused:
        return Modernized(None, reason=refused.reason)
    tree = parse(converted)
    if isinstance(tree, str):
        return Modernized(None, reason=tree)
    fixes = find(tree, converted, python2=True, siblings=siblings)
    made = [edit for fix in fixes for edit in fix.edits]
    if made and isinstance(parse(apply(converted, made)), str):
        fixes, made = [fix for fix in fixes if not fix.fixed], []
    final = apply(converted, made)
    moved = _moved(converted, made, final)
    whole = [moved[place - 1] if place else 0 for place in places]
    edits = _line_edits(text, final, whole)
    changes, notes = _report(plain, converted, final, places, whole, marks, fixes)
    return Modernized(apply(text, edits), changes, notes, edits)


def modernize_notebook(
    notebook: Notebook, *, siblings: frozenset[str] = frozenset()
) -> tuple[Notebook, Modernized] | None:
    """The same for a notebook, cell by cell; None if there is nothing of Python 2 in its syntax.

    Cells that are neither Python 3 nor Python 2 are masked (``Notebook.broken``). The lines of
    changes and notes are those of the text of the notebook that was given.
    """
    if not isinstance(parse(notebook.text), str):
        return None
    from migrate.engine.python2_names import find

    before = notebook.text
    edits: list[Edit] = []
    marks: list[tuple[int, str]] = []
    for cell in notebook.cells:
        code = notebook.text[cell.start : cell.end]
        if cell.opaque or not isinstance(parse(code), str):
            continue
        try:
            new, found, places = converted_syntax(code.replace("\r\n", "\n").replace("\r", "\n"))
        except SourceError:
            continue
        if isinstance(parse(new), str):
            continue
        mine = [
            Edit(edit.start + cell.start, edit.end + cell.start, edit.new)
            for edit in _line_edits(code, new, places)
        ]
        if _accepted(notebook, mine):
            edits += mine
            marks += [(line + cell.first_line - 1, what) for line, what in found]
    if not edits:
        return None
    places = _moved(before, edits, apply(before, edits))
    notebook = notebook.edited(edits)
    tree = parse(notebook.text)
    if isinstance(tree, str):
        notebook = notebook.without_broken()
        tree = parse(notebook.text)
    if isinstance(tree, str):
        raise SourceError(tree)
    converted = notebook.text
    fixes = find(tree, converted, python2=True, siblings=siblings)
    fixes = [fix for fix in fixes if not fix.edits or _accepted(notebook, fix.edits)]
    made = [edit for fix in fixes for edit in fix.edits]
    if not _accepted(notebook, made) or isinstance(parse(apply(converted, made)), str):
        fixes, made = [fix for fix in fixes if not fix.fixed], []
    final = apply(converted, made)
    moved = _moved(converted, made, final)
    whole = [moved[place - 1] if 0 < place <= len(moved) else 0 for place in places]
    changes, notes = _report(before, converted, final, places, whole, marks, fixes)
    notebook = notebook.edited(made)
    return notebook, Modernized(notebook.text, changes, notes)


def leftovers(tree: ast.Module, text: str, *, index: LineIndex | None = None) -> list[Leftover]:
    """What only Python 2 has, in source that parses on Python 3, in the order of the text."""
    if not quick(text):
        return []
    from migrate.engine.python2_names import find

    return [
        Leftover(
            fix.start,
            fix.end,
            fix.what,
            tuple(fix.edits),
            fix.fixed,
            fix.within.start if fix.within is not None else None,
        )
        for fix in find(tree, text, python2=False, index=index)
    ]


def _accepted(notebook: Notebook, edits: Sequence[Edit]) -> bool:
    """Whether a notebook takes edits: they must not touch what is masked."""
    try:
        notebook.encode(edits)
    except EditConflict:
        return False
    return True


# --- reporting --------------------------------------------------------------------------------


def _moved(text: str, edits: Sequence[Edit], final: str) -> list[int]:
    """For each line of a text its line after the edits, from 1; 0 where it is gone."""
    starts = LineIndex(text).starts
    lines = LineIndex(final)
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    result: list[int] = []
    at = shift = last = 0
    for start, following in zip(starts, [*starts[1:], len(text)], strict=True):
        while at < len(ordered) and ordered[at].end <= start:
            edit = ordered[at]
            shift += len(edit.new) - (edit.end - edit.start)
            at += 1
        gone = at < len(ordered) and (
            ordered[at].start < start
            or (
                ordered[at].start == start < following <= ordered[at].end
                and (following < len(text) or not ordered[at].new)
            )
        )
        line = 0 if gone else lines.position(start + shift)[0]
        result.append(line if line > last else 0)
        last = max(last, line)
    return result


def _report(
    plain: str,
    converted: str,
    final: str,
    places: Sequence[int],
    whole: Sequence[int],
    marks: Sequence[tuple[int, str]],
    fixes: Sequence[Fix],
) -> tuple[list[Change], list[Note]]:
    """What was changed and what is left, on the lines of the text before."""
    index = LineIndex(converted)
    old_of: dict[int, int] = {place: line for line, place in enumerate(places, 1) if place}
    notes: list[Note] = []
    listed = list(marks)
    added = {fix.what for fix in fixes if fix.start == fix.end}
    for fix in fixes:
        line = index.position(fix.start)[0]
        while line > 1 and line not in old_of:
            line -= 1
        line = old_of.get(line, 1)
        if fix.fixed:
            listed.append((line, fix.what))
        else:
            notes.append(Note(line, fix.what))
    old, new = plain.split("\n"), final.split("\n")
    changes: list[Change] = []
    for line, what in sorted(dict.fromkeys(listed), key=lambda mark: mark[0]):
        before = old[line - 1].strip() if line <= len(old) else ""
        at = whole[line - 1] if line <= len(whole) else 0
        after = new[at - 1].strip() if at else ""
        if before == after or what in added:
            before = after = ""
        changes.append(Change(line, what, before, after))
    return changes, sorted(dict.fromkeys(notes), key=lambda note: note.line)


def _line_edits(text: str, final: str, places: Sequence[int]) -> list[Edit]:
    """Edits of lines or less from a text, whatever its newlines, to one with ``\\n`` only.

    ``places`` says for each old line which new one it is, so that inserted lines stay apart.
    """
    starts = [*LineIndex(text).starts, len(text)]
    newline = dominant_newline(text)
    old = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    new = final.split("\n")
    pairs = [(line, place) for line, place in enumerate(places) if 0 < place <= len(new)]
    edits: list[Edit] = []
    at_old = at_new = 0
    for line, place in [*pairs, (len(old), len(new) + 1)]:
        lines = new[at_new : place - 1]
        if line < len(old):
            if at_old < line or lines:
                body = "".join([content + newline for content in lines])
                edits.append(Edit(starts[at_old], starts[line], body))
            if old[line] != new[place - 1]:
                edits.append(_within(starts[line], old[line], new[place - 1]))
        elif at_old < line or lines:
            # To the end of the text: the newline before goes or comes with the lines.
            start = starts[at_old] if at_old < len(old) else len(text)
            if not lines and at_old:
                start = len(text[:start].removesuffix("\n").removesuffix("\r"))
            lead = newline if lines and at_old == len(old) else ""
            edits.append(Edit(start, len(text), lead + newline.join(lines)))
        at_old, at_new = line + 1, place
    return edits


def _within(start: int, old: str, new: str) -> Edit:
    """The part of a line that differs."""
    shortest = min(len(old), len(new))
    head = 0
    while head < shortest and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shortest - head and old[-tail - 1] == new[-tail - 1]:
        tail += 1
    return Edit(start + head, start + len(old) - tail, new[head : len(new) - tail])


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 72 else text[:71] + "…"
