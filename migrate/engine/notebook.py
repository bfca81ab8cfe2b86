"""Jupyter notebooks as one module: code cells in order, magics masked, edits spliced into the JSON.

``Notebook.text`` is Python with the length and the lines of the cells' own text (``raw``): what
IPython alone understands is overwritten with ``pass``, ``None`` or blanks. The bytes written back
differ from those read in the edited source strings only.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

from migrate.engine.findings import Edit
from migrate.engine.notebook_json import (
    Cell,
    code_cell,
    escapes_non_ascii,
    last_lines,
    node_cells,
    raw_cells,
    scan,
    source_key,
    splices_of,
)
from migrate.engine.notebook_magics import Mask, blanked, masked_cell
from migrate.engine.source import EditConflict, LineIndex, SourceError, apply, parse

_BOM = b"\xef\xbb\xbf"


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
        ascii_only = escapes_non_ascii(self._document)
        for index, given in by_cell.items():
            cell = self.cells[index]
            local_edits = last_lines(cell.raw, given)
            expected[cell.number] = apply(cell.raw, local_edits)
            splices += splices_of(self._document, cell, local_edits, ascii_only)
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
        for other in range(index + 1, len(self.cells)):
            if not self.cells[other].opaque:  # before all of Python it is here, too
                return self._before_magic(other, new)
        raise EditConflict("the notebook has no cell of Python")

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
        old_cells, new_cells = raw_cells(before), raw_cells(after)
        for number, text in expected.items():
            old, new = old_cells[number - 1], new_cells[number - 1]
            key = source_key(old)
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
    root = scan(document)
    text: list[str] = []
    raw: list[str] = []
    offset, line = 0, 1
    for number, (node, value) in enumerate(
        zip(node_cells(root), raw_cells(loaded), strict=True), 1
    ):
        cell = code_cell(document, node, value, number)
        if cell is None:
            continue
        cell.start, cell.end, cell.first_line = offset, offset + len(cell.raw), line
        masked, masks = cell.raw, list[Mask]()
        if number in broken or not _is_python_cell(value):
            cell.opaque = True
        else:
            found = masked_cell(cell.raw)
            if found is not None:
                masked, masks, cell.top, cell.opaque = found
        if cell.opaque:
            masked, masks = blanked(cell.raw), [Mask(0, len(cell.raw))]
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
