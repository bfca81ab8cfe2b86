"""A session that an imported file makes and nobody uses: it was there for its configuration.

``sess = tf.Session(config=config)`` in such a file claims a GPU's memory, and goes.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Step


def is_one(walker: Any, tree: ast.Module, step: Step) -> bool:
    """Whether a statement of an imported file makes a session whose name nothing reads."""
    stmt = step.node
    if step.kind is not Kind.SESSION or not isinstance(stmt, ast.Assign) or step.sites:
        return False
    call, targets = stmt.value, stmt.targets
    if not isinstance(call, ast.Call) or walker.endpoints.get(id(call.func)) != T + "Session":
        return False
    if len(targets) != 1 or not isinstance(targets[0], ast.Name):
        return False
    name = targets[0].id
    if sum(n.id == name for n in all_of(tree, ast.Name)) > 1:
        return False
    for other in walker.program():
        taken = {a.name for a in all_of(other, ast.alias)}
        read = {a.attr for a in all_of(other, ast.Attribute) if isinstance(a.value, ast.Name)}
        if other is not tree and ("*" in taken or name in taken | read):
            return False
    return True
