"""Python 2 source: brought to Python 3 with its layout, or reported where that needs a person.

``modernize`` is for source that Python 3 does not parse: fissix rewrites the syntax, and
``python2_names`` what has another name or meaning. ``leftovers`` is for source that does parse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from migrate.engine.findings import Edit
from migrate.engine.python2_tables import quick
from migrate.engine.source import (
    EditConflict,
    LineIndex,
    SourceError,
    apply,
    dominant_newline,
    parse,
)

if TYPE_CHECKING:
    import ast

    from migrate.engine.notebook import Notebook
    from migrate.engine.python2_places import Fix


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that was changed; the line is that of the text before."""

    line: int
    what: str
    before: str
    after: str

    @property
    def message(self) -> str:
        """The change in one line."""
        if not self.before and not self.after:
            return self.what
        if not self.after:
            return f"{self.what}: `{_short(self.before)}` went"
        return f"{self.what}: `{_short(self.before)}` became `{_short(self.after)}`"


@dataclass(frozen=True, slots=True)
class Note:
    """What a person must look at; the line is that of the text before."""

    line: int
    message: str


@dataclass(slots=True)
class Modernized:
    """Source in Python 3; or, where ``text`` is None, the reason why it could not be brought there.

    ``edits`` lead from the text before to ``text``.
    """

    text: str | None
    changes: list[Change] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Leftover:
    """A use of what only Python 2 has, in source that Python 3 parses."""

    start: int
    end: int
    message: str
    edits: tuple[Edit, ...]  # none: a person must act, or the edit of a larger one mends it
    fixed: bool
    within: int | None = None  # where the one begins whose edits mend this one too


def modernize(
    text: str, path: str = "", *, siblings: frozenset[str] = frozenset()
) -> Modernized | None:
    """Bring Python 2 source to Python 3; None for source that Python 3 parses already.

    ``siblings`` are the modules and packages beside the file, if it is in a package: imports of
    them become relative.
    """
    error = parse(text)
    if not isinstance(error, str):
        return None
    from migrate.engine.python2_names import find

    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        converted, marks, places = _syntax(plain)
    except SourceError as refused:
        return Modernized(None, reason=refused.reason)
    tree = parse(converted)
    if isinstance(tree, str):
        return Modernized(None, reason=tree)
    fixes = find(tree, converted, python2=True, siblings=siblings)
    made = [edit for fix in fixes for edit in fix.edits]
    if isinstance(parse(apply(converted, made)), str):
        fixes, made = [fix for fix in fixes if not fix.fixed], []
    final = apply(converted, made)
    moved = _moved(converted, made, final)
    whole = [moved[place - 1] if place else 0 for place in places]
    edits = _line_edits(text, final, whole)
    changes, notes = _report(plain, converted, final, places, whole, marks, fixes)
    return Modernized(apply(text, edits), changes, notes, edits)


def modernize_notebook(
    notebook: Notebook, *, siblings: frozenset[str] = frozenset()
) -> tuple[Notebook, Modernized] | None:
    """The same for a notebook, cell by cell; None if there is nothing of Python 2 in its syntax.

    Cells that are neither Python 3 nor Python 2 are masked (``Notebook.broken``). The lines of
    changes and notes are those of the text of the notebook that was given.
    """
    if not isinstance(parse(notebook.text), str):
        return None
    from migrate.engine.python2_names import find

    before = notebook.text
    edits: list[Edit] = []
    marks: list[tuple[int, str]] = []
    for cell in notebook.cells:
        code = notebook.text[cell.start : cell.end]
        if cell.opaque or not isinstance(parse(code), str):
            continue
        try:
            new, found, places = _syntax(code.replace("\r\n", "\n").replace("\r", "\n"))
        except SourceError:
            continue
        if isinstance(parse(new), str):
            continue
        mine = [
            Edit(edit.start + cell.start, edit.end + cell.start, edit.new)
            for edit in _line_edits(code, new, places)
        ]
        if _accepted(notebook, mine):
            edits += mine
            marks += [(line + cell.first_line - 1, what) for line, what in found]
    if not edits:
        return None
    places = _moved(before, edits, apply(before, edits))
    notebook = notebook.edited(edits)
    tree = parse(notebook.text)
    if isinstance(tree, str):
        notebook = notebook.without_broken()
        tree = parse(notebook.text)
    if isinstance(tree, str):
        raise SourceError(tree)
    converted = notebook.text
    fixes = find(tree, converted, python2=True, siblings=siblings)
    fixes = [fix for fix in fixes if not fix.edits or _accepted(notebook, fix.edits)]
    made = [edit for fix in fixes for edit in fix.edits]
    if not _accepted(notebook, made) or isinstance(parse(apply(converted, made)), str):
        fixes, made = [fix for fix in fixes if not fix.fixed], []
    final = apply(converted, made)
    moved = _moved(converted, made, final)
    whole = [moved[place - 1] if 0 < place <= len(moved) else 0 for place in places]
    changes, notes = _report(before, converted, final, places, whole, marks, fixes)
    notebook = notebook.edited(made)
    return notebook, Modernized(notebook.text, changes, notes)


def leftovers(tree: ast.Module, text: str, *, index: LineIndex | None = None) -> list[Leftover]:
    """What only Python 2 has, in source that parses on Python 3, in the order of the text."""
    if not quick(text):
        return []
    from migrate.engine.python2_names import find

    return [
        Leftover(
            fix.start,
            fix.end,
            fix.what,
            tuple(fix.edits),
            fix.fixed,
            fix.within.start if fix.within is not None else None,
        )
        for fix in find(tree, text, python2=False, index=index)
    ]


def _accepted(notebook: Notebook, edits: Sequence[Edit]) -> bool:
    """Whether a notebook takes edits: they must not touch what is masked."""
    try:
        notebook.encode(edits)
    except EditConflict:
        return False
    return True


# --- reporting --------------------------------------------------------------------------------


def _moved(text: str, edits: Sequence[Edit], final: str) -> list[int]:
    """For each line of a text its line after the edits, from 1; 0 where it is gone."""
    starts = LineIndex(text).starts
    lines = LineIndex(final)
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    result: list[int] = []
    at = shift = last = 0
    for start, following in zip(starts, [*starts[1:], len(text)], strict=True):
        while at < len(ordered) and ordered[at].end <= start:
            edit = ordered[at]
            shift += len(edit.new) - (edit.end - edit.start)
            at += 1
        gone = at < len(ordered) and (
            ordered[at].start < start
            or (
                ordered[at].start == start < following <= ordered[at].end
                and (following < len(text) or not ordered[at].new)
            )
        )
        line = 0 if gone else lines.position(start + shift)[0]
        result.append(line if line > last else 0)
        last = max(last, line)
    return result


def _report(
    plain: str,
    converted: str,
    final: str,
    places: Sequence[int],
    whole: Sequence[int],
    marks: Sequence[tuple[int, str]],
    fixes: Sequence[Fix],
) -> tuple[list[Change], list[Note]]:
    """What was changed and what is left, on the lines of the text before."""
    index = LineIndex(converted)
    old_of: dict[int, int] = {place: line for line, place in enumerate(places, 1) if place}
    notes: list[Note] = []
    listed = list(marks)
    added = {fix.what for fix in fixes if fix.start == fix.end}
    for fix in fixes:
        line = index.position(fix.start)[0]
        while line > 1 and line not in old_of:
            line -= 1
        line = old_of.get(line, 1)
        if fix.fixed:
            listed.append((line, fix.what))
        else:
            notes.append(Note(line, fix.what))
    old, new = plain.split("\n"), final.split("\n")
    changes: list[Change] = []
    for line, what in sorted(dict.fromkeys(listed), key=lambda mark: mark[0]):
        before = old[line - 1].strip() if line <= len(old) else ""
        at = whole[line - 1] if line <= len(whole) else 0
        after = new[at - 1].strip() if at else ""
        if before == after or what in added:
            before = after = ""
        changes.append(Change(line, what, before, after))
    return changes, sorted(dict.fromkeys(notes), key=lambda note: note.line)


def _line_edits(text: str, final: str, places: Sequence[int]) -> list[Edit]:
    """Edits of lines or less from a text, whatever its newlines, to one with ``\\n`` only.

    ``places`` says for each old line which new one it is, so that inserted lines stay apart.
    """
    starts = [*LineIndex(text).starts, len(text)]
    newline = dominant_newline(text)
    old = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    new = final.split("\n")
    pairs = [(line, place) for line, place in enumerate(places) if 0 < place <= len(new)]
    edits: list[Edit] = []
    at_old = at_new = 0
    for line, place in [*pairs, (len(old), len(new) + 1)]:
        lines = new[at_new : place - 1]
        if line < len(old):
            if at_old < line or lines:
                body = "".join([content + newline for content in lines])
                edits.append(Edit(starts[at_old], starts[line], body))
            if old[line] != new[place - 1]:
                edits.append(_within(starts[line], old[line], new[place - 1]))
        elif at_old < line or lines:
            # To the end of the text: the newline before goes or comes with the lines.
            start = starts[at_old] if at_old < len(old) else len(text)
            if not lines and at_old:
                start = len(text[:start].removesuffix("\n").removesuffix("\r"))
            lead = newline if lines and at_old == len(old) else ""
            edits.append(Edit(start, len(text), lead + newline.join(lines)))
        at_old, at_new = line + 1, place
    return edits


def _within(start: int, old: str, new: str) -> Edit:
    """The part of a line that differs."""
    shortest = min(len(old), len(new))
    head = 0
    while head < shortest and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shortest - head and old[-tail - 1] == new[-tail - 1]:
        tail += 1
    return Edit(start + head, start + len(old) - tail, new[head : len(new) - tail])


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 72 else text[:71] + "…"


# --- syntax -----------------------------------------------------------------------------------

_WHAT = {
    "FixPrint": "print statement",
    "FixExcept": "except clause",
    "FixRaise": "raise statement",
    "FixExec": "exec statement",
    "FixNe": "<> operator",
    "FixRepr": "backquotes",
    "FixTupleParams": "tuple parameters",
}
_STRING = (
    r"""#[^\n]*|\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[(\[{]|[)\]}]"""
)


def _syntax(text: str) -> tuple[str, list[tuple[int, str]], list[int]]:
    """The text in Python 3's syntax as far as that goes, what was changed on which lines, and
    for each line which one it is now.
    """
    expanded, tabs = _expand_tabs(text)
    if tabs and not isinstance(parse(expanded), str):
        return expanded, tabs, list(range(1, text.count("\n") + 2))
    new, marks, places = _convert(text)
    if isinstance(parse(new), str) and tabs:
        new, _ = _expand_tabs(new)
        marks = [*marks, *tabs]
    return new, marks, places


def _expand_tabs(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Tabs in the indentation as the spaces that Python 2 took them for."""
    inside: set[int] = set()  # lines that begin in a string
    for found in re.finditer(_STRING, text, re.DOTALL):
        if "\n" in found[0] and found[0][0] != "#":
            first = text.count("\n", 0, found.start()) + 1
            inside.update(range(first + 1, first + 1 + found[0].count("\n")))
    lines = text.split("\n")
    numbers: list[int] = []
    for number, line in enumerate(lines, 1):
        body = line.lstrip(" \t")
        indent = line[: len(line) - len(body)]
        if "\t" in indent and number not in inside:
            lines[number - 1] = indent.expandtabs(8) + body
            if body:
                numbers.append(number)
    what = f"tabs became spaces, as Python 2 took them, on {len(numbers)} lines"
    return "\n".join(lines), [(number, what) for number in numbers[:1]]


def _convert(text: str) -> tuple[str, list[tuple[int, str]], list[int]]:
    """What fissix makes of a text, and where."""
    tool = _tool()
    ended = text if text.endswith("\n") else text + "\n"
    tree = tool.parse(ended)
    if str(tree) != ended:
        raise SourceError("the source cannot be taken apart without loss")
    tool.marks.clear()
    try:
        _rename_keywords(tree, tool.marks)
        _convert_literals(tree, tool.marks, "unicode_literals" in text)
        _parenthesize(tree, tool.marks)
        _unpack_lambdas(tree, tool.marks)
        tree.future_features = frozenset()
        tool.refactor_tree(tree, "")
    except SourceError:
        raise
    except Exception as error:  # fissix on odd code
        raise SourceError(f"the conversion failed: {error}") from error
    new = str(tree)
    if ended != text:
        new = new.removesuffix("\n")
    places = _places(tree, text.count("\n") + 1)
    count = new.count("\n") + 1
    return new, sorted(tool.marks), [place if place <= count else 0 for place in places]


def _places(tree: Any, count: int) -> list[int]:
    """For each of the source's lines its line in the tree, as far as its leaves tell."""
    known = [0] * (count + 1)
    line = 1
    for leaf in tree.leaves():
        line += leaf.prefix.count("\n")
        indent = not leaf.value.strip(" \t")
        if not indent and 0 < leaf.lineno <= count and not known[leaf.lineno]:
            known[leaf.lineno] = line
        line += leaf.value.count("\n")
    last = 0
    for number in range(1, count + 1):
        if known[number] <= last:  # a comment, or a line that was made anew
            following = next((place for place in known[number + 1 :] if place > last), line + 1)
            known[number] = last + 1 if last + 1 < following or last + 1 == number else 0
        last = known[number] or last
    return known[1:]


_TOOL: Any = None


def _tool() -> Any:
    """fissix with the few fixers for syntax; made once, since that takes a while."""
    global _TOOL
    if _TOOL is None:
        _TOOL = _make_tool()
    return _TOOL


def _make_tool() -> Any:
    import logging

    from fissix import pygram, pytree, refactor  # type: ignore[import-untyped,unused-ignore]
    from fissix.fixes import (  # type: ignore[import-untyped,unused-ignore]
        fix_except,
        fix_exec,
        fix_ne,
        fix_print,
        fix_raise,
        fix_repr,
        fix_tuple_params,
    )
    from fissix.pgen2 import driver  # type: ignore[import-untyped,unused-ignore]

    grammars = (
        pygram.python_grammar,
        pygram.python_grammar_no_print_statement,
        pygram.python_grammar_no_print_and_exec_statement,
    )

    class Print(fix_print.FixPrint):  # type: ignore[misc,no-any-unimported,unused-ignore]
        """``print "a\\n",`` wrote no space before the next text."""

        def transform(self, node: Any, results: Any) -> Any:
            ends_line = _ends_line(node)
            if _in_parentheses(node):
                return None
            new = super().transform(node, results)
            if ends_line and new is not None:
                for leaf in new.leaves():
                    if leaf.value == "' '" and str(leaf.parent).strip() == "end=' '":
                        leaf.value = "''"
            return new

    Print.__name__ = "FixPrint"

    class TupleParams(fix_tuple_params.FixTupleParams):  # type: ignore[misc,no-any-unimported,unused-ignore]
        """With a name that reads as if it was meant."""

        def new_name(self, template: str = "packed") -> Any:
            return super().new_name(template)

        def transform(self, node: Any, results: Any) -> Any:
            body = results["suite"][0] if results.get("suite") else None
            before = [(s, s.prefix) for s in body.children[2:4]] if body is not None else []
            new = super().transform(node, results)
            # What is unpacked stands where the comments of the next statement stood.
            for statement, prefix in before:
                if "#" in prefix:
                    statement.prefix = prefix
            return new

    TupleParams.__name__ = "FixTupleParams"

    class Raise(fix_raise.FixRaise):  # type: ignore[misc,no-any-unimported,unused-ignore]
        """A raised text fails on Python 3 as it did since 2.6: nothing to convert."""

        def cannot_convert(self, node: Any, reason: str | None = None) -> None:
            """Leave it."""

    Raise.__name__ = "FixRaise"

    class Tool(refactor.RefactoringTool):  # type: ignore[misc,no-any-unimported,unused-ignore]
        def __init__(self) -> None:
            self.marks: list[tuple[int, str]] = []
            logging.getLogger("RefactoringTool").setLevel(logging.ERROR)
            super().__init__([])

        def get_fixers(self) -> tuple[list[Any], list[Any]]:
            classes = (
                TupleParams,
                fix_except.FixExcept,
                fix_exec.FixExec,
                fix_ne.FixNe,
                Print,
                Raise,
                fix_repr.FixRepr,
            )
            fixers = [kind(self.options, self.fixer_log) for kind in classes]
            for fixer in fixers:
                setattr(fixer, "transform", self.recording(fixer))  # noqa: B010
            pre = [fixer for fixer in fixers if fixer.order == "pre"]
            return pre, [fixer for fixer in fixers if fixer.order != "pre"]

        def recording(self, fixer: Any) -> Callable[[Any, Any], Any]:
            transform = fixer.transform
            what = _WHAT[type(fixer).__name__]

            def record(node: Any, results: Any) -> Any:
                before = str(node)
                lines = _old_excepts(node) if what == "except clause" else [_line_of(node)]
                new = transform(node, results)
                if str(node if new is None else new) != before:
                    self.marks += [(line, what) for line in lines if line]
                return new

            return record

        def parse(self, text: str) -> Any:
            """The tree by the first grammar that fits: ``print`` and ``exec`` may be functions."""
            reason = ""
            features = refactor._detect_future_features(text)
            for grammar in grammars["print_function" in features :]:
                parser = driver.Driver(grammar, convert=pytree.convert, logger=self.logger)
                try:
                    return parser.parse_string(text)
                except Exception as error:  # ParseError, TokenError, IndentationError and others
                    reason = reason or _parse_reason(error)
            raise SourceError(reason)

    return Tool()


def _parse_reason(error: Exception) -> str:
    """Why fissix could not parse, in short."""
    context = getattr(error, "context", None)
    if context:
        return f"unexpected {getattr(error, 'value', '')!r} (line {context[1][0]})"
    lineno = getattr(error, "lineno", None)
    where = f" (line {lineno})" if lineno else ""
    first = error.args[0] if error.args else error
    return f"{first}{where}"


def _line_of(node: Any) -> int:
    """The line of a node's first leaf that comes from the source."""
    for leaf in node.leaves():
        if leaf.lineno:
            return int(leaf.lineno)
    return 0


def _old_excepts(node: Any) -> list[int]:
    """The lines of the clauses ``except Error, name`` of a try statement."""
    return [
        child.get_lineno()
        for child in node.children
        if len(child.children) == 4
        and str(child.children[0]).strip() == "except"
        and str(child.children[2]).strip() == ","
    ]


def _ends_line(node: Any) -> bool:
    """Whether ``print …,`` ends with a literal text whose last character is a newline or tab."""
    if len(node.children) < 3 or str(node.children[-1]).strip() != ",":
        return False
    last = node.children[-2]
    text = str(last.children[0] if last.children else last).strip()
    if last.children and str(last.children[1]).strip() != "%":
        return False
    return re.search(r"""^[uUbB]?(["']).*\\[nt]["']+$""", text, re.DOTALL) is not None


def _in_parentheses(node: Any) -> bool:
    """Whether ``print (x)`` has one value in parentheses: a call as it stands."""
    if len(node.children) != 2:
        return False
    parts = getattr(node.children[1], "children", [])
    return (
        len(parts) == 3
        and str(parts[0]).strip() == "("
        and _kind_of(parts[1]) not in ("testlist_gexp", "yield_expr")
    )


def _convert_literals(tree: Any, marks: list[tuple[int, str]], wide: bool) -> None:
    """Numbers and texts that Python 3 spells differently, or not at all.

    ``ur'…'`` becomes a raw text with the characters that it wrote as ``\\uXXXX``; in a text of
    bytes (unless literals are ``wide``) ``\\u`` was a backslash and a letter, and stays that.
    """
    for leaf in list(tree.leaves()):
        value = leaf.value
        if value[:1].isdigit():
            new = _number(value)
            what = "number literal"
        elif re.match(r"[uU][rR][\"']", value):
            new = "r" + re.sub(r"(\\+)u([0-9a-fA-F]{4})", _character, value[2:])
            what = "ur'' literal"
        elif value[:1] in ("'", '"') and "\\" in value and not wide:
            new = re.sub(r"(?<!\\)((?:\\\\)*)(\\[uUN])", r"\1\\\2", value)
            what = "backslash that was no escape in Python 2"
        else:
            continue
        if new != value:
            marks.append((leaf.lineno, what))
            leaf.value = new
            leaf.changed()


def _number(value: str) -> str:
    """``0777`` and ``10L`` as Python 3 writes them."""
    value = value.rstrip("lL")
    if re.fullmatch(r"0+[1-7][0-7]*", value):
        return f"0o{value.lstrip('0')}"
    return value


def _parenthesize(tree: Any, marks: list[tuple[int, str]]) -> None:
    """``[x for x in 1, 2]``: the tuple needs parentheses, wherever the clause stands."""
    from fissix.pgen2 import token
    from fissix.pytree import Leaf

    for node in list(tree.post_order()):
        clause = _kind_of(node.parent) in ("comp_for", "old_comp_for", "list_for", "gen_for")
        if clause and _kind_of(node) in ("testlist_safe", "testlist") and len(node.children) > 1:
            opening = Leaf(token.LPAR, "(", prefix=node.prefix)
            node.prefix = ""
            node.insert_child(0, opening)
            node.append_child(Leaf(token.RPAR, ")"))
            marks.append((_line_of(node), "missing parentheses"))


def _character(found: re.Match[str]) -> str:
    """The character for an escape in a raw text; an even number of slashes is none."""
    slashes, new = found[1], chr(int(found[2], 16))
    if len(slashes) % 2 == 0:
        return found[0]
    if not new.isprintable() or new in "\"'\\":
        raise SourceError(f"a raw text holds {found[0]}, which has no raw spelling in Python 3")
    return slashes[:-1] + new


def _rename_keywords(tree: Any, marks: list[tuple[int, str]]) -> None:
    """``async`` and ``await`` were names: parameters and variables get an underscore."""
    from fissix.pgen2 import token
    from fissix.pytree import Leaf  # type: ignore[import-untyped,unused-ignore]

    leaves = [leaf for leaf in tree.leaves() if leaf.value in ("async", "await")]
    leaves = [leaf for leaf in leaves if leaf.type == token.NAME]
    if not leaves:
        return
    own = _functions_with_keywords(leaves)
    for leaf in leaves:
        before, after = leaf.prev_sibling, leaf.next_sibling
        parent = leaf.parent
        kind = _kind_of(parent)
        if before is not None and str(before).strip() == ".":
            raise SourceError(f"an attribute named {leaf.value} (line {leaf.lineno})")
        if kind in ("import_as_name", "import_from", "dotted_name", "import_name"):
            raise SourceError(f"an import of the name {leaf.value} (line {leaf.lineno})")
        marks.append((leaf.lineno, f"{leaf.value} is a keyword"))
        keyword = kind == "argument" and after is not None and str(after).strip() == "="
        if keyword and _called(parent) not in own:
            leaf.value = f"**{{'{leaf.value}':"
            after.value = after.prefix = ""
            parent.children[2].prefix = " "
            parent.append_child(Leaf(token.RBRACE, "}"))
            continue
        leaf.value += "_"
        leaf.changed()


def _unpack_lambdas(tree: Any, marks: list[tuple[int, str]]) -> None:
    """``lambda (x, y), z: …``: fissix knows a tuple as the only parameter."""
    from fissix.fixer_util import Name  # type: ignore[import-untyped,unused-ignore]
    from fissix.fixes import fix_tuple_params
    from fissix.pgen2 import token
    from fissix.pytree import Node

    for node in list(tree.post_order()):
        if _kind_of(node) not in ("lambdef", "old_lambdef") or len(node.children) != 4:
            continue
        if _kind_of(node.children[1]) != "varargslist":
            continue
        used = {leaf.value for leaf in node.leaves()}
        for parameter in list(node.children[1].children):
            if _kind_of(parameter) != "vfpdef":
                continue
            marks.append((parameter.get_lineno(), _WHAT["FixTupleParams"]))
            names = fix_tuple_params.find_params(parameter)
            if isinstance(names, str):
                parameter.replace(Name(names, prefix=parameter.prefix))
                continue
            name = fix_tuple_params.tuple_name(names)
            while name in used:
                name += "_"
            places = fix_tuple_params.map_to_index(names)
            parameter.replace(Name(name, prefix=parameter.prefix))
            for leaf in list(node.children[3].leaves()):
                if leaf.type != token.NAME or leaf.value not in places or _is_label(leaf):
                    continue
                parts = [place.clone() for place in places[leaf.value]]
                leaf.replace(Node(_number_of("power"), [Name(name), *parts], prefix=leaf.prefix))


def _is_label(leaf: Any) -> bool:
    """Whether a name is an attribute's or a keyword argument's."""
    before, after = leaf.prev_sibling, leaf.next_sibling
    if before is not None and str(before).strip() == ".":
        return True
    keyword = _kind_of(leaf.parent) == "argument"
    return keyword and after is not None and str(after).strip() == "="


def _number_of(symbol: str) -> int:
    from fissix.pygram import python_symbols  # type: ignore[import-untyped,unused-ignore]

    return int(getattr(python_symbols, symbol))


def _kind_of(node: Any) -> str:
    from fissix.pytree import type_repr  # type: ignore[import-untyped,unused-ignore]

    return str(type_repr(node.type)) if node is not None else ""


def _functions_with_keywords(leaves: list[Any]) -> set[str]:
    """The functions of the file that have a parameter of such a name."""
    names: set[str] = set()
    for leaf in leaves:
        node = leaf.parent
        while node is not None and _kind_of(node) in ("typedargslist", "parameters", "tname"):
            node = node.parent
        if _kind_of(node) == "funcdef" and leaf is not node.children[1]:
            names.add(node.children[1].value)
    return names


def _called(argument: Any) -> str:
    """The name of the function that a keyword argument is for."""
    node = argument.parent
    while node is not None and _kind_of(node) != "trailer":
        node = node.parent
    before = node.prev_sibling if node is not None else None
    if before is None:
        return ""
    return str(before.children[-1] if before.children else before).strip()
