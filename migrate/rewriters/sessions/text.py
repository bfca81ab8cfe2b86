"""Statements as pieces of text: with their comments, at another indentation, with replacements."""

from __future__ import annotations

import ast
import contextlib
import io
import tokenize
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from migrate.engine.document import Document
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.apart import SHARED


@dataclass(slots=True, eq=False, repr=False)
class Piece:
    """A statement's lines and those before it that belong to it."""

    first: int  # the first line, its comments included; lines count from 1
    line: int  # where the statement begins
    last: int
    indent: str


class Text:
    """A module's text by statements."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.text
        self.index = document.index
        self.lines = self.text.splitlines(keepends=True)
        self.newline = "\r\n" if "\r\n" in self.text else "\n"
        self.unit = self._unit(document.tree)
        # By its first statement: where the block of a `with` begins.
        self.opened = {
            id(n.body[0]): n.items[-1].context_expr.end_lineno or n.lineno
            for n in all_of(document.tree, ast.With)
        }
        # By the first statement of a file: how many lines stand before the file.
        self.heads = {id(s): 0 for s in document.tree.body[:1]}

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each line's first character."""
        return list(accumulate(map(len, self.lines), initial=0))

    @cached_property
    def inside(self) -> set[int]:
        """Lines that begin inside a string: their indentation is the string's."""
        found: set[int] = set()
        tree = self.document.tree
        joined = all_of(tree, ast.JoinedStr)
        parts = {id(n) for node in joined for n in walk(node) if n is not node}
        for node in (*all_of(tree, ast.Constant), *joined):
            if node.end_lineno == node.lineno or id(node) in parts:
                continue
            # Of several in brackets each may have a line.
            whole, above = io.StringIO(f"({self.source(node)})"), node.lineno - 1
            with contextlib.suppress(tokenize.TokenError, SyntaxError):
                for token in tokenize.generate_tokens(whole.readline):
                    if token.type == tokenize.STRING or token.type >= 58:
                        found.update(range(above + token.start[0] + 1, above + token.end[0] + 1))
        return found

    def within(self, tree: ast.Module) -> Text:
        """The same text, indented as one of its files is."""
        if tree is self.document.tree:
            return self
        found = copy(self)
        found.unit = self._unit(tree)
        return found

    def _unit(self, tree: ast.Module) -> str:
        for node in walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                first = body[0]
                line = self.lines[first.lineno - 1]
                indent = line[: len(line) - len(line.lstrip())]
                if indent and not isinstance(node, (ast.Module, ast.match_case)):
                    outer = self.lines[node.lineno - 1]  # type: ignore[attr-defined]
                    base = outer[: len(outer) - len(outer.lstrip())]
                    if indent.startswith(base) and len(indent) > len(base):
                        return indent[len(base) :]
        return "    "

    def piece(self, stmt: ast.stmt, floor: int = 0) -> Piece:
        """A statement with the comments right above it; ``floor``: the last line of what's before.

        Raises:
            Blocked: it shares its line with another statement.
        """
        line, last = _first_line(stmt), stmt.end_lineno or stmt.lineno
        text = self.lines[line - 1]
        indent = text[: len(text) - len(text.lstrip())]
        start = self.index.offset(stmt.lineno, stmt.col_offset)
        if line == stmt.lineno and self.index.offset(line, 0) + len(indent) != start:
            raise Blocked(stmt, SHARED)
        end = self.index.span(stmt)[1]
        rest = self.text[end : self._end(last)].strip()
        hides = self.document.notebook is not None and isinstance(stmt, ast.Expr)
        if rest[:1] == ";" and hides:  # the cell doesn't show its value
            rest = rest[1:].strip()
        if rest and not rest.startswith("#"):
            raise Blocked(stmt, SHARED)
        if id(stmt) in self.heads:
            floor = max(floor, self._head(self.heads[id(stmt)]))
        first = line
        while first - 1 > floor and self.lines[first - 2].lstrip().startswith("#"):
            if first - 1 in self.inside:
                break
            first -= 1
        above = range(max(floor, self.opened.get(id(stmt), first)) + 1, first)
        if all(self.lines[n - 1].lstrip()[:1] in ("", "#") for n in above):  # up to the header
            said = [n for n in above if self.lines[n - 1].startswith(f"{indent}#")]
            first = min([first, *said])
        return Piece(first, line, last, indent)

    def _head(self, line: int) -> int:
        """The last of the comments that a file begins with: they are the file's."""
        while line < len(self.lines) and self.lines[line].startswith("#"):
            line += 1
        return line

    def behind(self, stmt: ast.stmt) -> str:
        """The comment behind a statement, with two blanks before it; nothing where there's none."""
        end, last = self.index.span(stmt)[1], stmt.end_lineno or stmt.lineno
        said = self.text[end : self.start(last + 1)].strip()
        return f"  {said}" if said.startswith("#") else ""

    def _end(self, line: int) -> int:
        return self.start(line + 1)

    def start(self, line: int) -> int:
        """The offset of a line's first character; of the text's end after the last one."""
        return self.starts[line - 1] if line <= len(self.lines) else len(self.text)

    def render(
        self,
        first: int,
        last: int,
        base: str,
        indent: str,
        replaced: Iterable[tuple[int, int, str]] = (),
    ) -> str:
        """Lines at another indentation, with spans replaced (offsets in the whole text)."""
        start, end = self.start(first), self._end(last)
        out: list[str] = []
        at = start
        # Of two that begin at one place the outer one counts: `rate.eval()`, not `rate`.
        for lo, hi, new in sorted(replaced, key=lambda r: (r[0], r[1] > r[0], -r[1], r[2])):
            if lo < at or hi > end:
                continue
            out.append(self.text[at:lo])
            out.append(new)
            at = hi
        out.append(self.text[at:end])
        text = "".join(out)
        if not text.endswith("\n"):
            text += self.newline
        if base == indent:
            return text
        keep = self.inside if not out[1:] else self._inside_of(text, first)
        shifted = []
        for number, line in enumerate(text.splitlines(keepends=True), first):
            if number in keep or not line.strip():
                shifted.append(line)
            elif line.startswith(base):
                shifted.append(indent + line[len(base) :])
            else:
                # A comment or a continuation line that stands further left.
                shifted.append(indent + line.lstrip())
        return "".join(shifted)

    def _inside_of(self, text: str, first: int) -> set[int]:
        """As `inside`, for a text with replacements in it."""
        found: set[int] = set()
        try:
            for token in tokenize.generate_tokens(io.StringIO(text.lstrip()).readline):
                if token.type == tokenize.STRING:
                    found.update(range(token.start[0] + first, token.end[0] + first))
        except (tokenize.TokenError, SyntaxError, IndentationError):
            return {n for n in self.inside if n >= first}
        return found

    def source(self, node: ast.AST) -> str:
        """A node as written."""
        start, end = self.index.span(node)
        return self.text[start:end]


def _first_line(stmt: ast.stmt) -> int:
    decorators = getattr(stmt, "decorator_list", [])
    first: int = min([stmt.lineno, *(d.lineno for d in decorators)])
    return first
