"""The names that a file lists for `from net import *`, `__all__ = ['dense']`, as they are now."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.built import class_name


def edits(page: Any, names: set[str]) -> list[Edit]:
    """A function that became a class is listed by the class's name.

    ``names``: those that the file binds now.

    Raises:
        Blocked: a name that is listed is gone.
    """
    found = []
    document = page.document
    for node in _listed(document.tree):
        name = str(node.value)
        if name in names:
            continue
        new = class_name(name)
        if new not in names:
            raise Blocked(node, f"`{name}`, which its file lists by name, is gone")
        start, end = document.index.span(node)
        quote = document.text[start]
        found.append(Edit(start, end, f"{quote}{new}{quote}"))
    return found


def shown(tree: ast.Module, fresh: set[str]) -> set[str]:
    """The new names of a file that `from net import *` gives."""
    if not any(n.id == "__all__" for n in all_of(tree, ast.Name)):
        return fresh
    return fresh & {class_name(str(node.value)) for node in _listed(tree)}


def _listed(tree: ast.Module) -> list[ast.Constant]:
    return [
        node
        for stmt in tree.body
        if isinstance(stmt, ast.Assign) and ast.unparse(stmt.targets[0]) == "__all__"
        for node in all_of(stmt.value, ast.Constant)
        if isinstance(node.value, str)
    ]
