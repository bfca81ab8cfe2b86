"""What belongs to a scope itself, and not to the functions and classes in it; whose a node is."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.engine.trees import children, fact, outward

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def own_nodes(scope: ast.AST) -> Sequence[ast.AST]:
    """The nodes of a function or a file but for those of what it defines, outer ones first."""
    return fact(scope, _own)


def _own(scope: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    stack = children(scope)[::-1]
    while stack:
        node = stack.pop()
        found.append(node)
        if not isinstance(node, SCOPES):
            stack += reversed(children(node))
    return found


def function_around(tree: ast.AST, node: ast.AST) -> ast.FunctionDef | None:
    """The innermost function in which a node stands; None: it is the file's own."""
    return next((n for n in outward(tree, node) if isinstance(n, ast.FunctionDef)), None)
