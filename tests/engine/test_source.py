from __future__ import annotations

import ast
import subprocess
import sys
import tokenize
from contextlib import suppress
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from migrate.engine.findings import Edit
from migrate.engine.source import (
    EditConflict,
    LineIndex,
    SourceError,
    apply,
    decode,
    dominant_newline,
)

quick = settings(derandomize=True, deadline=None, max_examples=80, database=None)

NEWLINES = ["\n", "\r\n", "\r", "\x0c\n", "\n\x0c"]
PIECES = ["x = 1", "\tprint('ü')", "# é", "", "  ", "s = '\u2028'", "y = \x85", "a\x0bb", "'\\\n'"]


def texts(pieces: list[str] = PIECES) -> st.SearchStrategy[str]:
    line = st.tuples(st.sampled_from(pieces), st.sampled_from(NEWLINES)).map("".join)
    return st.tuples(st.lists(line, max_size=8).map("".join), st.sampled_from(pieces)).map("".join)


@quick
@given(texts(), st.booleans())
def test_utf8_round_trip(text: str, bom: bool) -> None:
    data = (b"\xef\xbb\xbf" if bom else b"") + text.encode()
    source = decode(data, "a.py")
    assert source.text == text
    assert source.bom is bom
    assert source.encode(text) == data
    assert source.encode("z" + text) == data[: 3 * bom] + b"z" + text.encode()


@quick
@given(texts([piece for piece in PIECES if "\u2028" not in piece]))
def test_latin1_round_trip(text: str) -> None:
    data = ("# -*- coding: latin-1 -*-\n" + text).encode("latin-1")
    source = decode(data, "a.py")
    assert source.encoding == "iso8859-1"
    assert source.encode(source.text) == data
    assert source.encode(source.text + "ß") == data + b"\xdf"
    with pytest.raises(SourceError, match="cannot be written as iso8859-1"):
        source.encode(source.text + "€")


@quick
@given(st.binary(max_size=60))
def test_any_bytes_come_back_or_are_refused(data: bytes) -> None:
    with suppress(SourceError):
        source = decode(data, "a.py")
        assert source.encode(source.text) == data


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"", "utf-8"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n", "cp1252"),
        (b"#!/usr/bin/python\r# coding: cp1252\r", "cp1252"),
        (b"x = 1\n# coding: cp1252\n", "utf-8"),
        (b"\n\n# coding: cp1252\n", "utf-8"),
        (b"\f\n# coding: koi8-r\n", "koi8-r"),
        (b"# -*- coding: UTF8 -*-\n", "utf-8"),
        (b"# -*- coding: utf-8-unix -*-\n", "utf-8"),
        (b"\xef\xbb\xbf# coding: utf8\n", "utf-8"),
        (b"x = 'coding: latin-1'\n", "utf-8"),
        (b"# coding: euc-jp\n", "euc_jp"),
    ],
)
def test_encoding(data: bytes, encoding: str) -> None:
    assert decode(data, "a.py").encoding == encoding


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = '\xff'\n", "not valid utf-8 \\(byte 5\\)"),
        (b"\xef\xbb\xbfx = '\xff'\n", "not valid utf-8 \\(byte 8\\)"),
        (b"x\0", "null bytes"),
        ("x = 1".encode("utf-16"), "UTF-16"),
        (b"# coding: nonsense\n", "unknown encoding: nonsense"),
        (b"# coding: rot13\n", "unknown encoding: rot.?13"),
        (b"# coding: zlib\n", "unknown encoding: zlib"),
        (b"# coding: ..os\n", "unknown encoding"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "byte order mark"),
        (b"# coding: utf-7\n+2D0-", "not valid utf-"),
        (b"# coding: utf-7\n+AAA-", "null characters"),
        (b"# coding: undefined\n", "undefined"),
    ],
)
def test_refused(data: bytes, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        decode(data, "a.py")


def test_an_edit_may_not_lose_the_cookie() -> None:
    source = decode(b"#!/bin/sh\n# coding: latin-1\nx = '\xe9'\n", "a.py")
    with pytest.raises(SourceError, match="declared encoding"):
        source.encode("import os\n" + source.text)


def test_null_is_never_written() -> None:
    with pytest.raises(SourceError, match="null"):
        decode(b"x\n", "a.py").encode("\0")


def test_bytes_that_do_not_round_trip_are_read_but_not_written() -> None:
    data = "# coding: utf-7\nx = 'é'\n".encode("utf-7")
    data = data.replace(b"x =", b"+AHg- =")  # an "x" in the long way
    source = decode(data, "a.py")
    assert source.encode(source.text) == data
    with pytest.raises(SourceError, match="written back"):
        source.encode(source.text + "y\n")


@pytest.mark.parametrize(
    ("text", "newline"),
    [("", "\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\r\nb\n", "\n"), ("a\rb\r\rc\n", "\r"), ("a", "\n")],
)
def test_newline(text: str, newline: str) -> None:
    assert dominant_newline(text) == newline
    source = decode(text.encode(), "a.py")
    assert source.newline == newline
    assert source.with_newlines("x\ny") == f"x{newline}y"


def python_lines(text: str) -> list[str]:
    lines = StringIO(text, newline=None).readlines()  # universal newlines, translated
    return [line.rstrip("\n") for line in lines]


@quick
@given(texts())
def test_lines_are_those_of_universal_newlines(text: str) -> None:
    index = LineIndex(text)
    lines = python_lines(text)
    assert index.line_count == max(1, len(lines))
    for number, line in enumerate(lines, 1):
        assert index.line_text(number) == line
        for column in range(len(line) + 1):
            offset = index.line_start(number) + column
            assert index.position(offset) == (number, column + 1)
            width = len(line[:column].encode())
            assert index.offset(number, width) == offset
            assert index.column(number, width) == column + 1


CODE = [
    "é = 'ü', x",
    "f('𝒳', a.b)  # é",
    "if x:\r\n  y\x0c",
    "\x0cz = '\x85'",
    "'''a\rb\r\nü''' + t",
]


@quick
@given(st.lists(st.sampled_from(CODE), max_size=6), st.sampled_from(["\n", "\r\n", "\r"]))
def test_names_are_found_where_ast_says(lines: list[str], newline: str) -> None:
    text = newline.join(lines) + newline
    index = LineIndex(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            start, end = index.span(node)
            assert text[start:end] == node.id
            line, column = index.position(start)
            assert (line, column) == (node.lineno, index.column(node.lineno, node.col_offset))


def test_beyond_the_end() -> None:
    index = LineIndex("a\n")
    assert index.offset(2, 0) == 2
    assert index.offset(3, 0) == 2
    assert index.line_start(9) == 2


def test_lines_agree_with_tokenize() -> None:
    text = "x = 1\r\n\x0cdef f():\r\n\treturn '\u2028'\r\n"
    index = LineIndex(text)
    for token in tokenize.generate_tokens(StringIO(text).readline):
        if token.type == tokenize.NAME:
            start = index.line_start(token.start[0]) + token.start[1]
            assert text.startswith(token.string, start)


@quick
@given(st.text("ab\r\n", max_size=20), st.data())
def test_apply_equals_replacing_from_the_back(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    edits = [
        Edit(start, end, data.draw(st.text("xyz", max_size=2)))
        for start, end in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    expected = text
    for edit in reversed(edits):
        expected = expected[: edit.start] + edit.new + expected[edit.end :]
    assert apply(text, data.draw(st.permutations(edits))) == expected


def test_apply_keeps_the_order_of_insertions() -> None:
    edits = [Edit(1, 2, "X"), Edit(1, 1, "1"), Edit(1, 1, "2"), Edit(2, 2, "3"), Edit(1, 1, "1")]
    assert apply("abc", edits) == "a121X3c"
    assert apply("abc", []) == "abc"
    assert apply("abc", [Edit(0, 1, ""), Edit(0, 1, "")]) == "bc"


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(0, 2, "x"), Edit(1, 3, "y")],
        [Edit(0, 3, "x"), Edit(1, 2, "x")],
        [Edit(0, 3, "x"), Edit(1, 1, "y")],
        [Edit(0, 3, "x"), Edit(0, 3, "y")],
        [Edit(2, 9, "x")],
        [Edit(2, 1, "x")],
        [Edit(-1, 1, "x")],
    ],
)
def test_conflicts(edits: list[Edit]) -> None:
    with pytest.raises(EditConflict):
        apply("abc", edits)


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; before = set(sys.modules); import migrate.engine.source;"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True
    )
    modules = set(done.stdout.split())
    assert modules <= {
        "__future__",
        "migrate",
        "migrate.engine",
        "migrate.engine.source",
        "bisect",
        "_bisect",
    }
