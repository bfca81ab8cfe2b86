"""What was a list in Python 2 and is gone through once in Python 3; iterators and sorting."""

from __future__ import annotations

import ast
import re

from migrate.engine.findings import Edit
from migrate.engine.python2_places import Places
from migrate.engine.python2_tables import CONSUMERS, CONSUMING_METHODS, LAZY, VIEWS
from migrate.engine.trees import walk


class Iteration(Places):
    """``map``, ``keys()`` and their like where a list is wanted; ``next``, ``sort(cmp)``."""

    def _lists(self, node: ast.Call) -> None:
        function = node.func
        if node in self.done or self.guarded(node):
            return
        if isinstance(function, ast.Name) and function.id in LAZY and self.free(function.id):
            name = function.id
            if name == "map" and node.args and _is_none(node.args[0]):
                self.fix(node, "map(None, …) has no counterpart: use zip or zip_longest")
                return
            if name == "range" and self._fine_for_range(node):
                return
            if not self._iterated(node, lazy=name != "range"):
                self.wrap(node, "list", f"{name}() is no list in Python 3")
        elif (
            isinstance(function, ast.Attribute)
            and function.attr in VIEWS
            and not node.args
            and not node.keywords
            and not (function.attr in self.methods or self._is_module(function.value))
        ):
            parent = self.parents.get(node)
            if isinstance(parent, ast.For) and parent.iter is node:
                if self._may_change(parent, function.value):
                    what = f".{function.attr}() changes with the dict in Python 3"
                    self.wrap(node, "list", what)
            elif not self._iterated(node, lazy=False) and not self._is_len(parent):
                self.wrap(node, "list", f".{function.attr}() is no list in Python 3")

    def _is_module(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.modules

    def _is_len(self, parent: ast.AST | None) -> bool:
        return (
            isinstance(parent, ast.Call)
            and isinstance(parent.func, ast.Name)
            and parent.func.id in ("len", "bool")
        ) or (isinstance(parent, (ast.If, ast.While, ast.UnaryOp, ast.BoolOp)))

    def _fine_for_range(self, node: ast.Call) -> bool:
        parent = self.parents.get(node)
        if isinstance(parent, ast.Subscript) and parent.value is node:
            return not isinstance(parent.slice, ast.Slice)
        return self._is_len(parent) or (
            isinstance(parent, ast.Call)
            and isinstance(parent.func, ast.Name)
            and parent.func.id == "reversed"
        )

    def _iterated(self, node: ast.expr, *, lazy: bool) -> bool:
        """Whether what a call gives is only ever gone through, once, right here."""
        parent = self.parents.get(node)
        if isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)):
            return parent.iter is node
        if isinstance(parent, ast.Starred):
            return True
        if isinstance(parent, ast.Call) and node in parent.args:
            function = parent.func
            if isinstance(function, ast.Name):
                return function.id in CONSUMERS
            return isinstance(function, ast.Attribute) and function.attr in CONSUMING_METHODS
        if isinstance(parent, ast.Compare):
            return isinstance(parent.ops[-1], (ast.In, ast.NotIn)) and parent.left is not node
        if isinstance(parent, ast.Assign):
            return all(isinstance(target, (ast.Tuple, ast.List)) for target in parent.targets)
        if lazy and isinstance(parent, ast.Attribute):
            return parent.attr == "next"
        return False

    def _may_change(self, loop: ast.For, mapping: ast.expr) -> bool:
        """Whether a loop's body may add to or remove from the dict that it goes through."""
        start, end = self.span(mapping)
        source = self.text[start:end]
        if not isinstance(mapping, (ast.Name, ast.Attribute)):
            return not isinstance(mapping, (ast.Dict, ast.Call))
        attribute = isinstance(mapping, ast.Attribute)
        root = source.split(".")[0]
        for statement in loop.body:
            for node in walk(statement):
                if (
                    isinstance(node, ast.expr)
                    and type(node) is type(mapping)
                    and self.text[slice(*self.span(node))] == source
                    and self._changes(node)
                ):
                    return True
                if attribute and isinstance(node, ast.Name) and node.id == root:
                    above = self.parents.get(node)
                    if not isinstance(above, ast.Attribute):
                        return True  # the object itself is handed on
                    if isinstance(self.parents.get(above), ast.Call) and self._is_called(above):
                        return True  # a method of its own
        return False

    def _changes(self, node: ast.expr) -> bool:
        parent = self.parents.get(node)
        if isinstance(parent, ast.Subscript):
            return parent.value is node and not isinstance(parent.ctx, ast.Load)
        if isinstance(parent, ast.Compare):
            return False
        return not (
            isinstance(parent, ast.Attribute)
            and parent.attr in ("get", "keys", "values", "items", "iteritems", "has_key")
        )

    def _next(self, node: ast.Call, mend: bool) -> None:
        function = node.func
        if (
            not isinstance(function, ast.Attribute)
            or function.attr != "next"
            or node.args
            or node.keywords
            or self.guarded(node)
        ):
            return
        value = function.value
        if (isinstance(value, ast.Name) and value.id in ("self", "cls")) or not self.free("next"):
            return
        if not mend or self._is_foreign(value):
            self.fix(node, "if this is an iterator's .next(), write next(…)")
            return
        start, end = self.span(node)
        stop = self.outer_span(value)[1]
        edits = (Edit(start, start, "next("), Edit(stop, end, ")"))
        self.fix(node, ".next() became next()", *edits)

    def _is_foreign(self, value: ast.expr) -> bool:
        """Whether an object is made by a class of another file, whose next() may be its own."""
        if not isinstance(value, ast.Name):
            return isinstance(value, ast.Attribute)
        return any(
            self._is_foreign_call(node.value)
            for node in self.nodes
            if isinstance(node, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == value.id for t in node.targets)
        )

    def _is_foreign_call(self, value: ast.expr) -> bool:
        """Whether this calls what looks like a class, by its name, and is not of this file."""
        if not isinstance(value, ast.Call):
            return False
        function = value.func
        name = function.attr if isinstance(function, ast.Attribute) else ""
        if isinstance(function, ast.Name):
            name = function.id
        return name[:1].isupper() and name not in self.methods

    def _sort(self, node: ast.Call) -> None:
        function = node.func
        name = getattr(function, "attr", None) or getattr(function, "id", None)
        if name not in ("sort", "sorted"):
            return
        compares = any(keyword.arg == "cmp" for keyword in node.keywords)
        if compares or (node.args and isinstance(node.args[-1], ast.Lambda)):
            self.fix(node, "sort by functools.cmp_to_key: Python 3 has no comparison function")

    def _iterator(self, node: ast.ClassDef) -> None:
        """An iterator of Python 2 gets the method that Python 3 asks for."""
        methods = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
        method = methods.get("next")
        if method is None or "__next__" in methods or len(method.args.args) != 1:
            return
        if re.search(r"\b__next__\s*=", self.text[slice(*self.span(node))]):
            return
        indent = self.text[self.index.line_start(method.lineno) : self.span(method)[0]]
        if indent.strip():
            self.fix(method, "Python 3 calls __next__, not next")
            return
        end = self.span(method)[1]
        line_end = self.text.find("\n", end)
        at = len(self.text) if line_end < 0 else line_end
        what = "Python 3 calls __next__, not next"
        self.fix(method, what, Edit(at, at, f"\n\n{indent}__next__ = next"))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
