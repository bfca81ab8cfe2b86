"""A list of an object that only gets longer: ``self.shared.append(h)``, and nobody reads it.

A function of TF 2 has no place for what it puts there: the statements go, as all go that compute
what no run asks for.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled, word

ASKING = frozenset({"__dict__", "vars", "getattr", "pickle", "dill", "copy", "deepcopy"})


def check(walker: Any, container: ast.expr) -> None:
    """See whether what a part of the graph is put into is such a list, or a list in one.

    Raises:
        Spelled: it is.
    """
    while isinstance(container, ast.Subscript):
        container = container.value
    if not isinstance(container, ast.Attribute):
        return
    name, places = container.attr, []
    trees = [m.tree for m in walker.files.order if m.tree is not None]
    for tree in trees:
        if any(_asks(n, name) for n in walk(tree)):
            return
        if not any(isinstance(n, ast.Attribute) and n.attr == name for n in walk(tree)):
            continue
        if tree is not walker.files.at(container).tree:
            return
        found = _statements(tree, name)
        if found is None:
            return
        places += found
    if places:
        reason = f"`{name}`, a list of parts of the graph, isn't read"
        raise Spelled(container, reason, [(stmt, word("")) for stmt in places])


def unnamed(walker: Any, node: ast.Call, error: Blocked) -> None:
    """``variables = tf.global_variables()`` under a name that nothing reads: it goes.

    Raises:
        Spelled: that is what the statement does, and not the only one of its block.
    """
    stmt = walker.stmt
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) != 1:
        return
    (target,) = stmt.targets
    if not isinstance(target, ast.Name):
        return
    several = len(walker.program()) > 1
    for tree in walker.program():
        for n in walk(tree):
            said = getattr(n, "id", getattr(n, "attr", getattr(n, "value", None)))
            if n is not target and (said == target.id or _asks(n, target.id)):
                return
            if said in ("locals", "globals", "eval", "exec"):
                return
            if several and isinstance(n, ast.alias) and n.name in (target.id, "*"):
                return
            if getattr(n, "body", None) == [stmt] or getattr(n, "orelse", None) == [stmt]:
                return
    raise Spelled(node, error.reason, [(stmt, word(""))])


def _asks(node: ast.AST, name: str) -> bool:
    """Whether something may read attributes that it doesn't name."""
    if isinstance(node, ast.Constant):
        return bool(node.value == name)
    return getattr(node, "id", getattr(node, "attr", None)) in ASKING


def _statements(tree: ast.Module, name: str) -> list[ast.stmt] | None:
    """All that a file does with a list; None where it does more than to fill it."""
    parents = parents_of(tree)
    found: dict[int, ast.stmt] = {}
    for node in all_of(tree, ast.Attribute):
        if node.attr != name:
            continue
        stmt: ast.AST = node
        while not isinstance(stmt, ast.stmt):
            stmt = parents[id(stmt)]
        block = parents.get(id(stmt))
        if not (_begins(stmt, node) or _fills(stmt, node)):
            return None
        found[id(stmt)] = stmt
        for way in (getattr(block, "body", []), getattr(block, "orelse", [])):
            if stmt in way and all(id(s) in found for s in way):
                return None  # nothing else would be left
    return list(found.values())


def _begins(stmt: ast.stmt, node: ast.Attribute) -> bool:
    return isinstance(stmt, ast.Assign) and stmt.targets == [node] and _empty(stmt.value)


def _empty(node: ast.expr) -> bool:
    return isinstance(node, ast.List) and not node.elts


def _fills(stmt: ast.stmt, node: ast.Attribute) -> bool:
    """Whether a statement appends a name or an empty list, to the list or to one in it."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    owner = call.func.value
    while isinstance(owner, ast.Subscript) and isinstance(owner.slice, (ast.Constant, ast.Name)):
        owner = owner.value
    if owner is not node or call.func.attr != "append" or len(call.args) != 1 or call.keywords:
        return False
    return isinstance(call.args[0], ast.Name) or _empty(call.args[0])
