"""What belongs to a scope itself, and not to the functions and classes in it; whose a node is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.trees import children, outward

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or a file but for those of what it defines."""
    for node in children(scope):
        yield node
        if not isinstance(node, SCOPES):
            yield from own_nodes(node)


def function_around(tree: ast.AST, node: ast.AST) -> ast.FunctionDef | None:
    """The innermost function in which a node stands; None: it is the file's own."""
    return next((n for n in outward(tree, node) if isinstance(n, ast.FunctionDef)), None)
