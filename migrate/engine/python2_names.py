"""What Python 2 called differently, in source that Python 3 parses: names, modules, lists, ``/``.

Used by ``python2``: for source just brought to Python 3's syntax, and for source that needed none
but still uses names that are gone. Everything is decided on the scopes of the file; a name that
the file binds itself, or guards with a test of the version, is its author's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from migrate.engine.findings import Edit
from migrate.engine.python2_calls import Calls
from migrate.engine.python2_imports import Imports
from migrate.engine.python2_lists import Lists
from migrate.engine.python2_numbers import Numbers
from migrate.engine.python2_places import Fix
from migrate.engine.source import LineIndex


def find(
    tree: ast.Module,
    text: str,
    *,
    python2: bool,
    siblings: frozenset[str] = frozenset(),
    index: LineIndex | None = None,
) -> list[Fix]:
    """What is left of Python 2.

    With ``python2``, or where a name proves it, the source was written for Python 2: then ``/``
    between integers, lists that are iterators now and relative imports are looked at too. What
    Python 3 did run, with another meaning, is only changed with ``python2``.
    """
    finder = _Finder(tree, text, siblings, index or LineIndex(text))
    finder.names()
    # Evidence that stays would show in the result as well, and change it once more.
    evident = finder.evidence and any(fix.fixed for fix in finder.fixes)
    finder.python2_only(certain=python2 or evident, mend=python2)
    if not (python2 or evident):
        finder.certain_lists()
    return finder.result()


class _Finder(Calls, Imports, Lists):
    """Puts every node to what may know it."""

    def names(self) -> None:
        """What has another name in Python 3, or none."""
        judges: dict[type, Callable[[Any], None]] = {
            ast.Import: self._unguarded_import,
            ast.ImportFrom: self._unguarded_import,
            ast.Call: self._call,
            ast.Attribute: self._attribute,
            ast.Expr: self._print,
            ast.Name: self._name,
            ast.ClassDef: self._class,
        }
        for node in self.nodes:
            judge = judges.get(type(node))
            if judge is not None:
                judge(node)

    def python2_only(self, *, certain: bool, mend: bool) -> None:
        """Metaclasses; lists that are iterators now, ``/``, iterators' methods, relative imports.

        All but the first only where it is certain that the source was written for Python 2; what
        can have run on Python 3 is changed only to ``mend``.
        """
        for node in self.nodes:
            if isinstance(node, ast.ClassDef) and not self.guarded(node):
                self._metaclass(node, mend)
        if not certain:
            return
        absolute = division = False
        for statement in self.tree.body:
            if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
                absolute |= any(alias.name == "absolute_import" for alias in statement.names)
                division |= any(alias.name == "division" for alias in statement.names)
        for node in self.nodes:
            if isinstance(node, ast.Call):
                self._lists(node)
                self._next(node, mend)
                self._sort(node)
            elif isinstance(node, ast.ClassDef):
                self._iterator(node)
            elif (
                self.siblings
                and not absolute
                and isinstance(node, (ast.Import, ast.ImportFrom))
                and not self.guarded(node)
            ):
                self._relative(node)
        if not division:
            self._division(mend)

    def _class(self, node: ast.ClassDef) -> None:
        methods = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
        method = methods.get("__nonzero__")
        if method is not None and "__bool__" not in self.text[slice(*self.span(node))]:
            start = self.text.index("__nonzero__", self.span(method)[0])
            self.rename((start, start + len("__nonzero__")), "__bool__")

    def _metaclass(self, node: ast.ClassDef, mend: bool) -> None:
        """Python 3 takes the metaclass in the head of the class."""
        for part in node.body:
            if (
                isinstance(part, ast.Assign)
                and isinstance(part.targets[0], ast.Name)
                and part.targets[0].id == "__metaclass__"
                and not node.keywords
            ):
                start, end = self.span(part.value)
                keyword = f"metaclass={self.text[start:end]}"
                what = f"Python 3 ignores __metaclass__: it is {keyword} in the head of the class"
                head = re.compile(r"class\s+\w+\s*(\(\s*)?").match(
                    self.text, self._class_start(node)
                )
                if not mend or head is None:
                    self.fix(part, what)
                    continue
                at = self.span(node.bases[-1])[1] if node.bases else head.end()
                new = f", {keyword}" if node.bases else keyword if head[1] else f"({keyword})"
                if not node.bases and not head[1]:
                    at = head.start() + len(head[0].rstrip())
                self._drop(part, what)
                self.fixes[-1].edits.append(Edit(at, at, new))

    def _class_start(self, node: ast.ClassDef) -> int:
        return self.index.offset(node.lineno, node.col_offset)

    def _division(self, mend: bool) -> None:
        numbers = Numbers(self.tree)
        lines: set[int] = set()
        for node in self.nodes:
            if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
                left, right = (
                    (node.left, node.right)
                    if isinstance(node, ast.BinOp)
                    else (node.target, node.value)
                )
                kinds = (numbers.kind(left), numbers.kind(right))
                if "float" in kinds or self.guarded(node):
                    continue
                at = self._slash(self.span(left)[1], self.span(right)[0])
                if mend and kinds == ("int", "int") and at >= 0:
                    self.fix(node, "/ between integers became //", Edit(at, at + 1, "//"))
                elif node.lineno not in lines:
                    lines.add(node.lineno)
                    self.fix(
                        node,
                        "/ cut off the fraction in Python 2 if both sides were integers: "
                        "if they are, write //",
                    )

    def _slash(self, start: int, end: int) -> int:
        """Where the operator is between two operands."""
        while start < end:
            if self.text[start] == "#":
                start = self.text.find("\n", start)
            elif self.text[start] == "/":
                return start
            start += 1
        return -1
