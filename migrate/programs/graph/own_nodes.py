"""What belongs to a scope itself, and not to the functions and classes in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.trees import children

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or a file but for those of what it defines."""
    for node in children(scope):
        yield node
        if not isinstance(node, SCOPES):
            yield from own_nodes(node)
