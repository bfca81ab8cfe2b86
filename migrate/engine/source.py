"""Bytes to text and back: encodings, byte order marks, newlines, positions and edits.

A file's text keeps its newlines as they are, so that whatever no edit touches is written back
byte for byte. Nothing heavy is imported here: every ``migrate check`` starts with this module.
"""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from migrate.engine.findings import Edit

_BOM = b"\xef\xbb\xbf"


class SourceError(Exception):
    """A file that cannot be handled; ``reason`` says why, in words for a finding."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class EditConflict(SourceError):
    """Two edits that cannot both be made, or an edit where none may be."""


class LineIndex:
    """Maps positions as ``ast`` gives them to character offsets, and offsets to lines and columns.

    Lines end as in CPython's tokenizer: at ``\\n``, ``\\r\\n`` and ``\\r``, not at form feeds nor
    at Unicode's line separators.
    """

    __slots__ = ("_ascii", "_starts", "_wide", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._ascii = text.isascii()
        self._starts: list[int] | None = None
        self._wide: dict[int, bytes | None] = {}  # line -> its UTF-8, None where it is ASCII

    @property
    def starts(self) -> list[int]:
        """The character offset of each line's beginning; ``[0, …]``."""
        starts = self._starts
        if starts is None:
            text = self.text
            starts = self._starts = [0]
            if "\r" in text:
                # Every character keeps its place: only which of them end a line is asked.
                text = text.replace("\r\n", " \n").replace("\r", "\n")
            add, find = starts.append, text.find
            at = find("\n") + 1
            while at:
                add(at)
                at = find("\n", at) + 1
        return starts

    @property
    def line_count(self) -> int:
        """How many lines there are; a final newline begins no further one."""
        starts = self.starts
        return len(starts) - (starts[-1] == len(self.text) and len(starts) > 1)

    def offset(self, line: int, column: int) -> int:
        """The character offset of ``ast``'s (``lineno``, ``col_offset``)."""
        starts = self.starts
        if line > len(starts):
            return len(self.text)
        start = starts[line - 1]
        if self._ascii or not column:
            return start + column
        try:
            raw = self._wide[line]
        except KeyError:
            content = self.text[start : starts[line] if line < len(starts) else None]
            raw = None if content.isascii() else content.encode("utf-8", "surrogatepass")
            self._wide[line] = raw
        if raw is None:
            return start + column
        return start + len(raw[:column].decode("utf-8", "surrogatepass"))

    def span(self, node: object) -> tuple[int, int]:
        """The character offsets of an ``ast`` node that has a position."""
        line: int = node.lineno  # type: ignore[attr-defined]
        column: int = node.col_offset  # type: ignore[attr-defined]
        end_line: int = node.end_lineno  # type: ignore[attr-defined]
        end_column: int = node.end_col_offset  # type: ignore[attr-defined]
        return self.offset(line, column), self.offset(end_line, end_column)

    def position(self, offset: int) -> tuple[int, int]:
        """The line and the column of a character offset, both from 1, columns in characters."""
        starts = self.starts
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def column(self, line: int, column: int) -> int:
        """The column in characters from 1 of ``ast``'s (``lineno``, ``col_offset``)."""
        if self._ascii:
            return column + 1
        try:
            return self.offset(line, column) - self.starts[line - 1] + 1
        except UnicodeDecodeError:  # the end of what was written in between
            return column + 1

    def line_start(self, line: int) -> int:
        """The offset where a line begins; the text's end for the line after the last."""
        starts = self.starts
        return starts[line - 1] if line <= len(starts) else len(self.text)

    def line_text(self, line: int) -> str:
        """A line without its newline."""
        starts = self.starts
        end = starts[line] if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].rstrip("\r\n")


class Source:
    """A file as text, and all that is needed to write an edited text back."""

    __slots__ = ("_lines", "_newline", "bom", "data", "encoding", "path", "text")

    def __init__(self, path: str, data: bytes, text: str, encoding: str, bom: bool) -> None:
        self.path = path
        self.data = data
        self.text = text  # without the byte order mark, newlines as in the file
        self.encoding = encoding
        self.bom = bom
        self._lines: LineIndex | None = None
        self._newline = ""

    @property
    def lines(self) -> LineIndex:
        """The positions of ``text``."""
        if self._lines is None:
            self._lines = LineIndex(self.text)
        return self._lines

    @property
    def newline(self) -> str:
        """The newline that most lines end with; ``\\n`` in a file without one."""
        if not self._newline:
            self._newline = dominant_newline(self.text)
        return self._newline

    def with_newlines(self, text: str) -> str:
        """``text`` (written with ``\\n``) with this file's newlines: for what is inserted."""
        return text if self.newline == "\n" else text.replace("\n", self.newline)

    def encode(self, new_text: str) -> bytes:
        """The bytes of an edited text; what was not touched has the bytes that it had."""
        if new_text == self.text:
            return self.data
        if "\0" in new_text:
            raise SourceError("the new text holds a null character")
        head = _BOM if self.bom else b""
        if self.encoding != "utf-8" and head + self.text.encode(self.encoding) != self.data:
            raise SourceError(f"bytes in {self.encoding} that cannot be written back unchanged")
        try:
            data = head + new_text.encode(self.encoding)
        except UnicodeError as error:
            raise SourceError(f"cannot be written as {self.encoding}: {error}") from None
        if _encoding(data, self.bom) != self.encoding:
            raise SourceError("the edit would change the declared encoding")
        return data


def parse(text: str) -> ast.Module | str:
    """The text's tree, or in words why it has none; without the warnings of the parser."""
    import ast
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except SyntaxError as error:
            where = f" (line {error.lineno})" if error.lineno else ""
            return f"{error.msg}{where}"
        except (RecursionError, MemoryError):
            return "nested too deeply for Python's parser"
        except ValueError as error:  # null and surrogate characters
            return str(error)


def dominant_newline(text: str) -> str:
    """The newline that most lines of a text end with; of two as frequent, the more usual one."""
    if "\r" not in text:
        return "\n"
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=counts.__getitem__)


def decode(data: bytes, path: str) -> Source:
    """A file's text, by its byte order mark or its PEP 263 cookie; UTF-8 where it has neither."""
    bom = data.startswith(_BOM)
    encoding = _encoding(data, bom)
    if b"\0" in data:
        wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        raise SourceError("UTF-16 is not Python source" if wide else "the file holds null bytes")
    try:
        text = (data[3:] if bom else data).decode(encoding)
        if encoding != "utf-8":
            text.encode()  # some codecs give lone surrogates
    except LookupError:
        raise SourceError(f"unknown encoding: {encoding} does not give text") from None
    except UnicodeError as error:
        reason = getattr(error, "reason", None) or error
        at = getattr(error, "start", None)
        where = "" if at is None else f" (byte {at + 3 * bom})"
        raise SourceError(f"not valid {encoding}{where}: {reason}") from None
    if "\0" in text:
        raise SourceError("the file holds null characters")
    return Source(path, data, text, encoding, bom)


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with all the edits made, which hold offsets of the text before any of them.

    Insertions at one offset keep their order and come before what replaces the text there.
    The same replacement twice is one; any other overlap raises EditConflict.
    """
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    parts: list[str] = []
    at = 0
    last: Edit | None = None
    for edit in ordered:
        if not 0 <= edit.start <= edit.end <= len(text):
            raise EditConflict(f"edit {edit!r} is outside of the text")
        if last is not None and edit == last and edit.start < edit.end:
            continue
        if edit.start < at:
            raise EditConflict(f"edit {edit!r} overlaps {last!r}")
        parts.append(text[at : edit.start])
        parts.append(edit.new)
        at = edit.end
        last = edit
    parts.append(text[at:])
    return "".join(parts)


def _encoding(data: bytes, bom: bool) -> str:
    """The codec's name; ``utf-8`` under this very name."""
    cookie = _cookie(data[3:] if bom else data)
    if cookie is None:
        return "utf-8"
    name = cookie[:12].lower().replace("_", "-")
    if name == "utf-8" or name.startswith("utf-8-"):
        return "utf-8"
    import codecs

    try:
        codec = codecs.lookup(cookie)
    except (LookupError, ValueError):
        raise SourceError(f"unknown encoding: {cookie}") from None
    if codec.name == "utf-8":
        return "utf-8"
    if bom:
        raise SourceError(f"a UTF-8 byte order mark, but the encoding is declared as {cookie}")
    return codec.name


def _cookie(data: bytes) -> str | None:
    """The encoding that a comment in the first two lines declares (PEP 263)."""
    head = data[:4096].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n", 2)[:2]
    if not any(b"coding" in line for line in head):
        return None
    import re

    for line in head:
        found = re.match(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", line, re.ASCII)
        if found:
            return found[1].decode("ascii")
        if line.strip(b" \t\f")[:1] not in (b"", b"#"):
            return None
    return None
