"""The end of the data, and what else ends or is called so.

TF 1's iterators end with an `OutOfRangeError`, Python's with a `StopIteration`, which `next` of
something else raises, too.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, children, holds, walk
from migrate.programs.graph.data import ends_told, own_queues
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked


def alone(walker: Any, node: ast.AST) -> None:
    """See that nothing else ends as an iterator does."""
    pythons(walker, node)
    quiet, caught = _in_generators(walker.tree), _caught(walker)
    for n in walk(walker.tree):
        named = isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id
        if caught and isinstance(n, ast.Call) and named == "next":
            if len(n.args) == 1 and id(n) not in quiet and not _elsewhere(walker, n):
                raise Blocked(
                    n, "`next` of something else, whose end would be taken for the data's"
                )


def pythons(walker: Any, node: ast.AST) -> None:
    """See that `iter` and `next` are Python's where they are going to be written.

    Raises:
        Blocked: the file, or a function around the place, calls something else so.
    """
    home = walker.files.at(node).tree or walker.tree
    stack: list[ast.AST] = list(home.body)
    while stack:
        n = stack.pop()
        name = n.id if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) else ""
        name = n.arg if isinstance(n, ast.arg) else getattr(n, "name", None) or name
        names = n.names if isinstance(n, ast.Global) else [name]
        if any(name in ("next", "iter") for name in names):
            raise Blocked(n, f"`{name or 'next'}` isn't Python's")
        inner = list(children(n))
        if isinstance(n, ast.FunctionDef) and not holds(n, node):
            # Its own names are no one else's.
            inner = list(all_of(n, ast.Global))
        elif isinstance(n, ast.ClassDef):  # nor are its methods'
            stack += [m for f in n.body if isinstance(f, ast.FunctionDef) for m in children(f)]
            inner = [m for m in n.body if not isinstance(m, ast.FunctionDef)]
        stack.extend(inner)


def _caught(walker: Any) -> bool:
    """Whether the program catches the end of the data, or of anything else."""
    return any(
        walker.endpoints.get(id(n), "").endswith("OutOfRangeError")
        or getattr(n, "id", "") == "StopIteration"
        for handler in all_of(walker.tree, ast.ExceptHandler)
        if handler.type is not None
        for n in walk(handler.type)
    )


def _elsewhere(walker: Any, node: ast.AST) -> bool:
    """Whether a node stands in another program's own file, which no file imports."""
    module = walker.files.at(node)
    imported = any(module in m.imports for m in walker.files.order)
    return module is not walker.entry and module in walker.files.entries and not imported


def _in_generators(tree: ast.AST) -> set[int]:
    """What stands in generators: a `StopIteration` doesn't leave them, but as a `RuntimeError`."""
    handlers = (n for n in all_of(tree, ast.ExceptHandler) if n.type)
    if any("StopIteration" in ast.unparse(n.type) for n in handlers if n.type is not None):
        return set()
    found: set[int] = set()
    for function in (n for n in all_of(tree, ast.FunctionDef)):
        own: list[ast.AST] = []
        stack: list[ast.AST] = list(function.body)
        while stack:
            node = stack.pop()
            own.append(node)
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
                stack.extend(children(node))
        if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in own):
            found |= {id(n) for n in own}
    return found


def ends(walker: Any) -> None:
    """The end of the data: another exception."""
    own_queues.beside(walker, walker.stmt)
    caught = {
        id(n): handler
        for handler in all_of(walker.tree, ast.ExceptHandler)
        if handler.type is not None
        for n in walk(handler.type)
    }
    for n in walk(walker.tree):
        name = walker.endpoints.get(id(n), "")
        if not name.startswith(T + "errors.") or isinstance(n, ast.Call):
            continue
        if name == T + "errors.OpError":
            raise Blocked(n, "errors of all kinds, the end of the data among them")
        if not name.endswith("OutOfRangeError"):
            continue
        handler = caught.get(id(n))
        if handler is None or handler.name is not None:
            reason = "the end of the data is used as a value"
            if handler is not None:
                ends_told.check(walker, n, handler, reason)
            raise Blocked(n, reason)
        walker.rewrites[id(n)] = lambda _: "StopIteration"
