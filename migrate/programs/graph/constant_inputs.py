"""Functions that make variables and are given constants: ``out = gate(tf.ones([2, 4]))``.

What such a function computes is of its variables and of what it is given, as if that were fed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph import known_branches
from migrate.programs.graph.meaning import MAKING, VARIABLES, is_host, is_op
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.own_nodes import own_nodes


def computed(walker: Any, target: ast.FunctionDef) -> bool:
    """Whether all that a function returns is what an op computes."""
    returned = [n.value for n in own_nodes(target) if isinstance(n, ast.Return)]
    return bool(returned) and all(
        value is not None and _computed(walker, target, value) for value in returned
    )


def once(
    walker: Any, target: ast.FunctionDef, given: Mapping[str, Value], owner: Value | None
) -> list[str]:
    """The parameters that one call gives a constant, and another one may give a batch.

    ``net(batch)`` in a file that trains, ``net(tf.reshape(picture, [1, 8, 8, 3]))`` in another one.
    """
    if owner is not None or len(walker.files.entries) < 2:
        return []
    if len(known_branches.every(walker, target)) < 2:
        return []
    return [name for name, value in given.items() if value.kind is Kind.CONST]


def _computed(walker: Any, target: ast.FunctionDef, node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        stores = [s for s in all_of(target, ast.Assign) if any(_binds(t, node) for t in s.targets)]
        return bool(stores) and _computed(walker, target, stores[-1].value)
    if isinstance(node, ast.BinOp):
        return any(_computed(walker, target, n) for n in (node.left, node.right))
    endpoint = walker.endpoints.get(id(getattr(node, "func", None)), "")
    made = endpoint in VARIABLES or endpoint in MAKING
    return is_op(endpoint) and not is_host(endpoint) and not made


def _binds(target: ast.expr, node: ast.Name) -> bool:
    return isinstance(target, ast.Name) and target.id == node.id
