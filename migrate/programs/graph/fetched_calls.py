"""Calls of functions with layers inside of what is fetched: ``sess.run(net(x, reuse=True), …)``.

TF 1 makes the ops anew at each such run. They stand before the session instead, under a name.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.meaning import SCOPES
from migrate.programs.graph.model import Blocked, Fetch
from migrate.programs.graph.spelled import Spelled, free, line, word

REASON = "layers are applied in what is fetched"
PLAIN = (
    *(ast.Call, ast.Name, ast.Attribute, ast.Constant, ast.keyword, ast.expr_context),
    *(ast.operator, ast.unaryop, ast.BinOp, ast.UnaryOp, ast.List, ast.Tuple),
)


def check(walker: Any, fetched: Fetch) -> None:
    """See that nothing that is fetched applies layers itself.

    Raises:
        Spelled: something does, with variables that are there already.
        Blocked: something does otherwise.
    """
    for leaf in fetched.leaves():
        inside = [walker.layers[id(n)] for n in walk(leaf.node) if id(n) in walker.layers]
        applied = [layer for layer in inside if not layer.inline]
        if not applied:
            continue
        stmt = _before(walker)
        whole = isinstance(leaf.node, ast.Call) and len(applied) == 1 and applied[0].factory
        if stmt is None or not whole or applied[0].same is None or not still(leaf.node, stmt):
            raise Blocked(leaf.node, REASON)
        call, source = leaf.node, ast.unparse(leaf.node)
        name = _known(walker, source, stmt)
        if name is not None:
            raise Spelled(call, REASON, [(call, word(name))])
        new = free(walker, f"{applied[0].factory.name.lower()}_output")
        raise Spelled(call, REASON, [(call, word(new))], [(stmt, line(new, call))])


def path(walker: Any) -> list[ast.stmt]:
    """The statements of a function, or of the module, that stand around the one at hand."""
    found: list[ast.stmt] = []
    body = getattr(walker.frame.node, "body", [])
    while isinstance(body, list):
        inner = next((s for s in body if holds(s, walker.stmt)), None)
        if inner is None:
            return []
        found.append(inner)
        if inner is walker.stmt:
            return found
        blocks = [getattr(inner, part, []) for part in ("body", "orelse", "finalbody")]
        blocks += [handler.body for handler in getattr(inner, "handlers", [])]
        body = next((b for b in blocks if any(walker.stmt in walk(s) for s in b)), None)
    return []


def _before(walker: Any) -> ast.stmt | None:
    """The statement before which the graph still grows: the session's block, a loop …"""
    for stmt in path(walker):
        if isinstance(stmt, ast.With) and all(_scope(walker, i.context_expr) for i in stmt.items):
            continue
        return stmt
    return None


def _scope(walker: Any, node: ast.expr) -> bool:
    """Whether a block's expression opens a scope or a graph, in which ops are to be made."""
    if not isinstance(node, ast.Call):
        return False
    graph = isinstance(node.func, ast.Attribute) and node.func.attr == "as_default"
    return graph or walker.endpoints.get(id(node.func)) in SCOPES


def still(node: ast.expr, stmt: ast.stmt) -> bool:
    """Whether an expression means before a statement what it means in it."""
    parts = list(walk(node))
    if not all(isinstance(n, PLAIN) for n in parts):
        return False
    if sum(isinstance(n, ast.Call) for n in parts) > 1:
        return False
    names = {n.id for n in parts if isinstance(n, ast.Name)}
    bound = {n.id for n in all_of(stmt, ast.Name) if not isinstance(n.ctx, ast.Load)}
    attributes = {n.attr for n in parts if isinstance(n, ast.Attribute)}
    bound |= {n.attr for n in all_of(stmt, ast.Attribute) if not isinstance(n.ctx, ast.Load)}
    return not (names | attributes) & bound


def _known(walker: Any, source: str, stmt: ast.stmt) -> str | None:
    """A name that such a call has been given before."""
    body = getattr(walker.frame.node, "body", [])
    stores = [n.id for n in all_of(walker.frame.node, ast.Name) if not isinstance(n.ctx, ast.Load)]
    for earlier in body:
        if earlier.lineno >= stmt.lineno:
            break
        target = earlier.targets[0] if isinstance(earlier, ast.Assign) else None
        if isinstance(target, ast.Name) and len(earlier.targets) == 1:
            if stores.count(target.id) == 1 and ast.unparse(earlier.value) == source:
                return target.id
    return None
