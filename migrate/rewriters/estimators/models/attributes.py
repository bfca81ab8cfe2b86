"""Attributes of a program's objects: where they are set, and where the program mentions them."""

from __future__ import annotations

import ast
from abc import abstractmethod

from migrate.rewriters.estimators.scopes import Scopes


class Attributes:
    """What a program says of its objects' attributes."""

    scopes: Scopes

    @abstractmethod
    def endpoint(self, node: ast.AST) -> str:
        """The TensorFlow name that an expression is, or nothing."""

    def attributes(self, name: str) -> list[ast.Attribute]:
        """Where the program mentions an attribute of some object."""
        named = (n for n in self.scopes.walk() if isinstance(n, ast.Attribute) and n.attr == name)
        return [n for n in named if not self._of_module(n)]

    def attribute(self, node: ast.expr) -> ast.Assign | None:
        """The one statement, in `__init__`, that gives ``self.name`` its value."""
        cls = self.class_of(node) if isinstance(node, ast.Attribute) else None
        if cls is None or not isinstance(node, ast.Attribute) or self.worded(node.attr):
            return None
        stores = [n for n in self.attributes(node.attr) if not isinstance(n.ctx, ast.Load)]
        stmt = self.scopes.parents[id(stores[0])] if len(stores) == 1 else None
        if not isinstance(stmt, ast.Assign) or len(stmt.targets) > 1:
            return None
        start = self.scopes.parents[id(stmt)]
        first = isinstance(start, ast.FunctionDef) and start.name == "__init__"
        return stmt if first and self.class_of(stores[0]) is cls else None

    def worded(self, name: str) -> bool:
        """Whether the program says a name in a string: `getattr` may be given it."""
        return any(isinstance(n, ast.Constant) and n.value == name for n in self.scopes.walk())

    def _of_module(self, node: ast.Attribute) -> bool:
        """Whether an attribute is a module's, or a module in one."""
        if self.endpoint(node):
            return True
        found = self.scopes.lookup(node.value) if isinstance(node.value, ast.Name) else None
        return found is not None and found.kind == "import" and isinstance(found.node, ast.Import)

    def class_of(self, node: ast.Attribute) -> ast.ClassDef | None:
        """The class in whose method `self.attribute` stands."""
        around = [a for a in self.scopes.around(node) if isinstance(a, ast.FunctionDef)]
        cls = self.scopes.parents[id(around[-1])] if around else None
        if not isinstance(cls, ast.ClassDef) or not isinstance(node.value, ast.Name):
            return None
        args = around[-1].args.args
        return cls if args and args[0].arg == node.value.id else None
