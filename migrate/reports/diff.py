"""Unified diffs of bytes, fit for ``git apply``, and the same for a terminal."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from migrate.reports.escape import visible

_COLOURS = {"+": "32", "-": "31", "@": "36"}


def unified(path: str, before: bytes, after: bytes) -> Iterator[str]:
    """The lines of a diff, newlines kept; bytes that are not UTF-8 stand as surrogates."""
    yield from _headed(
        path,
        difflib.unified_diff(_lines(before), _lines(after), "before", "after", n=3),
    )


def _headed(path: str, lines: Iterator[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number == 0:
            yield f"--- {_quoted('a/' + path)}\n"
        elif number == 1:
            yield f"+++ {_quoted('b/' + path)}\n"
        elif line.endswith("\n"):
            yield line
        else:
            yield line + "\n\\ No newline at end of file\n"


def for_terminal(lines: Iterator[str], colour: bool) -> Iterator[str]:
    """Diff lines with nothing in them that a terminal would act on, coloured if asked."""
    for number, line in enumerate(lines):
        for part in line.split("\n")[:-1]:
            text = visible(part.removesuffix("\r"))
            code = "1" if number < 2 else _COLOURS.get(text[:1])
            yield (f"\x1b[{code}m{text}\x1b[0m" if colour and code else text) + "\n"


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _quoted(path: str) -> str:
    """A path as git writes it in a diff's head."""
    raw = path.encode("utf-8", "surrogateescape")
    if all(32 <= byte < 127 and byte not in b'"\\' for byte in raw):
        return path
    named = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 92: "\\\\"}
    return (
        '"'
        + "".join(
            named.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in raw
        )
        + '"'
    )
