"""Texts that are put together of constants: what a scope or a summary is called."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.engine.trees import all_of, children, holds, walk

SCOPES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def text_of(node: ast.expr, trees: Iterable[ast.AST] = ()) -> str | None:
    """The string that an expression is; None where it isn't told by constants.

    ``trees``: the program, where a name that its scope binds once, to such a string, means that.
    """
    value = _value(node, list(trees))
    return value if isinstance(value, str) else None


def _value(node: ast.expr, trees: list[ast.AST]) -> str | int | None:
    if isinstance(node, ast.Constant):
        plain = isinstance(node.value, (str, int)) and not isinstance(node.value, bool)
        return node.value if plain else None  # type: ignore[return-value]
    if isinstance(node, ast.BinOp):
        left = _value(node.left, trees)
        if isinstance(node.op, ast.Add):
            right = _value(node.right, trees)
            return left + right if isinstance(left, str) and isinstance(right, str) else None
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            parts = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            return _formatted(left, [_value(part, trees) for part in parts])
    if isinstance(node, ast.Name) and trees:
        made = _bound(node, trees)
        return _value(made, []) if made is not None else None
    return None


def _formatted(text: str, parts: list[str | int | None]) -> str | None:
    if None in parts:
        return None
    try:
        return text % tuple(parts)
    except (TypeError, ValueError):
        return None


def _bound(name: ast.Name, trees: list[ast.AST]) -> ast.expr | None:
    """What the one statement of a scope binds a name to that does."""
    whole = next((tree for tree in trees if holds(tree, name)), None)
    scopes = [n for n in walk(whole) if isinstance(n, SCOPES)] if whole is not None else []
    around = [s for s in scopes if holds(s, name)]
    if not around or any(isinstance(s, (ast.Lambda, ast.ClassDef)) for s in around):
        return None
    for scope in reversed(around):  # from inside to outside
        found = list(_bindings(scope, name.id))
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _bindings(scope: ast.AST, name: str) -> Iterator[ast.expr | None]:
    """What a scope binds a name to; None where that isn't an assignment to it alone."""
    if isinstance(scope, ast.FunctionDef) and name in {a.arg for a in all_of(scope.args, ast.arg)}:
        yield None
    if any(isinstance(n, (ast.Global, ast.Nonlocal)) and name in n.names for n in walk(scope)):
        yield None
    stack: list[ast.AST] = list(getattr(scope, "body", []))
    while stack:
        n = stack.pop()
        if isinstance(n, ast.Assign) and [ast.unparse(t) for t in n.targets] == [name]:
            yield n.value
        elif isinstance(n, SCOPES):
            if getattr(n, "name", None) == name:
                yield None
        else:
            if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load):
                yield None
            if name in (getattr(n, "asname", None), getattr(n, "name", None)):
                yield None
            stack.extend(children(n))
