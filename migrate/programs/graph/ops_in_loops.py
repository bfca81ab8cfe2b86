"""Ops that a loop makes and runs at once: they are made where they are run.

``update = tf.assign(w, value)``, then ``sess.run(update)``: in a graph, each round adds an op; what
it does is done once, by the run that follows.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.spelled import Spelled

REASON = "ops are made in a loop"


def check(walker: Any, node: ast.Call) -> None:
    """See whether the next statement runs what is made here, and nothing else reads it.

    Raises:
        Spelled: so it is.
    """
    stmt, scope = walker.stmt, walker.frame.node
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) != 1:
        return
    target = stmt.targets[0]
    if not isinstance(target, ast.Name) or scope is None:
        return
    places = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == target.id]
    loads = [n for n in places if n is not target]
    follows = _next(scope, stmt)
    if len(loads) != 1 or not isinstance(follows, (ast.Expr, ast.Assign)):
        return
    if isinstance(scope, ast.Module) and len(walker.files.order) > 1:
        return  # another file may take the name
    (read,) = loads
    first = _first_call(follows.value)
    if first is None or not _runs(first, read):
        return
    raise Spelled(
        node,
        REASON,
        [(stmt, lambda _: ""), (read, lambda source: source(node))],
    )


def _next(scope: ast.AST, stmt: ast.stmt) -> ast.stmt | None:
    """The statement after one in its block."""
    for node in ast.walk(scope):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(node, part, None)
            if isinstance(block, list) and stmt in block:
                place = block.index(stmt) + 1
                return block[place] if place < len(block) else None
    return None


def _first_call(node: ast.expr) -> ast.Call | None:
    """The call that a statement does first."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        node = node.args[0]  # print(sess.run(update))
    return node if isinstance(node, ast.Call) else None


def _runs(call: ast.Call, read: ast.Name) -> bool:
    """Whether a call runs what a name means."""
    func = call.func
    if not isinstance(func, ast.Attribute):
        return False
    if func.value is read:
        return func.attr in ("eval", "run")
    named = [k.value for k in call.keywords if k.arg == "fetches"]
    return func.attr == "run" and [*call.args[:1], *named][:1] == [read]
