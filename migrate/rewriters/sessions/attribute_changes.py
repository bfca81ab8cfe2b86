"""Attributes of Python's that change in place behind what the graph was made of, ``self.n[0] = 2``.

TF 1 had read them when the graph was made; a function of TF 2 reads them at its first call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import fact, named, parents_of, walk
from migrate.programs.graph.model import Blocked, Region, Symbol
from migrate.rewriters.sessions.mutations import IN_PLACE, METHODS

WHOLE = object()  # no item under a name that is written


def check(walker: Any, symbol: Symbol, read: ast.AST, region: Region, order: int | None) -> None:
    """See that nothing changes what an attribute holds, where a statement reads that of it.

    ``order``: up to which the region's statements stand before the reading; None: all of them do.

    Raises:
        Blocked: something may.
    """
    changes = list(_changes(walker.tree, symbol.name))
    if not changes:
        return
    before = {
        id(n)
        for step in region.steps
        if order is None or step.order <= order
        for n in walk(step.node)
    }
    items: set[object] | None = None
    for node, key in changes:
        if id(node) in before:
            continue
        items = _items(walker, symbol.name, read) if items is None else items
        if WHOLE in items or key in items or (key is WHOLE and items):
            what = f"`{symbol.name}`, which a function would read, changes in place"
            raise Blocked(node, what)


def _changes(tree: ast.AST, name: str) -> Iterator[tuple[ast.AST, object]]:
    """Where what an attribute holds is changed, and which item of it."""
    for node, path in fact(tree, _changing) if named(tree, name) else ():
        if path is node:
            if (key := _key(path, name)) is not None:
                yield node, key
        elif _holds(path, name):
            yield node, _key(path, name) or WHOLE


def _changing(tree: ast.AST) -> list[tuple[ast.AST, ast.AST]]:
    """What may change something in place, and the path to that."""
    found: list[tuple[ast.AST, ast.AST]] = []
    for node in walk(tree):
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            if not isinstance(node.ctx, ast.Load):
                found.append((node, node))
        elif isinstance(node, ast.Call):
            func = node.func
            last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            if last in IN_PLACE and node.args:
                found.append((node, node.args[0]))
            if isinstance(func, ast.Attribute) and last in METHODS:
                found.append((node, func.value))
    return found


def _holds(node: ast.AST, name: str) -> bool:
    """Whether a path ends in an attribute, or goes on from it."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        if isinstance(node, ast.Attribute) and node.attr == name:
            return isinstance(node.value, ast.Name)
        node = node.value
    return False


def _key(node: ast.AST, name: str) -> object | None:
    """The item of an attribute that a path goes on with; None where it doesn't."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        inner = node.value
        if isinstance(inner, ast.Attribute) and inner.attr == name:
            if not isinstance(inner.value, ast.Name):
                return None
            if isinstance(node, ast.Attribute):
                return node.attr
            return node.slice.value if isinstance(node.slice, ast.Constant) else WHOLE
        node = inner
    return None


def _items(walker: Any, name: str, read: ast.AST) -> set[object]:
    """Which items of an attribute a statement reads, itself or by functions that it calls."""
    functions: dict[str, list[ast.AST]] = {}
    for n in walk(walker.tree):
        if isinstance(n, ast.FunctionDef):
            functions.setdefault(n.name, []).append(n)
    stack, seen, found = [read], set(), set()
    while stack:
        root = stack.pop()
        if id(root) in seen:
            continue
        seen.add(id(root))
        parents = parents_of(root)
        for n in walk(root):
            if isinstance(n, ast.Call):
                called = getattr(n.func, "attr", getattr(n.func, "id", ""))
                stack.extend(functions.get(called, ()))
            if isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Load):
                outer = parents.get(id(n))
                path = isinstance(outer, (ast.Subscript, ast.Attribute)) and outer.value is n
                found.add(_key(outer, name) if path and outer is not None else WHOLE)
    return found
