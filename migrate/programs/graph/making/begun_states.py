"""Variables with which a loop's state begins: `state = start`, and `state = f(x, state)` in it.

The name means the variable once and tensors from then on: it is a tensor's from the start, in the
function that goes through the loop.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Kind, Value

SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef)


def begins(walker: Any, stmt: ast.Assign, value: Value) -> bool:
    """Whether a statement gives a variable the name of a loop's state."""
    if value.kind is not Kind.VARIABLE or not isinstance(stmt.value, (ast.Name, ast.Attribute)):
        return False
    if walker.nested or walker.frame.region is None or value.data == "container":
        return False
    target = stmt.targets[0]
    if len(stmt.targets) != 1 or not isinstance(target, ast.Name):
        return False
    body = getattr(walker.frame.node, "body", [])
    if not isinstance(body, list) or stmt not in body:
        return False
    stores = [n for s in body for n in all_of(s, ast.Name) if _stores(n, target.id)]
    loops = [s for s in body[body.index(stmt) + 1 :] if isinstance(s, ast.For)]
    computed = [
        n
        for loop in loops
        for n in walk(loop)
        if isinstance(n, ast.Assign) and any(_stores(t, target.id) for t in n.targets)
    ]
    if len(computed) != 1 or len(stores) != 2 or walker._variables_made(computed[0]):
        return False
    if any(isinstance(n, SCOPES) for loop in loops for n in walk(loop)):
        return False
    return any(_reads(n, target.id) for loop in loops for n in all_of(loop, ast.Name))


def _stores(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)


def _reads(node: ast.Name, name: str) -> bool:
    return node.id == name and isinstance(node.ctx, ast.Load)
