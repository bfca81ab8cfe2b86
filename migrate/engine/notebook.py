"""Jupyter notebooks as one module: code cells in order, magics masked, edits spliced into the JSON.

``Notebook.text`` is Python with the length and the lines of the cells' own text (``raw``): what
IPython alone understands is overwritten with ``pass``, ``None`` or blanks. The bytes written back
differ from those read in the edited source strings only.
"""

from __future__ import annotations

import ast
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

from migrate.engine.findings import Edit
from migrate.engine.source import EditConflict, LineIndex, SourceError, apply, parse

_BOM = b"\xef\xbb\xbf"


class Mask:
    """A stretch ``text[start:end]`` that hides IPython syntax."""

    __slots__ = ("code_end", "end", "start")

    def __init__(self, start: int, end: int, code_end: int = -1) -> None:
        self.start = start
        self.end = end
        self.code_end = code_end  # of the Python that a magic such as %time carries; -1: none

    def shifted(self, by: int) -> Mask:
        """The same in a longer text."""
        code_end = self.code_end if self.code_end < 0 else self.code_end + by
        return Mask(self.start + by, self.end + by, code_end)


class Cell:
    """A code cell; ``text[start:end]`` without the newline that was added where it had none."""

    __slots__ = ("array", "end", "first_line", "items", "number", "opaque", "raw", "start", "top")

    def __init__(self, number: int, items: list[_Item], array: tuple[int, int] | None) -> None:
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


class Notebook:
    """A notebook's Python and the way back into its bytes."""

    newline = "\n"

    def __init__(self, path: str, data: bytes, document: str, nbformat: int) -> None:
        self.path = path
        self.data = data
        self.nbformat = nbformat
        self.cells: list[Cell] = []
        self.masks: list[Mask] = []
        self.broken: list[tuple[int, str]] = []  # cell, reason: masked, since they do not parse
        self.raw = ""  # the cells' own text, as long as ``text``
        self.text = ""
        self._document = document
        self._lines: LineIndex | None = None

    @property
    def lines(self) -> LineIndex:
        """The positions of ``text``."""
        if self._lines is None:
            self._lines = LineIndex(self.text)
        return self._lines

    def with_newlines(self, text: str) -> str:
        """As for a source; notebooks end their lines with ``\\n``."""
        return text

    def locate(self, line: int) -> tuple[int, int]:
        """The cell (from 1, over all cells) and the line in it of a line of ``text``."""
        if not self.cells:
            return 1, line
        at = bisect_right(self.cells, line, key=lambda cell: cell.first_line) - 1
        cell = self.cells[max(at, 0)]
        return cell.number, line - cell.first_line + 1

    def magics(self) -> Iterator[tuple[int, str]]:
        """What is masked: its offset in ``text`` and what the author wrote there."""
        for mask in self.masks:
            yield mask.start, self.raw[mask.start : mask.end]

    def without_broken(self) -> Notebook:
        """The notebook with the cells masked that are not Python 3; they are listed in ``broken``.

        For a notebook whose text does not parse: one scratch cell must not hide the others.
        """
        broken: dict[int, str] = {}
        for cell in self.cells:
            tree = parse(self.text[cell.start : cell.end])
            if isinstance(tree, str):
                broken[cell.number] = tree
        return _parse(self.path, self.data, broken)

    def encode(self, edits: Iterable[Edit]) -> bytes:
        """The notebook's bytes with the edits of ``text`` made in its cells."""
        by_cell: dict[int, list[Edit]] = {}
        for edit in edits:
            index, local = self._to_cell(edit)
            by_cell.setdefault(index, []).append(local)
        if not by_cell:
            return self.data
        splices: list[Edit] = []
        expected: dict[int, str] = {}
        ascii_only = _escapes_non_ascii(self._document)
        for index, given in by_cell.items():
            cell = self.cells[index]
            local_edits = _last_lines(cell.raw, given)
            expected[cell.number] = apply(cell.raw, local_edits)
            splices += _splices(self._document, cell, local_edits, ascii_only)
        document = apply(self._document, splices)
        head = _BOM if self.data.startswith(_BOM) else b""
        try:
            data = head + document.encode()
        except UnicodeError as error:
            raise SourceError(f"cannot be written as UTF-8: {error}") from None
        self._verify(document, expected)
        return data

    def edited(self, edits: Iterable[Edit]) -> Notebook:
        """The notebook after the edits; offsets and masks are those of its own text."""
        return _parse(self.path, self.encode(edits), dict(self.broken))

    def _to_cell(self, edit: Edit) -> tuple[int, Edit]:
        """The index of the cell that an edit belongs to, and the edit in that cell's offsets."""
        if not 0 <= edit.start <= edit.end <= len(self.text):
            raise EditConflict(f"edit {edit!r} is outside of the text")
        if not self.cells:
            raise EditConflict("the notebook has no code cell to edit")
        index = bisect_right(self.cells, edit.start, key=lambda cell: cell.start) - 1
        cell = self.cells[index]
        start, end, new = edit.start - cell.start, edit.end - cell.start, edit.new
        if start == end == 0 and (cell.top or cell.opaque):
            return self._before_magic(index, new)
        size = len(cell.raw)
        if start > size:  # the end of the text, after a newline that was added
            return index, self._after(cell, new)
        if end > size:
            if end > size + 1 or not cell.added_newline:
                raise EditConflict("an edit reaches over several cells")
            end = size
            if new.endswith("\n"):
                new = new[:-1]
            elif new or (start and cell.raw[start - 1] != "\n"):
                raise EditConflict("an edit joins two cells")
            elif start:
                start -= 1  # the last line goes: so does the newline before it
        local = Edit(start, end, new)
        self._check_masks(cell, local)
        return index, local

    def _before_magic(self, index: int, new: str) -> tuple[int, Edit]:
        """Where a text goes that was meant to precede a cell magic, which must stay on top."""
        cell = self.cells[index]
        if not cell.opaque:
            if len(cell.raw) < cell.top:
                return index, Edit(len(cell.raw), len(cell.raw), "\n" + new.removesuffix("\n"))
            return index, Edit(cell.top, cell.top, new)
        for other in range(index - 1, -1, -1):
            if not self.cells[other].opaque:
                return other, self._after(self.cells[other], new)
        raise EditConflict("there is no place before a cell that is not Python")

    def _after(self, cell: Cell, new: str) -> Edit:
        """An edit that appends whole lines to a cell."""
        if cell.opaque:
            raise EditConflict("the edit would change a cell that is not Python")
        if cell.added_newline and cell.raw:
            new = "\n" + new.removesuffix("\n")
        return Edit(len(cell.raw), len(cell.raw), new)

    def _check_masks(self, cell: Cell, local: Edit) -> None:
        """Refuse an edit that would touch what is masked."""
        if cell.opaque:
            raise EditConflict("the edit would change a cell that is not Python")
        start, end, new = cell.start + local.start, cell.start + local.end, local.new
        for mask in self.masks:
            if start == end:
                last_line = new[new.rfind("\n") + 1 :]
                refused = (
                    mask.start < start < mask.end
                    or (start == mask.start and (last_line.strip() or "\n" not in new))
                    or (start == mask.end and mask.code_end < 0 and not new.startswith("\n"))
                )
            else:
                refused = start < mask.end and mask.start < end
            inside = new.removesuffix("\n") if end > mask.code_end else new
            if not refused and "\n" in inside and mask.code_end >= 0:
                refused = mask.end <= start < mask.code_end or (
                    start == mask.code_end and not new.startswith("\n")
                )
            if refused:
                raise EditConflict(f"the edit would change {self.raw[mask.start : mask.end]!r}")

    def _verify(self, document: str, expected: dict[int, str]) -> None:
        """Nothing but the expected cells' source may differ."""
        before, after = json.loads(self._document), json.loads(document)
        old_cells, new_cells = _raw_cells(before), _raw_cells(after)
        for number, text in expected.items():
            old, new = old_cells[number - 1], new_cells[number - 1]
            key = _source_key(old)
            source = new[key]
            if (source if isinstance(source, str) else "".join(source)) != text:
                raise SourceError(f"the new source of cell {number} is not what was meant")
            new[key] = old[key]
        # As text: NaN is unequal to itself.
        if json.dumps(before) != json.dumps(after):
            raise SourceError("the edit would change more than the source of the cells")


def parse_notebook(data: bytes, path: str) -> Notebook:
    """A notebook's Python; SourceError where the file is not one, or not one of Python."""
    return _parse(path, data, {})


def _parse(path: str, data: bytes, broken: dict[int, str]) -> Notebook:
    try:
        document = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeError as error:
        raise SourceError(f"not valid utf-8: {error}") from None
    try:
        loaded = json.loads(document)
    except ValueError as error:
        raise SourceError(f"not valid JSON: {error}") from None
    except RecursionError:
        raise SourceError("JSON nested too deeply") from None
    _require_python(loaded)
    notebook = Notebook(path, data, document, loaded["nbformat"])
    root = _scan(document)
    text: list[str] = []
    raw: list[str] = []
    offset, line = 0, 1
    for number, (node, value) in enumerate(
        zip(_node_cells(root), _raw_cells(loaded), strict=True), 1
    ):
        cell = _code_cell(document, node, value, number)
        if cell is None:
            continue
        cell.start, cell.end, cell.first_line = offset, offset + len(cell.raw), line
        masked, masks = cell.raw, list[Mask]()
        if number in broken or not _is_python_cell(value):
            cell.opaque = True
        else:
            found = _mask(cell.raw)
            if found is not None:
                masked, masks, cell.top, cell.opaque = found
        if cell.opaque:
            masked, masks = _blank(cell.raw), [Mask(0, len(cell.raw))]
        if not masked.isascii():
            # A lone surrogate, which JSON may hold, cannot be given to the parser.
            masked = re.sub("[\ud800-\udfff]", "\ufffd", masked)
        end = "\n" if cell.added_newline else ""
        text += masked, end
        raw += cell.raw, end
        notebook.masks += [mask.shifted(offset) for mask in masks]
        notebook.cells.append(cell)
        offset += len(masked) + len(end)
        line += len(LineIndex(masked + end).starts) - 1
    notebook.text = "".join(text)
    notebook.raw = "".join(raw)
    notebook.broken = sorted(broken.items())
    return notebook


def _require_python(loaded: object) -> None:
    """Raise SourceError unless this is the JSON of a notebook in Python."""
    if not isinstance(loaded, dict) or not isinstance(loaded.get("nbformat"), int):
        raise SourceError("JSON, but not a notebook")
    if loaded["nbformat"] not in (2, 3, 4):
        raise SourceError(f"a notebook of an unknown format: {loaded['nbformat']}")
    parts = [loaded] if loaded["nbformat"] == 4 else loaded.get("worksheets")
    if not isinstance(parts, list) or not all(
        isinstance(part, dict)
        and isinstance(part.get("cells"), list)
        and all(isinstance(cell, dict) for cell in part["cells"])
        for part in parts
    ):
        raise SourceError("JSON, but not a notebook")
    metadata = loaded.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    kernel, info = metadata.get("kernelspec"), metadata.get("language_info")
    kernel = kernel if isinstance(kernel, dict) else {}
    info = info if isinstance(info, dict) else {}
    language = info.get("name") or kernel.get("language") or metadata.get("language")
    if not language:
        name = str(kernel.get("name", ""))
        known = (
            "ir",
            "julia",
            "bash",
            "scala",
            "javascript",
            "ruby",
            "go",
            "octave",
            "matlab",
            "r",
        )
        language = name if name.lower().startswith(known) and "python" not in name else "python"
    if "python" not in str(language).lower():
        raise SourceError(f"a notebook in {language}, not in Python")


def _is_python_cell(cell: dict[str, Any]) -> bool:
    """Whether a code cell is in the notebook's language (VS Code and nbformat 3 allow others)."""
    language = cell.get("language")
    metadata = cell.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("vscode"), dict):
        language = metadata["vscode"].get("languageId", language)
    return not isinstance(language, str) or "python" in language.lower()


def _raw_cells(loaded: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells of a loaded notebook, all kinds."""
    if loaded["nbformat"] == 4:
        cells: list[dict[str, Any]] = loaded["cells"]
        return cells
    return [cell for sheet in loaded["worksheets"] for cell in sheet["cells"]]


def _source_key(cell: dict[str, Any]) -> str:
    """Where a code cell keeps its source: ``input`` before nbformat 4."""
    return "source" if "source" in cell else "input"


# --- JSON with positions ----------------------------------------------------------------------


def _last_lines(raw: str, edits: list[Edit]) -> list[Edit]:
    """The deletion of a cell's last line takes the newline before it; another may have taken it."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    if len(ordered) < 2:
        return edits
    before, last = ordered[-2:]
    if last.new or before.new or last.end != len(raw) or last.start != before.end - 1:
        return edits
    start = before.start - (before.start > 0 and raw[before.start - 1] == "\n")
    return [*ordered[:-2], Edit(start, last.end, "")]


class _Item:
    """A JSON string: its span with the quotes, and what it stands for."""

    __slots__ = ("end", "start", "value")

    def __init__(self, start: int, end: int, value: str) -> None:
        self.start = start
        self.end = end
        self.value = value


class _Node:
    """A JSON value's span, with its members where it is an object or an array."""

    __slots__ = ("end", "items", "members", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.members: dict[str, _Node] | None = None
        self.items: list[_Node] | None = None


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]|[^\s{}\[\],:"]+')


def _scan(document: str) -> _Node:
    """The spans of a valid JSON document; as for ``json``, the last of equal keys counts."""
    root = _Node(0)
    stack: list[_Node] = []
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
        node = _Node(token.start())
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


def _node_cells(root: _Node) -> list[_Node]:
    """The cells' spans, in the order of ``_raw_cells``."""
    members = root.members or {}
    sheets = (members["worksheets"].items or []) if "worksheets" in members else [root]
    if "cells" in members:
        sheets = [root]
    return [cell for sheet in sheets for cell in ((sheet.members or {})["cells"].items or [])]


def _code_cell(document: str, node: _Node, value: dict[str, Any], number: int) -> Cell | None:
    if value.get("cell_type") != "code":
        return None
    source = (node.members or {}).get(_source_key(value))
    if source is None:
        return None
    nodes = [source] if source.items is None else source.items
    items: list[_Item] = []
    for part in nodes:
        if document[part.start] != '"':
            raise SourceError(f"the source of cell {number} is not text")
        items.append(_Item(part.start, part.end, json.loads(document[part.start : part.end])))
    return Cell(number, items, None if source.items is None else (source.start, source.end))


def _escapes_non_ascii(document: str) -> bool:
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


def _character_starts(document: str, item: _Item) -> list[int]:
    """Where each character of a JSON string begins in the document, and where the last ends."""
    starts = [
        found.start() for found in _CHARACTER.finditer(document, item.start + 1, item.end - 1)
    ]
    starts.append(item.end - 1)
    return starts


def _splices(document: str, cell: Cell, edits: list[Edit], ascii_only: bool) -> list[Edit]:
    """The edits of a cell as edits of the JSON document."""
    values = [item.value for item in cell.items]
    text = cell.raw
    if cell.array is not None:
        for split in (str.splitlines, _split_at_newlines):
            if split(text, True) == values:
                return _by_lines(document, cell, edits, ascii_only, split)
    result = []
    for edit in sorted(set(edits), key=edits.index):
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
    pending = list(dict.fromkeys(edits)) if any(e.start < e.end for e in edits) else list(edits)
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


# --- masking ----------------------------------------------------------------------------------

_ODD = re.compile(r"^[ \t]*[%!?,;/]|\?[ \t]*(?:#.*)?$|=[ \t]*[%!]", re.MULTILINE)
_AUTOMAGIC = re.compile(
    r"[ \t]*(?:pip3?|conda|mamba|cd|ls|ll|cat|cp|mv|rm|mkdir|rmdir|man|more|less|env|matplotlib"
    r"|load_ext|reload_ext|autoreload|time|timeit|run|pylab|tensorflow_version|config|who|whos)"
    r"[ \t]+[^\s=(\[.,+*<>|&^:)-]|[ \t]*(?:ls|cd|pip3?|rm|cp|mkdir|conda)[ \t]+[-./~*]"
)
_CELL_MAGIC = re.compile(r"(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*(%%(\w*)[^\n]*(?:\n|$))")
_PYTHON_CELL_MAGICS = frozenset(
    ("time", "timeit", "capture", "prun", "memit", "mprun", "lprun", "snakeviz", "notify", "wandb")
)
# Line magics whose argument is Python, and their options that take a value.
_PYTHON_LINE_MAGICS = {"time": "", "timeit": "nrpv", "prun": "DlsT", "memit": "rti"}
_LEX = re.compile(
    r"""(?P<comment>\#[^\n]*)
    |(?P<string>\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''
        |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<joined>\\\r?\n)
    |(?P<newline>\n)
    |(?P<open>[(\[{])
    |(?P<close>[)\]}])
    |(?P<compare>[=!<>:+\-*/%&|^@]=)
    |(?P<assign>=)
    |(?P<word>\w+|[ \t\r\f]+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


def _mask(raw: str) -> tuple[str, list[Mask], int, bool] | None:
    """A cell's text with IPython's syntax masked, the masks, the magic line's length, opaqueness.

    None: a cell of plain Python.
    """
    automagic = any(_AUTOMAGIC.match(line) for line in raw.split("\n"))
    if not automagic and not _ODD.search(raw):
        return None
    masks: list[Mask] = []
    fills: list[str] = []
    top = 0
    at = 0
    magic = _CELL_MAGIC.match(raw)
    if magic is not None and not magic[1].rstrip().endswith("?"):
        top = magic.end()
        if magic[2] not in _PYTHON_CELL_MAGICS:
            return raw, [], top, True
        start, end = magic.start(1), magic.start(1) + len(magic[1].rstrip("\r\n"))
        masks.append(Mask(start, end))
        fills.append(_filler("pass", end - start))
        at = top
        if magic[1].endswith("\n") is False:
            top += 1  # the cell is this line alone
    while at < len(raw):
        at = _logical_line(raw, at, masks, fills)
    if not masks:
        return None
    parts: list[str] = []
    done = 0
    for mask, fill in zip(masks, fills, strict=True):
        hidden = raw[mask.start : mask.end]
        if "\n" in hidden or "\r" in hidden:
            pairs = zip(hidden, fill, strict=True)
            fill = "".join([old if old in "\r\n" else new for old, new in pairs])
        parts += raw[done : mask.start], fill
        done = mask.end
    parts.append(raw[done:])
    return "".join(parts), masks, top, False


def _logical_line(raw: str, at: int, masks: list[Mask], fills: list[str]) -> int:
    """Mask what is IPython's in the logical line at an offset; the offset of the next one."""
    start = at
    while start < len(raw) and raw[start] in " \t\f":
        start += 1
    if start < len(raw) and raw[start] in "%!?,;/":
        end = _line_end(raw, start)
        _mask_statement(raw, start, end, masks, fills)
        return end + 1
    if _AUTOMAGIC.match(raw, at):
        end = _line_end(raw, start)
        if isinstance(parse(raw[start:end]), str):
            masks.append(Mask(start, end))
            fills.append(_filler("pass", end - start))
            return end + 1
    depth = 0
    position = start
    last = ""
    last_end = start
    while position < len(raw):
        token = _LEX.match(raw, position)
        assert token is not None
        kind, text = token.lastgroup, token[0]
        if kind == "newline" and depth <= 0:
            break
        position = token.end()
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
        elif kind == "assign" and depth == 0 and re.match(r"[ \t]*[%!]", raw[position:]):
            begin = position + len(raw[position:]) - len(raw[position:].lstrip(" \t"))
            end = _line_end(raw, begin)
            _mask_value(raw, begin, end, masks, fills)
            return end + 1
        if kind not in ("comment", "newline", "joined") and text.strip():
            last, last_end = text, token.end()
    if last == "?":
        masks.append(Mask(start, last_end))
        fills.append(_filler("pass", last_end - start))
    return position + 1


def _line_end(raw: str, at: int) -> int:
    """Where a magic's line ends; backslashes join lines."""
    while True:
        end = raw.find("\n", at)
        if end < 0:
            return len(raw)
        stop = end - 1 if raw[end - 1] == "\r" else end
        if raw[stop - 1] != "\\":
            return stop
        at = end + 1


def _mask_statement(raw: str, start: int, end: int, masks: list[Mask], fills: list[str]) -> None:
    code = _carried_code(raw, start, end)
    if (
        code is not None
        and code - start >= 6
        and not isinstance(parse("pass; " + raw[code:end]), str)
    ):
        masks.append(Mask(start, code, end))
        fills.append(_filler("pass;", code - start))
    else:
        masks.append(Mask(start, end))
        fills.append(_filler("pass", end - start))


def _mask_value(raw: str, start: int, end: int, masks: list[Mask], fills: list[str]) -> None:
    code = _carried_code(raw, start, end)
    if code is not None:
        tree = parse("x = " + raw[code:end])
        if (
            not isinstance(tree, str)
            and len(tree.body) == 1
            and isinstance(tree.body[0], ast.Assign)
        ):
            # Only %time gives the value; for the others the code is there to be looked at.
            fill = "" if raw.startswith("%time ", start) else "0 and "
            masks.append(Mask(start, code, end))
            fills.append(_filler(fill, code - start))
            return
    masks.append(Mask(start, end))
    fills.append(_filler("None", end - start))


def _carried_code(raw: str, start: int, end: int) -> int | None:
    """Where the Python begins that a line magic runs; None for other magics."""
    found = re.match(r"%(\w+)[ \t]+", raw[start:end])
    if found is None or found[1] not in _PYTHON_LINE_MAGICS:
        return None
    valued = _PYTHON_LINE_MAGICS[found[1]]
    at = start + found.end()
    option = re.compile(r"--[\w-]+[ \t]+|-(\w)(\S*)[ \t]+")
    while at < end:
        given = option.match(raw, at, end)
        if given is None:
            return at
        at = given.end()
        if given[1] and given[1] in valued and not given[2]:
            value = re.compile(r"\S+[ \t]+").match(raw, at, end)
            at = value.end() if value else end
    return None


def _filler(code: str, length: int) -> str:
    """Python of exactly this length: the code given, or the shortest there is."""
    return (code if len(code) <= length else "0"[:length]).ljust(length)


def _blank(raw: str) -> str:
    """A cell that is not Python: blanks, lines kept."""
    return re.sub(r"[^\r\n]", " ", raw)
