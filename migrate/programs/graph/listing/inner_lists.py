"""Lists that begin empty, or with Nones, and get tensors: in loops and branches, too.

``h = [None] * n`` and then ``h[k] = tf.matmul(x, w)``. One that begins in a loop is the loop's own:
it goes where that goes, unless it was given away while nothing of a graph was in it.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, parents_of, walk
from migrate.programs.graph.model import RUNTIME, Kind, Symbol, Value

KEY = ("inner lists",)
INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
GROWS = frozenset({"append", "extend", "insert"})


def of_nones(node: ast.expr) -> bool:
    """Whether a list is as many Nones as Python says: ``[None] * n``, ``[None for _ in x]``."""
    if isinstance(node, ast.ListComp):
        return _none(node.elt)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return False
    sides = [s for s in (node.left, node.right) if isinstance(s, ast.List)]
    return len(sides) == 1 and bool(sides[0].elts) and all(map(_none, sides[0].elts))


def begins(node: ast.expr) -> bool:
    """Whether an expression is a list or a dict that has nothing in it yet."""
    empty = isinstance(node, ast.List) and not node.elts
    return empty or (isinstance(node, ast.Dict) and not node.keys) or of_nones(node)


def noted(walker: Any, stmt: ast.Assign) -> None:
    """Remember one that begins inside another statement, under a name of its own."""
    target = stmt.targets[0]
    if not walker.nested or len(stmt.targets) > 1 or not isinstance(target, ast.Name):
        return
    symbol = walker.frame.env.get(target.id)
    if not begins(stmt.value) or symbol is None or symbol.value.kind is not Kind.HOST:
        return
    if symbol.step is walker.sink and not _given_away(walker, target.id):
        walker.kept.setdefault(KEY, {})[symbol] = stmt


def filled(walker: Any, container: ast.expr, owner: Value, value: Value) -> bool:
    """Whether one that began in the same statement gets its first tensor."""
    if not isinstance(container, ast.Name) or owner.kind is not Kind.HOST:
        return False
    symbol: Symbol | None = walker.frame.env.get(container.id)
    if symbol not in walker.kept.get(KEY, {}) or symbol is None or symbol.step is not walker.sink:
        return False
    if value.kind not in RUNTIME or value.kind is Kind.OP:
        return False
    walker.sink.hosts.discard(container.id)
    walker.define(container.id, Value(Kind.TENSOR, "container"))
    return True


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _given_away(walker: Any, name: str) -> bool:
    """Whether anything but its items, its end and its length is asked for, before it has tensors.

    Where it gets its items is seen by place: all that stands above the last one is before it.
    """
    scope = walker.frame.node
    parents = parents_of(scope)
    inner = [n for n in walk(scope) if isinstance(n, INNER) and n is not scope]
    own = {id(n) for f in inner if _binds(f, name) for n in walk(f)}
    names = [n for n in all_of(scope, ast.Name) if n.id == name]
    places = [n for n in names if id(n) not in own]
    grows = [n.lineno for n in places if _grows(parents, n)]
    for node in places:
        parent = parents.get(id(node))
        if not isinstance(node.ctx, ast.Load) or _grows(parents, node):
            continue
        if isinstance(parent, ast.Subscript) and parent.value is node:
            continue
        if isinstance(parent, ast.Call) and ast.unparse(parent.func) in ("len", "enumerate"):
            continue
        if grows and node.lineno <= min(grows):
            return True
    return any(holds(f, p) for f in inner for p in places)


def _binds(inner: ast.AST, name: str) -> bool:
    """Whether a function has a name of its own."""
    bound = {n.arg for n in all_of(inner, ast.arg)}
    bound |= {n.id for n in all_of(inner, ast.Name) if not isinstance(n.ctx, ast.Load)}
    said = any(isinstance(n, (ast.Nonlocal, ast.Global)) for n in walk(inner))
    return name in bound and not said


def _grows(parents: dict[int, ast.AST], node: ast.Name) -> bool:
    """Whether a place gives a list another item."""
    parent = parents.get(id(node))
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return not isinstance(parent.ctx, ast.Load)
    return isinstance(parent, ast.Attribute) and parent.attr in GROWS
