"""Several tensors in one statement: ``real, fake = d(x), d(g)`` is two statements.

What moves into functions are statements. Each function takes those that it needs; one statement
that computes two tensors would have a function need what is fed for the other.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.wording.spelled import Source, Spelled

NAMES = (ast.Name, ast.Attribute)


def check(walker: Any, stmt: ast.Assign, value: Value) -> None:
    """See whether a statement of the graph computes several tensors, each for a name.

    Raises:
        Spelled: it does, and they can be computed one after the other.
    """
    if walker.nested or walker.frame.region is None or not value.items:
        return
    parts = _parts(walker, stmt)
    kinds = [item.kind for _, item in value.items]
    pairs = zip(kinds, (made for _, made in parts), strict=False)
    if len(parts) != len(kinds):
        return
    if sum(kind is Kind.TENSOR and isinstance(made, ast.Call) for kind, made in pairs) > 1:
        raise _split(stmt, parts, stmt, "several tensors in one statement")


def apart(walker: Any, stmt: ast.Assign, error: Blocked) -> None:
    """``self.sess, self.size = sess, 4``: values of several kinds, which have no name together.

    Raises:
        Spelled: each can have a statement.
    """
    parts = _parts(walker, stmt)
    if parts and not walker.nested and type(error) is Blocked and error.node is stmt.value:
        raise _split(stmt, parts, error.node, error.reason)


def _parts(walker: Any, stmt: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """A statement's names and values; none where a value reads a name before it."""
    (target, *others) = stmt.targets
    if others or not isinstance(target, (ast.Tuple, ast.List)):
        return []
    if not isinstance(stmt.value, ast.Tuple) or len(target.elts) != len(stmt.value.elts):
        return []
    if not all(isinstance(t, NAMES) for t in target.elts):
        return []
    parts = list(zip(target.elts, stmt.value.elts, strict=True))
    bound: set[str] = set()
    for one, made in parts:
        if isinstance(made, ast.Starred):
            return []
        if any(ast.unparse(n) in bound for n in walk(made) if isinstance(n, NAMES)):
            return []
        if {b.rpartition(".")[2] for b in bound} & _reached(walker, made):
            return []
        bound.add(ast.unparse(one))
    return parts


def _reached(walker: Any, value: ast.expr) -> set[str]:
    """The names and attributes that functions of the program read when a value is computed."""
    functions: dict[str, list[ast.AST]] = {}
    for n in walk(walker.tree):
        if isinstance(n, ast.FunctionDef):
            functions.setdefault(n.name, []).append(n)
    found: set[str] = set()
    called: set[str] = set()
    todo: list[ast.AST] = [value]
    while todo:
        for n in walk(todo.pop()):
            name = getattr(n, "id", getattr(n, "attr", ""))
            if name in functions and name not in called:
                called.add(name)
                todo += functions[name]
            if called and name and isinstance(getattr(n, "ctx", None), ast.Load):
                found.add(name)
    return found


def _split(
    stmt: ast.Assign, parts: list[tuple[ast.expr, ast.expr]], node: ast.AST, reason: str
) -> Spelled:
    def lines(source: Source) -> list[str]:
        return [f"{source(one)} = {source(made)}" for one, made in parts]

    return Spelled(node, reason, [(stmt, lambda _: "")], [(stmt, lines)])
