"""Forms that are written otherwise before a program is read again: the edits of a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from itertools import takewhile

from migrate.engine.findings import Edit
from migrate.engine.joined import Part, moved, part_of
from migrate.programs.graph.wording.spelled import Gone, Outer, Source, Spelled

BLOCKS = (ast.For, ast.While, ast.With, ast.If, ast.Try)  # they have comments of their own

Above = tuple[ast.stmt, Callable[[Source], Sequence[str]]]  # a statement, and lines before it


def everywhere(parts: Sequence[Part], error: Spelled) -> None:
    """Find the edits of the file where something stands, and those of other files."""
    own = part_of(parts, error.node)
    places = {id(n): part_of(parts, n) for n, _ in (*error.replaced, *error.before)}
    error.edits = edits(own, _within(own, error, places))
    for part in parts:
        if part is not own and part in places.values():
            more = edits(part, _within(part, error, places))
            if more is None:
                error.edits = None
                return
            error.more[part.document.path] = more


def instead(parts: Sequence[Part], error: Spelled | None) -> Spelled | None:
    """The same with its edits, by its own file's lines; None where it can't be written."""
    if error is None:
        return None
    everywhere(parts, error)
    if len(parts) > 1:
        part = part_of(parts, error.node)
        error.path, error.node = part.document.path, moved(error.node, part)
    return error if error.edits is not None else None


def _within(part: Part, error: Spelled, places: dict[int, Part]) -> Spelled:
    """What is written otherwise in one of the files."""
    replaced = [one for one in error.replaced if places[id(one[0])] is part]
    before = [one for one in error.before if places[id(one[0])] is part]
    return Spelled(error.node, error.reason, replaced, before, error.otherwise)


def _commented(text: str, start: int) -> int:
    """Where the comments begin that stand right above a line, as deep as it."""
    line = text[start : text.find("\n", start)]
    indent = line[: len(line) - len(line.lstrip())]
    while (above := text[:start].splitlines(keepends=True)[-1:]) and (
        above[0].startswith(f"{indent}#")
    ):
        start -= len(above[0])
    return start


SHARED = re.compile(r"\s*;[ \t]*[^\s#]")  # another statement follows on the line
NEXT = re.compile(r";([ \t]*)")


def _beside(text: str, start: int, head: str) -> int:
    """The line behind the statement before, as deep, where only empty lines stand between."""
    above = text[:start].rstrip(" \n")
    last = above[above.rfind("\n") + 1 :]
    same = bool(last) and last[: len(last) - len(last.lstrip())] == head
    return text.find("\n", len(above)) + 1 if same and not last.lstrip().startswith("#") else start


def _parted(before: str, after: str, own: int, rest: int) -> Edit | None:
    """A statement goes from a line that it shares: ``loaded = tf.Graph(); n = 3``.

    None where it stands behind a header, ``if a: loaded = …``.
    """
    if not before.strip():
        return Edit(own, rest + after.index(";") + 1 + len(NEXT.findall(after)[0]), "")
    kept = before.rstrip()
    return Edit(own - len(before) + len(kept) - 1, rest, "") if kept.endswith(";") else None


def edits(part: Part, error: Spelled) -> list[Edit] | None:
    """What a file's text becomes; None where the text isn't there as it was read."""
    document = part.document

    def span(node: ast.AST) -> tuple[int, int]:
        line, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        start = document.index.offset(line - part.line, node.col_offset)  # type: ignore[attr-defined]
        end = document.index.offset(last - part.line, node.end_col_offset)  # type: ignore[attr-defined]
        return start, end

    def source(node: ast.AST) -> str:
        start, end = span(node)
        return document.text[start:end]

    found = []
    above: dict[int, list[Above]] = {}
    for one in error.before:
        above.setdefault(id(one[0]), []).append(one)
    for node, written in error.replaced:
        start, end = span(node)
        new = written(source)
        if new is None:
            return edits(part, error.otherwise) if error.otherwise is not None else None
        if not new and id(node) in above:  # what stands before a statement takes its place
            head = document.text[document.text.rfind("\n", 0, start) + 1 : start]
            if head.strip():
                return None
            lines = [line for _, made in above.pop(id(node)) for line in made(source)]
            found.append(Edit(start, end, f"\n{head}".join(lines)))
            continue
        if not new:  # a statement goes, with its line
            own, start = start, document.text.rfind("\n", 0, start) + 1
            rest, end = end, document.text.find("\n", end) + 1 or len(document.text)
            before, after = document.text[start:own], document.text[rest:end]
            if before.strip() or SHARED.match(after):  # others have the same line
                parted = _parted(before, after, own, rest)
                if parted is None:
                    return None
                found.append(parted)
                continue
            if "#" in document.text[rest:end] and error.otherwise is not None:
                return edits(part, error.otherwise)
            if isinstance(new, Gone):
                start = _commented(document.text, start)
            above_it = reversed(document.text[:start].splitlines())
            for _ in takewhile(
                lambda line: not line.strip(), above_it
            ):  # as many blank lines stay as there were on one side
                following = document.text.find("\n", end) + 1
                if not document.text[end:following].strip():
                    end = max(end, following)
        found.append(Edit(start, end, new))
    for stmt, made in (one for each in above.values() for one in each):
        start = span(stmt)[0]
        head = document.text[document.text.rfind("\n", 0, start) + 1 : start]
        if head.strip():
            return None
        lines = list(made(source))
        text = "".join(f"{line}\n{head}" for line in lines)
        if "" in lines:  # whole lines, so that nothing stands in an empty one
            start, text = start - len(head), "".join(f"{head}{n}\n" if n else "\n" for n in lines)
            while (above_ := document.text[:start].splitlines(keepends=True)[-1:]) and (
                above_[0].startswith(f"{head}#")
            ):
                start -= len(above_[0])  # a comment on the statement stays with it
        elif isinstance(stmt, BLOCKS) or any(isinstance(line, Outer) for line in lines):
            # what a block's comment says isn't of the line before it, which may go
            start = _beside(document.text, _commented(document.text, start - len(head)), head)
            text = "".join(f"{head}{line}\n" for line in lines)
        found.append(Edit(start, start, text))
    return sorted(found, key=lambda e: (e.start, e.end))
