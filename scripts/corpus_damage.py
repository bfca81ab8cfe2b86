"""What an upgrade did to a file that it shouldn't have: comments, code that no finding names."""

from __future__ import annotations

import ast
import collections
import difflib
import io
import json
import re
import tokenize
from collections.abc import Iterator
from typing import Any


def sources(path: str, data: bytes) -> list[str]:
    """The Python text of a file: one for a script, one a cell for a notebook (magics blanked)."""
    if not path.endswith(".ipynb"):
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return [data.decode(encoding)]
    return [text for _, text in code_cells(data)]


def code_cells(data: bytes) -> list[tuple[int, str]]:
    """The cells of Python, each with its number among all cells."""
    loaded = json.loads(data.decode("utf-8-sig"))
    cells = loaded.get("cells") or [c for w in loaded.get("worksheets", []) for c in w["cells"]]
    found = []
    for number, cell in enumerate(cells, 1):
        if cell.get("cell_type") == "code":
            text = "".join(cell.get("source", cell.get("input", "")))
            if not text.lstrip().startswith("%%"):
                # `%d` of a line that goes on is none: `print("…" \` and `% (epoch, loss))`
                magic = r"(?m)(?<!\\\n)^([ \t]*)[%!?].*$"
                found.append((number, re.sub(magic, r"\1pass", text)))
    return found


UNNAMED = "no finding names this change"


def damage(before: bytes, after: bytes, result: Any) -> str:
    """Why a change harms what it should have left alone; "" where it does not."""
    if before.strip() and not after.strip():
        return "emptied"
    if before.startswith(b"\xef\xbb\xbf") != after.startswith(b"\xef\xbb\xbf"):
        return "byte order mark lost or added"
    if b"\r" not in before and b"\r" in after:
        return "carriage returns added"
    if before.count(b"\r\n") == before.count(b"\n") > 0 and after.count(b"\r\n") != after.count(
        b"\n"
    ):
        return "newlines no longer all CRLF"
    if before.endswith(b"\n") != after.endswith(b"\n"):
        return "the end of the last line"
    if result.path.endswith(".ipynb"):
        return _notebook_damage(before, after)
    try:
        old, new = sources(result.path, before)[0], sources(result.path, after)[0]
    except (SyntaxError, UnicodeDecodeError) as error:
        return f"encoding: {error}"
    lost = _comments(old) - _comments(new)
    if lost:
        return f"comment lost: {next(iter(lost))}"
    return _unannounced(old, new, result)


def _notebook_damage(before: bytes, after: bytes) -> str:
    bare = []
    for data in (before, after):
        loaded = json.loads(data.decode("utf-8-sig"))
        for cell in loaded.get("cells", []):
            if cell.get("cell_type") == "code":
                cell["source"] = None
        bare.append(loaded)
    return "" if bare[0] == bare[1] else "a notebook's outputs, metadata or prose"


def _comments(text: str) -> collections.Counter[str]:
    found: collections.Counter[str] = collections.Counter()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found[token.string.strip()] += 1
    except (tokenize.TokenError, SyntaxError):
        return collections.Counter()
    return found


def _unannounced(old: str, new: str, result: Any) -> str:
    """A changed line in no statement that a finding or an import stands in."""
    before, after = old.splitlines(), new.splitlines()
    allowed: set[int] = set()
    for finding in [*result.fixed, *result.left]:
        allowed.update(range(finding.line, max(finding.line, finding.end_line) + 1))
    try:
        for node in ast.walk(ast.parse(old)):
            if not isinstance(node, ast.stmt):
                continue
            span = _head(node)
            if isinstance(node, (ast.Import, ast.ImportFrom)) or not allowed.isdisjoint(span):
                allowed.update(span)
    except SyntaxError:  # Python 2
        for span, first in _logical_lines(old):
            if first in ("import", "from") or not allowed.isdisjoint(span):
                allowed.update(span)
    tabs = any(f.message.startswith("tabs became spaces") for f in result.fixed)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal" or all(not line.strip() for line in after[j1:j2] + before[i1:i2]):
            continue
        if tag == "insert":
            around = {i1, i1 + 1}
            plain = all(
                re.match(r"\s*(import |from .* import |\w+(\.\w+)*\(\)\s*$|#|$)", line)
                for line in after[j1:j2]
            )
            if plain or not allowed.isdisjoint(around):
                continue
        elif not allowed.isdisjoint(range(i1 + 1, i2 + 1)):
            continue
        elif tabs and [x.strip() for x in before[i1:i2]] == [x.strip() for x in after[j1:j2]]:
            continue  # one finding says on how many lines
        return f"line {i1 + 1}: {(before[i1:i2] or after[j1:j2])[0]!r}: {UNNAMED}"
    return ""


def _logical_lines(text: str) -> Iterator[tuple[range, str]]:
    """The lines of each statement, as tokens tell them, and its first word."""
    start, first = 0, ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NEWLINE:
                yield range(start, token.end[0] + 1), first
                start = 0
            elif not start and token.string.strip() and token.type != tokenize.COMMENT:
                start, first = token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return


def _head(node: ast.stmt) -> range:
    """The lines of a simple statement, or of the head of a compound one."""
    body = getattr(node, "body", None)
    end = node.end_lineno or node.lineno
    if isinstance(body, list) and body:
        end = max(node.lineno, body[0].lineno - 1)
    start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return range(start, end + 1)
