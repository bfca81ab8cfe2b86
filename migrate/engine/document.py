"""A file as the rules see it: Python 3 text and a tree, whatever it is on disk.

Python source, a notebook or Python 2 source become one module text; positions lead back to the
file, and edits of the text to its bytes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from migrate.engine.findings import Edit, Finding
from migrate.engine.source import LineIndex, Source, SourceError, apply, decode, parse
from migrate.engine.star_names import RULE, brought, possible
from migrate.engine.suppress import Suppressions
from migrate.engine.trees import let_go

if TYPE_CHECKING:
    from migrate.engine.names import Names
    from migrate.engine.notebook import Notebook
    from migrate.engine.plan import Survey


@dataclass(slots=True, eq=False, repr=False)
class Document:
    """One file's text and tree."""

    path: str
    data: bytes
    text: str
    tree: ast.Module
    source: Source | None = None
    notebook: Notebook | None = None
    python2: list[tuple[int, str]] = field(default_factory=list)  # line, what was changed
    notes: list[tuple[int, str]] = field(default_factory=list)  # line, what a person must check
    brought: tuple[int, tuple[str, ...]] = (0, ())  # after which line imports came, of what
    index: LineIndex = field(init=False)
    names: Names | None = field(init=False, default=None)  # once they are resolved (`names_of`)
    surveyed: Survey | None = field(init=False, default=None)  # once it is (`survey_of`)
    plans: dict[Any, Any] = field(init=False, default_factory=dict)  # by setting (`level`)

    def __post_init__(self) -> None:
        self.index = LineIndex(self.text)

    def __del__(self) -> None:
        let_go(self.tree)  # what is known of a tree holds it: else garbage, which costs to be found

    def locate(self, line: int) -> tuple[int | None, int]:
        """The notebook cell (None in a source file) and the line in it."""
        after, names = self.brought
        if names and line > after:
            line = max(after, line - len(names))
        if self.notebook is None:
            return None, line
        return self.notebook.locate(line)

    @property
    def modernized(self) -> bool:
        """Whether the text is another than the file's already, before any edit."""
        if self.notebook is not None:
            return self.notebook.data != self.data
        return self.source is not None and self.text != self.source.text

    def encode(self, edits: Sequence[Edit]) -> bytes:
        """The file's bytes with the edits made."""
        if self.notebook is not None:
            return self.notebook.encode(edits)
        assert self.source is not None
        if (crlf := self.text.count("\r\n")) and crlf == self.text.count("\n"):
            edits = [replace(e, new=self._with_crlf(e)) for e in edits]
        return self.source.encode(apply(self.text, edits))

    def _with_crlf(self, edit: Edit) -> str:
        """What an edit writes, in a file whose lines all end so."""
        text, new = self.text, edit.new
        if new.startswith("\n") and text[edit.start - 1 : edit.start] == "\r":
            new = new[1:]
        if new.endswith("\r") and text[edit.end : edit.end + 1] != "\n":
            new = new[:-1]
        return ENDS.sub("\r\n", new)


ENDS = re.compile(r"\r*\n")  # of lines that an edit writes
# The bytes of source whose trees a process keeps for the later passes of a run: some 100 MiB.
ROOM = 1_000_000
_kept: dict[tuple[str, bytes], Document] = {}
_size = 0


def shelved(path: str, data: bytes) -> Document:
    """A file as `read` gives it; the first ones of a run stay read until `forget`.

    A run looks at a file more than once, at all files each time: those that came first are kept,
    since of those that came last none would still be there when its turn comes.
    """
    global _size
    document = _kept.get((path, data))
    if document is None:
        document = read(path, data)
        if _size + len(data) <= ROOM:
            _kept[path, data] = document
            _size += len(data)
    return document


def forget() -> None:
    """Let go of what `shelved` has kept: a run begins or has ended."""
    global _size
    _kept.clear()
    _size = 0


def read(path: str, data: bytes, siblings: frozenset[str] = frozenset()) -> Document:
    """Read a file.

    Raises:
        SourceError: it can't be read as Python; the message says why.
    """
    if path.endswith(".ipynb"):
        return _notebook(path, data)
    source = decode(data, path)
    tree = parse(source.text)
    if not isinstance(tree, str):
        return _imported(Document(path, data, source.text, tree, source))
    from migrate.engine.python2 import modernize

    new = modernize(source.text, path, siblings=siblings)
    if new is None or new.text is None:
        reason = f"; as Python 2: {new.reason}" if new is not None and new.reason else ""
        raise SourceError(f"does not parse: {tree}{reason}")
    fresh = parse(new.text)
    if isinstance(fresh, str):
        raise SourceError(f"does not parse: {tree}")
    return _imported(
        Document(
            path,
            data,
            new.text,
            fresh,
            source,
            python2=[(c.line, c.message) for c in new.changes],
            notes=[(n.line, n.message) for n in new.notes],
        )
    )


def _imported(document: Document) -> Document:
    """A document that imports TensorFlow itself where another file's star import gave it."""
    if not possible(document.text):
        return document
    found = brought(document.text, document.tree)
    tree = parse(found[0]) if found is not None else ""
    if found is None or isinstance(tree, str):
        return document
    text, line, names = found
    finding = Finding(document.path, line, 1, RULE, "")
    if Suppressions.parse(document.text).hides(finding):
        return document
    added = len(names)
    return replace(
        document,
        text=text,
        tree=tree,
        python2=[(at + added * (at > line), said) for at, said in document.python2],
        notes=[(at + added * (at > line), said) for at, said in document.notes],
        brought=(line, tuple(names)),
    )


def edited(document: Document, edits: Sequence[Edit]) -> Document:
    """A document with edits, read anew; what was said of its Python 2 stays.

    Raises:
        SourceError: it can't be read as Python any more; the message says why.
    """
    fresh = read(document.path, document.encode(list(edits)))
    said = [line for line in document.notes if line not in fresh.notes]
    return replace(
        fresh,
        python2=[*document.python2, *fresh.python2],
        notes=[*said, *fresh.notes],
        brought=document.brought,
    )


def _notebook(path: str, data: bytes) -> Document:
    from migrate.engine.notebook import parse_notebook

    notebook = parse_notebook(data, path)
    tree = parse(notebook.text)
    python2: list[tuple[int, str]] = []
    notes: list[tuple[int, str]] = []
    if isinstance(tree, str):
        from migrate.engine.python2 import modernize_notebook

        modern = modernize_notebook(notebook)
        if modern is None:
            notebook = notebook.without_broken()
        else:
            notebook, new = modern
            python2 = [(c.line, c.message) for c in new.changes]
            notes = [(n.line, n.message) for n in new.notes]
        tree = parse(notebook.text)
        if isinstance(tree, str):
            raise SourceError(f"does not parse: {tree}")
    notes += [
        (cell.first_line, f"this cell is left alone: {reason}")
        for number, reason in notebook.broken
        for cell in notebook.cells
        if cell.number == number
    ]
    return Document(
        path, data, notebook.text, tree, notebook=notebook, python2=python2, notes=notes
    )
