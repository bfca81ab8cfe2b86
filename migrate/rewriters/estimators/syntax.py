"""What pieces of syntax read, bind and contain, as the rooms of Estimators ask it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import module
from migrate.rewriters.sessions.text import Text


def reads(node: ast.AST) -> set[str]:
    """The names that a piece of syntax reads, without what a block opens itself."""
    found = set(module.loaded(node))
    if isinstance(node, ast.With):
        opened = {n for i in node.items if i.optional_vars for n in stores(i.optional_vars)}
        found -= opened - {n for i in node.items for n in module.loaded(i.context_expr)}
    return found


def docstring(stmt: ast.stmt) -> bool:
    """Whether a statement is a text, or another constant that nothing is done with."""
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)


def walk_own(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, in the order of the text."""
    yield node
    for child in children(node):
        yield from walk_own(child)


def stores(node: ast.AST) -> set[str]:
    """The names that a statement binds or changes; `_` is one that nothing reads (`unread`)."""
    found = set()
    for n in walk(node):
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            found.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.ClassDef)):
            found.add(n.name)
        elif isinstance(n, (ast.Attribute, ast.Subscript)) and isinstance(n.ctx, ast.Store):
            found.add(root(n))
        elif (
            isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr in ("append", "extend", "update", "insert", "pop", "setdefault")
        ):
            found.add(root(n.func))
    return found - {"", "_"}


def alone(stmt: ast.stmt, text: Text, *, commented: bool = True) -> bool:
    """Whether a statement has its lines to itself; ``commented``: but for a comment behind it."""
    start, end = text.index.span(stmt)
    before = text.text[text.text.rfind("\n", 0, start) + 1 : start]
    after, newline, _ = text.text[end:].partition("\n")
    kept = after.strip().startswith("#") and commented
    return not before.strip() and bool(newline) and (kept or not after.strip())


def gone_through(node: ast.AST) -> set[str]:
    """The names that only comprehensions of a piece of syntax give a meaning."""
    inner = all_of(node, ast.comprehension)
    own = {id(n) for each in inner for n in walk(each.target)}
    others = {
        n.id for n in all_of(node, ast.Name) if not isinstance(n.ctx, ast.Load) and id(n) not in own
    }
    return {n for each in inner for n in stores(each.target)} - others


def unread(function: ast.FunctionDef) -> None:
    """See to it that nothing reads `_`.

    Raises:
        Blocked: something does.
    """
    for node in walk(function):
        if isinstance(node, ast.Name) and node.id == "_" and loaded(node):
            raise Blocked(node, "`_` is read")


def root(node: ast.AST) -> str:
    """The name that a chain of attributes and items begins with."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def simple(stmt: ast.stmt) -> Iterator[ast.stmt]:
    """A statement, or those in it, with the loops around them."""
    inner = [s for name in ("body", "orelse") for s in getattr(stmt, name, [])]
    if not inner or isinstance(stmt, (ast.For, ast.FunctionDef, ast.ClassDef)):
        yield stmt
    if not isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
        for each in inner:
            yield from simple(each)


def loaded(node: ast.Name) -> bool:
    """Whether a name is read where it stands."""
    return isinstance(node.ctx, ast.Load)


def head_end(stmt: ast.stmt) -> int:
    """The last line of a block's head."""
    body: list[ast.stmt] = stmt.body  # type: ignore[attr-defined]
    heads = [getattr(stmt, name, None) for name in ("test", "iter")]
    heads += [i.context_expr for i in getattr(stmt, "items", [])]
    lines = [h.end_lineno or 0 for h in heads if h is not None]
    return min(max([stmt.lineno, *lines]), body[0].lineno - 1) if body else stmt.lineno


__all__ = [
    "alone",
    "gone_through",
    "head_end",
    "loaded",
    "reads",
    "root",
    "simple",
    "stores",
    "unread",
    "walk_own",
]
