"""Names of datasets that mean another dataset later, where an iterator begins with one."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording import spelled


def stores_of(scope: ast.AST, name: str) -> list[ast.Name]:
    """The places that bind a name."""
    names = (n for n in all_of(scope, ast.Name))
    return [n for n in names if n.id == name and isinstance(n.ctx, ast.Store)]


def another(walker: Any, target: ast.Name, stores: list[ast.Name]) -> None:
    """A dataset's name means another one, where the first is still asked for.

    Raises:
        Spelled: the later one may get a name of its own.
        Blocked: it may not.
    """
    spelled.told_apart(walker, target, stores)
    raise Blocked(target, f"`{target.id}` is another dataset from here on")


def check(walker: Any) -> None:
    """Functions are told by a dataset's name how its elements look: it must mean it all along.

    Raises:
        Blocked: it means another one later.
    """
    for mine, target, stores, frame in walker.kept.get(("rebound datasets",), ()):
        if not mine.arrays:
            before, walker.frame = walker.frame, frame
            try:
                another(walker, target, stores)
            finally:
                walker.frame = before


def meant(walker: Any, name: str) -> list[ast.Name]:
    """The places that bind what a name means in the function at hand."""
    here = walker.frame.node
    if isinstance(here, ast.FunctionDef) and local(here, name):
        return stores_of(here, name)
    tree = walker.files.at(here).tree or walker.tree
    others = [n for n in all_of(tree, ast.FunctionDef) if local(n, name)]
    hidden = {id(n) for other in others for n in walk(other)}
    return [n for n in stores_of(tree, name) if id(n) not in hidden]


def local(function: ast.FunctionDef, name: str) -> bool:
    """Whether a name is a function's own: no function in it, and nothing around it, binds it."""
    own = {a.arg for a in all_of(function.args, ast.arg)}
    odd = (ast.Global, ast.Nonlocal)
    lent = any(isinstance(n, odd) and name in n.names for n in walk(function))
    inner = (n for n in all_of(function, ast.FunctionDef) if n is not function)
    return (
        (name in own or bool(stores_of(function, name)))
        and not lent
        and not any(stores_of(n, name) for n in inner)
    )
