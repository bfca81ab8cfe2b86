"""What IPython alone understands in a notebook's cell, masked: magics, shell lines, help.

A masked stretch is overwritten with ``pass``, ``None`` or blanks of the same length, so that the
cell parses and every offset stays.
"""

from __future__ import annotations

import ast
import re

from migrate.engine.source import parse


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


def masked_cell(raw: str) -> tuple[str, list[Mask], int, bool] | None:
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


def blanked(raw: str) -> str:
    """A cell that is not Python: blanks, lines kept."""
    return re.sub(r"[^\r\n]", " ", raw)
