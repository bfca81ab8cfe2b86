"""Names in a function's statements, without those that its inner functions have for themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.engine.trees import all_of, walk


def visible(body: Iterable[ast.stmt]) -> list[ast.Name]:
    """The names that are the function's, wherever they stand."""
    nodes = [n for stmt in body for n in walk(stmt)]
    hidden: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            hidden |= _own(node)
    return [n for n in nodes if isinstance(n, ast.Name) and id(n) not in hidden]


def inner(body: Iterable[ast.stmt]) -> set[int]:
    """What stands in inner functions."""
    nodes = [n for stmt in body for n in walk(stmt)]
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef)]
    return {id(n) for f in functions for stmt in f.body for n in walk(stmt)}


def _own(function: ast.FunctionDef) -> set[int]:
    """The places of an inner function's parameters and local names."""
    places = [n for s in function.body for n in all_of(s, ast.Name)]
    own = {n.id for n in places if not isinstance(n.ctx, ast.Load)}
    own |= {a.arg for a in all_of(function.args, ast.arg)}
    return {id(n) for n in places if n.id in own}


def defined_inside(scope: ast.AST, names: set[str]) -> set[int]:
    """The places of names in functions that define an inner function of that name themselves."""
    found: set[int] = set()
    for function in all_of(scope, ast.FunctionDef):
        if function is scope:
            continue
        own = {s.name for s in function.body if isinstance(s, ast.FunctionDef)} & names
        if own:
            found |= {id(n) for s in function.body for n in walk(s) if said(n) in own}
    return found


def said(node: ast.AST) -> str:
    """What a name, an argument or a definition is called."""
    return str(getattr(node, "id", getattr(node, "arg", getattr(node, "name", ""))))
