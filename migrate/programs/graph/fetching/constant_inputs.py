"""Functions that are given constants: ``out = gate(tf.ones([2, 4]))``, ``show(tf.add(a, b))``.

What one that makes variables computes is of its variables and of what it is given, as if that were
fed. One that runs a session is given values, where all its calls give it constants.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.meaning import MAKING, VARIABLES, is_host, is_op
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.own_nodes import own_nodes
from migrate.programs.graph.wording import known_branches

LENT = "constants given"


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


def lent(walker: Any, target: ast.FunctionDef, name: str, value: Value) -> bool:
    """Whether a function that runs a session is given a constant, as it was at its first call."""
    if value.kind is not Kind.CONST or value.items is not None:
        return False
    if name in walker.parts_given.get(id(target), ()):
        return False
    names: set[str] = walker.kept.setdefault((LENT, id(target)), set())
    if (id(target) in walker.entered and name not in names) or _gives_ops(walker, target):
        return False
    names.add(name)
    return True


def _gives_ops(walker: Any, target: ast.FunctionDef) -> bool:
    """Whether a function returns what an op gives: it is better off where it is called."""
    found = (n for r in all_of(target, ast.Return) if r.value for n in all_of(r.value, ast.Call))
    return any(is_op(walker.endpoints.get(id(n.func), "")) for n in found)


def same(walker: Any, target: ast.FunctionDef, name: str, value: Value, node: ast.Call) -> None:
    """What a function runs is a constant at each call, where it was one before.

    Raises:
        Blocked: it is something else.
    """
    if name in walker.kept.get((LENT, id(target)), ()) and value.kind is not Kind.CONST:
        raise Blocked(node, f"`{target.name}` is given a constant before")


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
