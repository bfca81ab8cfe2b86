"""Functions and methods that are called again, in a later session: what they run finds it as new.

They are walked at their first call only. The second one runs the same, in the session of then.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk


def met(walker: Any, target: ast.FunctionDef) -> None:
    """A function that was walked before is called: its runs are runs of this session."""
    if walker.fresh is not None and _runs(walker, target, set()):
        walker.again()


def _runs(walker: Any, target: ast.FunctionDef, seen: set[int]) -> bool:
    """Whether a function runs a part of a graph, itself or through what has a callee's name."""
    seen.add(id(target))
    names: set[str] = set()
    for node in walk(target):
        if id(node) in walker.sites:
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            names.add(node.func.id if isinstance(node.func, ast.Name) else node.func.attr)
    return any(
        isinstance(n, ast.FunctionDef)
        and n.name in names
        and id(n) not in seen
        and _runs(walker, n, seen)
        for tree in walker.program()
        for n in walk(tree)
    )
