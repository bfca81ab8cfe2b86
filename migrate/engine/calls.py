"""Calls: where each argument stands in the text, to which parameter it goes, how to change it.

Arguments are bound to the TF 1.15.5 signature before one is touched. Changes are small edits
(insert ``name=``, rename a keyword, drop a piece), so that edits of nested calls compose and
whatever the author wrote around them stays.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from migrate.engine.findings import Edit
from migrate.engine.source import LineIndex

ATOMS = (
    ast.Name,
    ast.Constant,
    ast.Attribute,
    ast.Subscript,
    ast.Call,
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


@dataclass(slots=True, eq=False, repr=False)
class Argument:
    """One argument as it stands in the call."""

    value: ast.expr
    start: int  # character offsets of the whole piece: keyword, stars and parentheses included
    end: int
    keyword: str | None = None
    star: Literal["", "*", "**"] = ""
    index: int = 0  # its place among the pieces
    value_start: int = 0  # where its value begins, its own parentheses included
    bare: bool = False  # a generator whose parentheses are the call's


@dataclass(slots=True, eq=False, repr=False)
class Layout:
    """Where a call's parentheses, commas and arguments stand."""

    text: str
    call: ast.Call
    start: int
    func_end: int
    open: int  # offset of the opening parenthesis
    close: int  # offset of the closing one
    pieces: list[Argument]
    commas: list[int]  # commas[i] follows pieces[i]; one fewer where none trails


def _skip_comment(text: str, at: int) -> int:
    while at < len(text) and text[at] not in "\r\n":
        at += 1
    return at


def _find(text: str, at: int, end: int, char: str) -> int:
    """The offset of ``char`` in text[at:end] outside comments, or -1."""
    while at < end:
        here = text[at]
        if here == "#":
            at = _skip_comment(text, at)
        elif here == char:
            return at
        else:
            at += 1
    return -1


def _last_closer(text: str, at: int, end: int) -> int:
    """Where the parentheses end that close an argument which itself ends at ``at``."""
    last = at
    while at < end:
        here = text[at]
        if here == "#":
            at = _skip_comment(text, at)
            continue
        if here == ")":
            last = at + 1
        at += 1
    return last


def _first_token(text: str, at: int, end: int) -> int:
    while at < end:
        here = text[at]
        if here == "#":
            at = _skip_comment(text, at)
        elif here.isspace() or here == "\\":
            at += 1
        else:
            return at
    return at


def layout(text: str, index: LineIndex, call: ast.Call) -> Layout:
    """Find the pieces of a call in its text."""
    start, end = index.span(call)
    _, func_end = index.span(call.func)
    opening = _find(text, func_end, end, "(")
    close = end - 1
    items: list[tuple[int, int, ast.expr, ast.keyword | None]] = []
    for arg in call.args:
        lo, hi = index.span(arg)
        items.append((lo, hi, arg, None))
    for named in call.keywords:
        lo, hi = index.span(named)
        items.append((lo, hi, named.value, named))
    items.sort(key=lambda item: item[0])
    pieces: list[Argument] = []
    commas: list[int] = []
    at = opening + 1
    for number, (lo, hi, value, keyword) in enumerate(items):
        bare = lo == opening  # f(x for x in y)
        if bare:
            lo, hi = opening + 1, close
        begin = _first_token(text, at, lo)
        nxt = items[number + 1][0] if number + 1 < len(items) else close
        comma = _find(text, hi, nxt, ",")
        stop = _last_closer(text, hi, comma if comma >= 0 else nxt)
        piece = Argument(value, begin, stop, index=number, value_start=begin, bare=bare)
        if keyword is not None:
            piece.keyword = keyword.arg
            if keyword.arg is None:
                piece.star = "**"
            else:
                equals = _find(text, begin + len(keyword.arg), stop, "=")
                piece.value_start = _first_token(text, equals + 1, stop)
        elif isinstance(value, ast.Starred):
            piece.star = "*"
        pieces.append(piece)
        if comma >= 0:
            commas.append(comma)
            at = comma + 1
        else:
            at = stop
    return Layout(text, call, start, func_end, opening, close, pieces, commas)


# -- signatures and binding --------------------------------------------------------------


class Unbound(Exception):
    """A call whose arguments can't all be seen; the message says why."""


@dataclass(slots=True, eq=False, repr=False)
class BoundCall:
    """A call with its arguments by parameter of the 1.15.5 signature."""

    layout: Layout
    params: tuple[str, ...]  # positional parameters in their order
    args: dict[str, Argument]
    extra: list[Argument] = field(default_factory=list)  # what goes to *args and **kwargs
    hidden: bool = False  # a ** that may hold more arguments
    edits: list[Edit] = field(default_factory=list)
    _removed: set[int] = field(default_factory=set)
    _keyworded: dict[int, str] = field(default_factory=dict)
    _appended: list[str] = field(default_factory=list)

    def get(self, name: str) -> Argument | None:
        """The argument for a parameter, None where the call doesn't give it."""
        return self.args.get(name)

    def source(self, name: str) -> str:
        """The text of a given argument's value, its own parentheses included."""
        arg = self.args[name]
        return self.layout.text[arg.value_start : arg.end]

    # -- changes; `finish` turns them into edits ------------------------------------------

    def rename(self, name: str, new: str) -> None:
        """Call the parameter ``new``; a positional argument becomes a keyword argument."""
        arg = self.args[name]
        self._keyworded[arg.index] = new

    def remove(self, name: str) -> None:
        """Drop an argument."""
        self._removed.add(self.args[name].index)

    def append(self, text: str) -> None:
        """Add an argument behind the others."""
        self._appended.append(text)

    def wrap(self, name: str, before: str, after: str = "", *, atom: bool = False) -> None:
        """Put text around an argument's value; ``atom`` adds the parentheses that it may need."""
        arg = self.args[name]
        bare = isinstance(arg.value, ATOMS) or self.layout.text[arg.value_start] == "("
        if atom and not bare:
            before, after = before + "(", ")" + after
        self.edits.append(Edit(arg.value_start, arg.value_start, before))
        if after:
            self.edits.append(Edit(arg.end, arg.end, after))

    def replace_value(self, name: str, new: str) -> None:
        """Put other text in the place of an argument's value."""
        arg = self.args[name]
        self.edits.append(Edit(arg.value_start, arg.end, new))

    def finish(
        self,
        positional: Callable[[int, Argument], bool] | None = None,
        names: Mapping[str, str] | None = None,
    ) -> list[Edit]:
        """The edits.

        ``positional(place, arg)`` says whether an argument may stay positional; ``names`` are the
        new names of parameters that have to be named.
        """
        by_index = {a.index: name for name, a in self.args.items()}
        pieces = self.layout.pieces
        keyworded = dict(self._keyworded)
        place = 0
        must = False
        for piece in pieces:
            if piece.index in self._removed:
                # What follows moves one place to the left unless it is named.
                must = must or piece.keyword is None
                continue
            if piece.keyword is None and not piece.star:
                name = by_index[piece.index]
                stays = piece.index not in keyworded and (
                    positional is None or positional(place, piece)
                )
                if must or not stays:
                    must = True
                    keyworded.setdefault(piece.index, (names or {}).get(name, name))
            place += 1
        # In this order: of insertions at one place the first stands first.
        edits: list[Edit] = []
        for piece in pieces:
            named = keyworded.get(piece.index)
            gone = piece.index in self._removed
            if named is not None and not gone and piece.keyword != named:
                if piece.keyword is None:
                    edits.append(Edit(piece.start, piece.start, f"{named}="))
                else:
                    edits.append(Edit(piece.start, piece.start + len(piece.keyword), named))
            if piece.bare and (named or self._appended):
                edits.append(Edit(piece.start, piece.start, "("))
                edits.append(Edit(piece.end, piece.end, ")"))
        edits.extend(self.edits)
        edits.extend(self._removals())
        if self._appended:
            edits.append(self._addition(", ".join(self._appended)))
        return _merge(edits)

    def _kept(self) -> list[Argument]:
        return [p for p in self.layout.pieces if p.index not in self._removed]

    def _addition(self, new: str) -> Edit:
        kept = self._kept()
        # Before `**kwargs` an argument may stand as well as behind it, and reads better.
        if not kept:
            at = self.layout.open + 1
            return Edit(at, at, new)
        if kept[-1].star == "**":
            return Edit(kept[-1].start, kept[-1].start, f"{new}, ")
        return Edit(kept[-1].end, kept[-1].end, f", {new}")

    def _removals(self) -> list[Edit]:
        text, pieces, commas = self.layout.text, self.layout.pieces, self.layout.commas
        kept = self._kept()
        last_kept = kept[-1].index if kept else -1
        edits: list[Edit] = []
        for number in sorted(self._removed):
            piece = pieces[number]
            if number < last_kept or (not kept and number < len(commas)):
                # With the comma behind it and the blanks up to what follows on the line.
                end = commas[number] + 1
                edits.append(Edit(piece.start, piece.end, ""))
                edits.append(Edit(commas[number], _blanks(text, piece.start, end), ""))
                continue
            # With the comma in front of it: the last ones.
            if number:
                before = commas[number - 1]
                gap = text[before + 1 : piece.start]
                stop = piece.end
                if not gap.strip():
                    edits.append(Edit(before, stop, ""))
                    continue
                edits.append(Edit(before, before + 1, ""))
            edits.append(Edit(piece.start, piece.end, ""))
        return edits


def _blanks(text: str, start: int, at: int) -> int:
    """Behind a removed ``piece,``: the blanks too, a whole line's end where it stood alone."""
    end = at
    while end < len(text) and text[end] in " \t":
        end += 1
    line = text.rfind("\n", 0, start) + 1
    if end < len(text) and text[end] in "\r\n":
        if not text[line:start].strip():  # alone on its line: the line goes
            end += 2 if text.startswith("\r\n", end) else 1
            while end < len(text) and text[end] in " \t":
                end += 1
            return end
        return at
    return end


def _merge(edits: list[Edit]) -> list[Edit]:
    """Drop edits inside deleted spans; keep the order."""
    deleted = [(e.start, e.end) for e in edits if e.end > e.start and not e.new]
    kept = []
    for edit in edits:
        inside = any(
            lo <= edit.start and edit.end <= hi and (lo, hi) != (edit.start, edit.end)
            for lo, hi in deleted
            if not (edit.start == edit.end and edit.start in (lo, hi))
        )
        if not inside:
            kept.append(edit)
    return kept


def bind(
    text: str,
    index: LineIndex,
    call: ast.Call,
    params: Sequence[str],
    *,
    keyword_only: Sequence[str] = (),
    varargs: bool = False,
    varkw: bool = False,
) -> BoundCall:
    """Bind a call to a signature.

    Raises:
        Unbound: a ``*args`` hides what follows, or an argument fits no parameter (the message
            names it).
    """
    where = layout(text, index, call)
    args: dict[str, Argument] = {}
    extra: list[Argument] = []
    hidden = False
    place = 0
    known = {*params, *keyword_only}
    for piece in where.pieces:
        if piece.star == "*":
            raise Unbound("`*` hides which arguments are given")
        if piece.star == "**":
            hidden = True
            extra.append(piece)
        elif piece.keyword is not None:
            if piece.keyword in args:
                raise Unbound(f"`{piece.keyword}` is given twice")
            if piece.keyword not in known:
                if not varkw:
                    raise Unbound(f"TF 1.15.5 knows no argument `{piece.keyword}` here")
                extra.append(piece)
            else:
                args[piece.keyword] = piece
        elif place < len(params):
            args[params[place]] = piece
            place += 1
        elif varargs:
            extra.append(piece)
        else:
            raise Unbound(f"more positional arguments than TF 1.15.5 takes ({len(params)})")
    return BoundCall(where, tuple(params), args, extra, hidden)
