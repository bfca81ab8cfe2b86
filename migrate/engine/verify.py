"""The safety net under every changed file, before anything is written.

The new text parses; what no edit touched has an equal tree; a second pass changes nothing; every
name that the new text takes from TensorFlow exists in TF 2.21 or is one that the old text took;
every name that it reads is bound, or wasn't before either.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from migrate import symbols
from migrate.engine import document as documents
from migrate.engine.bound import keeps, lost, refused
from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.names import Names, attempted
from migrate.engine.options import Options
from migrate.engine.source import SourceError

if TYPE_CHECKING:
    from migrate.engine.judged import Decision

SWITCH = "disable_v2_behavior"
PARSES = re.compile(r"\w+(\.\w+)*\(sys\.argv\)")  # absl's flags


def verify(
    before: Document,
    path: str,
    after: bytes,
    edits: Sequence[Edit],
    options: Options,
    shown: str,
    decision: Decision,
) -> str:
    """Why the new bytes must not be written; "" if they may."""
    try:
        fresh = documents.read(path, after)
    except SourceError as error:
        return f"the result does not parse ({error.reason}); please report this"
    if fresh.modernized:
        return "the result is not Python 3; please report this"
    where = _untouched(before, fresh, edits)
    if where:
        return f"the result changes more than it should ({where}); please report this"
    return _second(before, fresh, edits, options, shown, decision)


def _second(
    before: Document,
    fresh: Document,
    made: Sequence[Edit],
    options: Options,
    shown: str,
    decision: Decision,
) -> str:
    from dataclasses import replace

    from migrate.engine.judged import names_of, survey_of
    from migrate.engine.level import edits_of

    names = names_of(fresh)
    own = survey_of(fresh, names)
    # A program of TF 2 stays one, whatever one of its files still has of TF 1.
    tf1 = decision.tf1 and own.tf1 is not None
    again = replace(decision, tf1=tf1, eager=decision.eager or own.eager)
    edits, _, _ = edits_of(fresh, options, shown, again)
    if edits:
        first = edits[0]
        line, column = fresh.index.position(first.start)
        return f"a second pass would change line {line}, column {column}; please report this"
    earlier = names_of(before)
    tried = attempted(before.tree)
    known = unresolved(earlier) | {
        r.name for r in earlier.references if id(r.node) in tried and symbols.tf2_only(r.name)
    }
    # Of a module that got its public name: what that has lost was lost before.
    known |= {public for name in known if (public := symbols.public(name)) is not None}
    fresh_names = unresolved(names) - known
    if fresh_names:
        return f"the result names what TF 2.21 lacks: {', '.join(sorted(fresh_names))}"
    why = refused(before.text, before.tree, cells=shown.endswith(".ipynb"))
    if why:
        return f"Python does not compile it: {why}"
    if keeps(before.text, before.tree, made, fresh.tree) and not refused(fresh.text, fresh.tree):
        return ""
    without = lost(fresh.text, before.text, before.tree)
    if without:
        return f"the result reads names without a value: {', '.join(without)}"
    return ""


def unresolved(names: Names) -> set[str]:
    """The TensorFlow names of a file that TF 2.21 doesn't have, as TF 1 spells them."""
    return {
        "tensorflow." + r.name.removeprefix("tensorflow.").replace("compat.v1.", "")
        for r in names.references
        if r.name.startswith("tensorflow.") and not r.guarded and not exists(r.name)
    }


def exists(name: str) -> bool:
    """Whether TF 2.21 has a name, public or private, or an attribute of a class's instance."""
    if symbols.resolves(name):
        return True
    v1 = "tensorflow.compat.v1."
    if name in (v1 + "compat.v1", v1 + "compat.v2", v1 + "compat"):  # the module has itself
        name = v1[:-1]
    while name.startswith(v1 + "compat.v1."):
        name = v1 + name.removeprefix(v1 + "compat.v1.")
    if name.startswith(v1 + "compat.v2."):
        name = "tensorflow." + name.removeprefix(v1 + "compat.v2.")
    if name in ("tensorflow", "tensorflow.compat.v1") or symbols.resolves(name):
        return True
    return symbols.private_status(name) == "same path" or _beside(name)


def _beside(name: str) -> bool:
    """Whether a name goes through a module beside its own: ``ops.rnn.rnn_cell_impl.RNNCell``."""
    package, python, rest = name.partition(".python.")
    parts = rest.split(".")
    return bool(python) and any(
        symbols.private_status(".".join([package, "python", *parts[:i], *parts[i + 1 :]]))
        == "same path"
        for i in range(1, len(parts) - 2)
    )


# -- untouched code ----------------------------------------------------------------------


class _Different(Exception):
    pass


def _untouched(before: Document, after: Document, edits: Sequence[Edit]) -> str:
    """Where the trees differ outside the edited expressions; "" if they don't."""
    spans = sorted((e.start, e.end) for e in edits)
    removed = [(e.start, e.end) for e in edits if not e.new.strip() or e.new == "pass"]
    try:
        added = _added(edits)
        theirs = [s for s in after.tree.body if not added or ast.dump(s) not in added]
        if len(theirs) + len(added) != len(after.tree.body):
            raise _Different("definitions that it has already")
        _Compare(before, after, spans, removed, _named(edits)).body(before.tree.body, theirs)
    except _Different as error:
        return str(error)
    return ""


def _added(edits: Sequence[Edit]) -> list[str]:
    """The functions and classes that edits put between statements."""
    found: list[str] = []
    for edit in edits:
        if edit.start == edit.end and any(f"\n{w} " in f"\n{edit.new}" for w in ("def", "class")):
            found += map(ast.dump, ast.parse(edit.new).body)
    return found


def _named(edits: Sequence[Edit]) -> set[str]:
    """Lines of their own: second names of methods, ``__next__ = next``, and parsers of flags."""
    lines = {edit.new.strip() for edit in edits if edit.start == edit.end}
    known = {line for line in lines if line == "__next__ = next" or PARSES.fullmatch(line)}
    return {ast.dump(ast.parse(line).body[0]) for line in known}


class _Compare:
    def __init__(
        self,
        before: Document,
        after: Document,
        spans: list[tuple[int, int]],
        removed: list[tuple[int, int]],
        named: set[str],
    ) -> None:
        self.before, self.after = before, after
        self.spans = spans
        self.removed = removed
        self.named = named

    def edited(self, node: ast.AST) -> bool:
        """Whether an edit lies inside a node or at its border."""
        from bisect import bisect_left

        lo, hi = self.before.index.span(node)
        at = bisect_left(self.spans, (lo, -1))
        if at and self.spans[at - 1][1] > lo:
            return True
        return at < len(self.spans) and self.spans[at][0] <= hi

    def fail(self, node: ast.AST) -> None:
        raise _Different(f"line {getattr(node, 'lineno', '?')}")

    def body(self, old: list[ast.stmt], new: list[ast.stmt]) -> None:
        mine = [s for s in old if not self._loose(s) and not self._gone(s)]
        theirs = [s for s in new if not self._loose(s)]
        if self.named and len(mine) < len(theirs):
            theirs = [s for s in theirs if ast.dump(s) not in self.named]
        if len(mine) != len(theirs):
            self.fail((mine or old or [ast.Pass()])[0])
        for a, b in zip(mine, theirs, strict=True):
            if not self.same(a, b):
                self.node(a, b)
        # An import that no edit touches stands as it was.
        kept = [ast.dump(s) for s in old if isinstance(s, _IMPORTS) and not self.edited(s)]
        there = [ast.dump(s) for s in new if isinstance(s, _IMPORTS)]
        for item in kept:
            if item not in there:
                self.fail(old[0])
            there.remove(item)

    def same(self, old: ast.stmt, new: ast.stmt) -> bool:
        """Whether a statement without edits is the same text: then its tree is, too."""
        if self.edited(old) or getattr(old, "decorator_list", None):  # they stand above its span
            return False
        if type(old) is not type(new) or getattr(new, "decorator_list", None):
            return False
        (start, end), (first, last) = self.before.index.span(old), self.after.index.span(new)
        length = end - start
        if length != last - first or old.col_offset != new.col_offset:
            return False
        return self.before.text.startswith(self.after.text[first:last], start)

    def _gone(self, stmt: ast.stmt) -> bool:
        """Whether a whole statement without a body of its own was taken away."""
        if not self.removed or not isinstance(stmt, (ast.Expr, ast.Assign)):
            return False
        lo, hi = self.before.index.span(stmt)
        return any(start <= lo and hi <= end for start, end in self.removed)

    def _loose(self, stmt: ast.stmt) -> bool:
        if isinstance(stmt, (*_IMPORTS, ast.Pass)):
            return True
        return (
            isinstance(stmt, ast.Expr)
            and isinstance(stmt.value, ast.Call)
            and isinstance(stmt.value.func, ast.Attribute)
            and stmt.value.func.attr == SWITCH
        )

    def node(self, old: ast.AST, new: ast.AST) -> None:
        if isinstance(old, ast.expr) and self.edited(old):
            self.inner(old, new)
            return
        if isinstance(old, ast.stmt) and not hasattr(old, "body") and self.edited(old):
            self.inner(old, new)
            return
        if type(old) is not type(new):
            self.fail(old)
        self.fields(old, new)

    def inner(self, old: ast.AST, new: ast.AST) -> None:
        """An edited expression: equal kinds are followed down to where they part."""
        if isinstance(old, ast.Compare) and isinstance(new, ast.Compare):
            # Its operators may be what was edited.
            mine, theirs = [old.left, *old.comparators], [new.left, *new.comparators]
            if len(mine) != len(theirs):
                self.fail(old)
            for a, b in zip(mine, theirs, strict=True):
                self.node(a, b)
            return
        if type(old) is type(new) and not isinstance(old, (ast.Call, ast.Attribute, ast.Name)):
            self.fields(old, new)

    def fields(self, old: ast.AST, new: ast.AST) -> None:
        for name in old._fields:
            a, b = getattr(old, name, None), getattr(new, name, None)
            if isinstance(a, list):
                if a and isinstance(a[0], ast.stmt):
                    self.body(a, b)  # type: ignore[arg-type]
                    continue
                if not isinstance(b, list) or len(a) != len(b):
                    self.fail(old)
                for x, y in zip(a, b, strict=True):  # type: ignore[arg-type]
                    if isinstance(x, ast.AST):
                        self.node(x, y)
                    elif x != y:
                        self.fail(old)
            elif isinstance(a, ast.AST):
                if not isinstance(b, ast.AST):
                    self.fail(old)
                self.node(a, b)  # type: ignore[arg-type]
            elif a != b and not (name == "name" and (a, b) in _RENAMED):
                self.fail(old)


_IMPORTS = (ast.Import, ast.ImportFrom)
# Methods that Python 3 calls by another name.
_RENAMED = {("__nonzero__", "__bool__")}
