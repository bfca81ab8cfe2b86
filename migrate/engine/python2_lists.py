"""What Python 3 can only have stopped at: ``range`` and its like, used as the lists that they were.

For source that Python 3 parses and whose names tell nothing: ``order = range(n)`` before
``random.shuffle(order)`` was written for Python 2, whatever else the file has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.engine.python2_places import Places
from migrate.engine.python2_tables import LAZY, VIEWS

SHUFFLE = frozenset(("random.shuffle", "np.random.shuffle", "numpy.random.shuffle"))
# Methods of a list, and of nothing that Python 3 gives instead.
METHODS = frozenset(("append", "extend", "insert", "pop", "remove", "reverse", "sort"))
# What can't be added to a list, whoever made it; `.keys()` may be of pandas.
ADDED = frozenset((*LAZY, ".items"))
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)


class Lists(Places):
    """Calls that gave a list, where only a list will do."""

    def certain_lists(self) -> None:
        """Make lists of them."""
        for node in self.nodes:
            if isinstance(node, ast.Call) and (kind := self._gives(node)) and self._wanted(node):
                self.wrap(node, "list", f"{kind}() is no list in Python 3")

    def _gives(self, node: ast.AST | None) -> str:
        """``range`` or the like, or a dict's ``.keys``, that a call is of."""
        if not isinstance(node, ast.Call):
            return ""
        function = node.func
        if isinstance(function, ast.Name) and function.id in LAZY and self.free(function.id):
            return function.id
        if isinstance(function, ast.Attribute) and function.attr in VIEWS:
            plain = not (node.args or node.keywords or function.attr in self.methods)
            return f".{function.attr}" if plain else ""
        return ""

    def _wanted(self, node: ast.Call) -> bool:
        """Whether what stands around a call, or uses its name, takes a list alone."""
        parent = self.parents.get(node)
        if self.guarded(node):
            return False
        kind = self._gives(node)
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add):
            other = parent.right if parent.left is node else parent.left
            listed = isinstance(other, (ast.List, ast.ListComp)) or self._gives(other) in ADDED
            return kind in ADDED and listed
        if not isinstance(parent, ast.Assign) or len(parent.targets) != 1:
            return kind in LAZY and self._read(node, kind)
        target = parent.targets[0]
        found = self._once(target) if isinstance(target, (ast.Name, ast.Attribute)) else ()
        return any(self._as_list(use, kind) for use in found)

    def _as_list(self, node: ast.expr, kind: str) -> bool:
        parent = self.parents.get(node)
        if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
            function = parent.func
            if isinstance(function, ast.Attribute) and ast.unparse(function) in SHUFFLE:
                return True
            if isinstance(function, ast.Name) and function.id in self._shuffles():
                return True
        if isinstance(parent, ast.Attribute) and parent.attr in METHODS and self._is_called(parent):
            return kind in LAZY or parent.attr == "sort"
        return kind in LAZY and self._read(node, kind)

    def _shuffles(self) -> set[str]:
        """What is imported from `random` or NumPy by itself to shuffle in place."""
        return {
            alias.asname or alias.name
            for node in self.nodes
            if isinstance(node, ast.ImportFrom) and node.module in ("random", "numpy.random")
            for alias in node.names
            if alias.name == "shuffle"
        }

    def _read(self, node: ast.expr, kind: str) -> bool:
        """Whether an item is asked for or set, or the length, which the call's result hasn't."""
        parent = self.parents.get(node)
        if isinstance(parent, ast.Subscript) and parent.value is node:
            return kind != "range" or not isinstance(parent.ctx, ast.Load)
        return (
            kind != "range"
            and isinstance(parent, ast.Call)
            and isinstance(parent.func, ast.Name)
            and parent.func.id == "len"
            and self.free("len")
        )

    def _once(self, target: ast.Name | ast.Attribute) -> Iterable[ast.expr]:
        """The uses of what is bound here and nowhere else: a scope's name, or an attribute."""
        if isinstance(target, ast.Attribute):
            same = [n for n in self.nodes if isinstance(n, ast.Attribute) and n.attr == target.attr]
            return [n for n in same if n is not target] if self._alone(same) else ()
        scope = self._scope(target)
        names = [n for n in self.nodes if isinstance(n, ast.Name) and n.id == target.id]
        mine = [n for n in names if self._scope(n) is scope]
        if isinstance(scope, ast.Module):  # functions read it, too
            mine = names
        given = isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
            isinstance(n, ast.arg) and n.arg == target.id and self._scope(n) is scope
            for n in self.nodes
        )
        return [n for n in mine if n is not target] if self._alone(mine) and not given else ()

    def _alone(self, nodes: Iterable[ast.Name | ast.Attribute]) -> bool:
        return sum(not isinstance(n.ctx, ast.Load) for n in nodes) == 1

    def _scope(self, node: ast.AST) -> ast.AST | None:
        current = self.parents.get(node)
        while current is not None and not isinstance(current, SCOPES):
            current = self.parents.get(current)
        return current
