"""A notebook's JSON with positions, so that an edit of a cell changes its source strings alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from migrate.engine.findings import Edit
from migrate.engine.source import SourceError, apply


class Item:
    """A JSON string: its span with the quotes, and what it stands for."""

    __slots__ = ("end", "start", "value")

    def __init__(self, start: int, end: int, value: str) -> None:
        self.start = start
        self.end = end
        self.value = value


class Node:
    """A JSON value's span, with its members where it is an object or an array."""

    __slots__ = ("end", "items", "members", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.members: dict[str, Node] | None = None
        self.items: list[Node] | None = None


class Cell:
    """A code cell; ``text[start:end]`` without the newline that was added where it had none."""

    __slots__ = ("array", "end", "first_line", "items", "number", "opaque", "raw", "start", "top")

    def __init__(self, number: int, items: list[Item], array: tuple[int, int] | None) -> None:
        self.number = number  # among all the notebook's cells, from 1
        self.items = items
        self.array = array  # the JSON span of a list of lines; None: one string
        self.raw = "".join([item.value for item in items])
        self.start = self.end = 0
        self.first_line = 1
        self.opaque = False  # wholly masked: not Python
        self.top = 0  # the length of a leading %%magic line with its newline

    @property
    def added_newline(self) -> bool:
        """Whether ``text`` has a newline after this cell that the cell itself lacks."""
        return not self.raw.endswith("\n")


def raw_cells(loaded: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells of a loaded notebook, all kinds."""
    if loaded["nbformat"] == 4:
        cells: list[dict[str, Any]] = loaded["cells"]
        return cells
    return [cell for sheet in loaded["worksheets"] for cell in sheet["cells"]]


def source_key(cell: dict[str, Any]) -> str:
    """Where a code cell keeps its source: ``input`` before nbformat 4."""
    return "source" if "source" in cell else "input"


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]|[^\s{}\[\],:"]+')


def scan(document: str) -> Node:
    """The spans of a valid JSON document; as for ``json``, the last of equal keys counts."""
    root = Node(0)
    stack: list[Node] = []
    keys: list[str | None] = []
    for token in _TOKEN.finditer(document):
        first = document[token.start()]
        if first in "}]":
            node = stack.pop()
            keys.pop()
            node.end = token.end()
            continue
        parent = stack[-1] if stack else None
        if parent is not None and parent.members is not None and keys[-1] is None:
            keys[-1] = json.loads(token[0])
            continue
        node = Node(token.start())
        node.end = token.end()
        if parent is None:
            root = node
        elif parent.members is not None:
            parent.members[keys[-1] or ""] = node
            keys[-1] = None
        elif parent.items is not None:
            parent.items.append(node)
        if first in "{[":
            if first == "{":
                node.members = {}
            else:
                node.items = []
            stack.append(node)
            keys.append(None)
    return root


def node_cells(root: Node) -> list[Node]:
    """The cells' spans, in the order of ``raw_cells``."""
    members = root.members or {}
    sheets = (members["worksheets"].items or []) if "worksheets" in members else [root]
    if "cells" in members:
        sheets = [root]
    return [cell for sheet in sheets for cell in ((sheet.members or {})["cells"].items or [])]


def code_cell(document: str, node: Node, value: dict[str, Any], number: int) -> Cell | None:
    if value.get("cell_type") != "code":
        return None
    source = (node.members or {}).get(source_key(value))
    if source is None:
        return None
    nodes = [source] if source.items is None else source.items
    items: list[Item] = []
    for part in nodes:
        if document[part.start] != '"':
            raise SourceError(f"the source of cell {number} is not text")
        items.append(Item(part.start, part.end, json.loads(document[part.start : part.end])))
    return Cell(number, items, None if source.items is None else (source.start, source.end))


def escapes_non_ascii(document: str) -> bool:
    """Whether the file writes ``\\u00e9`` where others write the character itself."""
    if not document.isascii() or "\\u" not in document:
        return False
    return any(
        found[1] is not None and int(found[1], 16) > 0x9F
        for found in re.finditer(r"(?s)\\(?:u([0-9a-fA-F]{4})|.)", document)
    )


_CHARACTER = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]",
    re.DOTALL,
)


def _character_starts(document: str, item: Item) -> list[int]:
    """Where each character of a JSON string begins in the document, and where the last ends."""
    starts = [
        found.start() for found in _CHARACTER.finditer(document, item.start + 1, item.end - 1)
    ]
    starts.append(item.end - 1)
    return starts


def splices_of(document: str, cell: Cell, edits: list[Edit], ascii_only: bool) -> list[Edit]:
    """The edits of a cell as edits of the JSON document."""
    values = [item.value for item in cell.items]
    text = cell.raw
    if cell.array is not None:
        for split in (str.splitlines, _split_at_newlines):
            if split(text, True) == values:
                return _by_lines(document, cell, edits, ascii_only, split)
    result = []
    for edit in _once(edits):
        new = json.dumps(edit.new, ensure_ascii=ascii_only)[1:-1]
        at = 0
        placed = False
        for position, item in enumerate(cell.items):
            start, end = max(edit.start - at, 0), min(edit.end - at, len(item.value))
            at += len(item.value)
            last = position == len(cell.items) - 1
            here = not placed and edit.start <= at and (edit.start < at or last)
            if not here and not (placed and start < end):
                continue
            starts = _character_starts(document, item)
            result.append(Edit(starts[start], starts[max(start, end)], "" if placed else new))
            placed = True
        if not placed:
            assert cell.array is not None  # an empty list of lines
            result.append(Edit(cell.array[0] + 1, cell.array[0] + 1, f'"{new}"'))
    return result


def _once(edits: list[Edit]) -> list[Edit]:
    """Edits as `apply` takes them: the same replacement twice is one, insertions are not."""
    return [e for i, e in enumerate(edits) if e.start == e.end or e not in edits[:i]]


def _split_at_newlines(text: str, keepends: bool) -> list[str]:
    """As str.splitlines, at ``\\n`` only."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _by_lines(
    document: str,
    cell: Cell,
    edits: list[Edit],
    ascii_only: bool,
    split: Callable[[str, bool], list[str]],
) -> list[Edit]:
    """Edits of a cell that is stored as a list of its lines, which the result is again."""
    # The raw JSON of every character, or of runs of them that no edit touches.
    at = 0
    pending = _once(edits)
    new_text = apply(cell.raw, pending)
    touched = [(edit.start, edit.end) for edit in pending]
    pieces: list[tuple[int, int, str]] = []  # start, end in the old text, raw JSON
    for item in cell.items:
        end = at + len(item.value)
        if any(start <= end and at <= stop for start, stop in touched):
            starts = _character_starts(document, item)
            pieces += [
                (at + i, at + i + 1, document[starts[i] : starts[i + 1]])
                for i in range(len(item.value))
            ]
        else:
            pieces.append((at, end, document[item.start + 1 : item.end - 1]))
        at = end
    raws, lengths = _merge(pieces, pending, ascii_only)
    old = [document[item.start : item.end] for item in cell.items]
    new: list[str] = []
    index = 0
    for line in split(new_text, True):
        parts: list[str] = []
        need = len(line)
        while need > 0:
            parts.append(raws[index])
            need -= lengths[index]
            index += 1
        if need < 0:
            raise SourceError("an edit splits what is one line of the notebook")
        new.append('"' + "".join(parts) + '"')
    return _list_splices(document, cell, old, new)


def _merge(
    pieces: list[tuple[int, int, str]], edits: list[Edit], ascii_only: bool
) -> tuple[list[str], list[int]]:
    """The raw JSON pieces of the new text, and how many characters each stands for."""
    raws: list[str] = []
    lengths: list[int] = []
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    at = 0
    deleted_to = 0
    for start, end, raw in [*pieces, (1 << 60, 1 << 60, "")]:
        while at < len(ordered) and ordered[at].start <= start:
            for character in ordered[at].new:
                raws.append(json.dumps(character, ensure_ascii=ascii_only)[1:-1])
                lengths.append(1)
            deleted_to = max(deleted_to, ordered[at].end)
            at += 1
        if start >= deleted_to and raw:
            raws.append(raw)
            lengths.append(end - start)
    return raws, lengths


def _list_splices(document: str, cell: Cell, old: list[str], new: list[str]) -> list[Edit]:
    """Edits that make a JSON list of strings from another; what is equal stays where it is."""
    assert cell.array is not None
    array_start, array_end = cell.array
    items = cell.items
    if not new:
        return [Edit(array_start, array_end, "[]")]
    if not old:
        outer = re.search(r"(?:^|\n)([ \t]*)[^\n]*$", document[:array_start])
        step = re.match(r"\s*\{\r?\n([ \t]+)", document)
        if step is None or outer is None:
            return [Edit(array_start, array_end, "[" + ", ".join(new) + "]")]
        inner = "\n" + outer[1] + step[1]
        body = inner + ("," + inner).join(new) + "\n" + outer[1]
        return [Edit(array_start, array_end, f"[{body}]")]
    gaps = [document[before.end : after.start] for before, after in pairwise(items)]
    if gaps:
        gap = max(set(gaps), key=gaps.count)
    else:
        lead = document[array_start + 1 : items[0].start]
        gap = "," + (lead or " ")
    if len(old) == len(new):
        return [
            Edit(item.start, item.end, after)
            for item, before, after in zip(items, old, new, strict=True)
            if before != after
        ]
    from difflib import SequenceMatcher

    result: list[Edit] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        lines = new[j1:j2]
        if tag == "replace":
            result.append(Edit(items[i1].start, items[i2 - 1].end, gap.join(lines)))
        elif tag == "delete" and i2 < len(old):
            result.append(Edit(items[i1].start, items[i2].start, ""))
        elif tag == "delete":
            result.append(Edit(items[i1 - 1].end, items[i2 - 1].end, ""))
        elif tag == "insert" and i1 < len(old):
            text = "".join([line + gap for line in lines])
            result.append(Edit(items[i1].start, items[i1].start, text))
        elif tag == "insert":
            text = "".join([gap + line for line in lines])
            result.append(Edit(items[-1].end, items[-1].end, text))
    return result


def last_lines(raw: str, edits: list[Edit]) -> list[Edit]:
    """The deletion of a cell's last line takes the newline before it; another may have taken it."""
    ordered = _in_place_of_the_last(raw, sorted(edits, key=lambda edit: (edit.start, edit.end)))
    edits = ordered
    if len(ordered) < 2:
        return edits
    before, last = ordered[-2:]
    if last.new or before.new or last.end != len(raw) or last.start != before.end - 1:
        return edits
    start = before.start - (before.start > 0 and raw[before.start - 1] == "\n")
    return [*ordered[:-2], Edit(start, last.end, "")]


def _in_place_of_the_last(raw: str, ordered: list[Edit]) -> list[Edit]:
    """Lines that are put above a cell's last line, which goes, are its last lines."""
    gone = next((e for e in ordered if not e.new and e.start < e.end == len(raw)), None)
    if gone is None or raw[gone.start] != "\n":
        return ordered
    put = [e for e in ordered if e.start == e.end == gone.start + 1]
    if not put:
        return ordered
    new = "\n" + "".join(e.new for e in put).removesuffix("\n")
    rest = [e for e in ordered if e is not gone and e not in put]
    return [*rest, Edit(gone.start, gone.end, new)]
