"""Placeholders that are made in a branch: they are made above it, whichever way it goes.

A placeholder that nothing feeds is of no effect, and a run that needs it is fed it.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.known_branches import chosen
from migrate.programs.graph.spelled import Spelled, same

REASON = "a placeholder is made in a loop, a branch or a helper"


def check(walker: Any, node: ast.Call) -> None:
    """See whether a placeholder has a name of its own, in a branch of a part of the graph.

    Raises:
        Spelled: it is made above the branch.
    """
    branch, stmt, scope = walker.sink.node, walker.stmt, walker.frame.node
    if walker.frame.region is None or walker.loops or not isinstance(branch, ast.If):
        return
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) != 1:
        return
    target = stmt.targets[0]
    if not isinstance(target, (ast.Name, ast.Attribute)) or _asked(walker, target):
        return
    said = target.id if isinstance(target, ast.Name) else target.attr
    where = scope if isinstance(target, ast.Name) else walker.tree
    stores = [
        n
        for n in walk(where)
        if isinstance(n, type(target))
        and said == (n.id if isinstance(n, ast.Name) else n.attr)
        and not isinstance(n.ctx, ast.Load)
    ]
    bound = {
        getattr(n, "id", getattr(n, "attr", None))
        for n in walk(branch)
        if isinstance(getattr(n, "ctx", None), ast.Store)
    }
    read = {getattr(n, "id", getattr(n, "attr", None)) for n in walk(node)} - {None}
    if len(stores) != 1 or read & bound:
        return
    if any(isinstance(n, ast.Call) for n in walk(node) if n is not node):
        return
    if branch.body == [stmt] and not branch.orelse:
        raise Spelled(node, REASON, [(branch, chosen(branch, branch.body))])
    if not _blocks(branch, stmt):
        return
    raise Spelled(
        node, REASON, [(stmt, lambda _: "")], [(branch, lambda source: [same(stmt)(source)])]
    )


def _asked(walker: Any, target: ast.Name | ast.Attribute) -> bool:
    """Whether the program may ask if there is such a name: ``hasattr(self, 'rate')``."""
    said = target.id if isinstance(target, ast.Name) else target.attr
    places = [
        n
        for n in walk(walker.tree)
        if isinstance(n, ast.Compare)
        or (isinstance(n, ast.Call) and ast.unparse(n.func) in ("hasattr", "getattr"))
    ]
    return any(isinstance(m, ast.Constant) and m.value == said for n in places for m in walk(n))


def _blocks(branch: ast.If, stmt: ast.stmt) -> bool:
    """Whether a statement stands beside others in its block, on lines of its own."""
    for node in walk(branch):
        for part in ("body", "orelse"):
            block = getattr(node, part, None)
            if isinstance(block, list) and stmt in block:
                return len(block) > 1 and stmt.lineno == stmt.end_lineno
    return False
