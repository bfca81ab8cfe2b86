"""Inputs of dense layers whose rank isn't told: `shape=[None] + list(space.shape)`.

A dense layer's kernel has the size of its input's last axis, whatever stands before that.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.sizing import shapes
from migrate.programs.graph.wording import known_branches

DENSE = frozenset({"dense", "fully_connected", "linear"})
PLAIN = (ast.Name, ast.Attribute, ast.expr_context)
DEPTH = 20


def any_rank(endpoint: str) -> bool:
    """Whether a layer takes inputs of any rank."""
    return endpoint.rpartition(".")[2] in DENSE


def of(walker: Any, node: ast.expr, depth: int = 0) -> list[str] | None:
    """A shape whose last size is that of a tensor; None where that isn't seen."""
    if depth > DEPTH:
        return None
    if isinstance(node, (ast.Name, ast.Attribute)):
        symbol = walker.meant.get(id(node), walker.attributes.get(id(node)))
        if symbol is None:
            return None
        made = symbol.step.node
        if symbol.value.kind is Kind.PLACEHOLDER and isinstance(symbol.value.node, ast.Call):
            return of(walker, symbol.value.node, depth + 1)
        if not isinstance(made, ast.Assign) or len(made.targets) != 1:
            return None
        named = isinstance(made.targets[0], (ast.Name, ast.Attribute))
        return of(walker, made.value, depth + 1) if named else None
    if not isinstance(node, ast.Call):
        return None
    name = walker.endpoints.get(id(node.func), "")
    if name == T + "placeholder":
        return _listed(walker.bound(name, node).get("shape"))
    layer = walker.layers.get(id(node))
    if layer is not None and layer.factory is None and any_rank(layer.endpoint):
        units = layer.given.get("units", layer.given.get("num_outputs"))
        return [shapes.OPEN, ast.unparse(units)] if units is not None else None
    if name in shapes.SAME:
        return of(walker, node.args[0], depth + 1) if node.args else None
    given = walker.bound(name, node) if name in shapes.WIDER else {}
    first, second = given.get("x"), given.get("y")
    if first is None or second is None or not _number(walker, second):
        return None
    return of(walker, first, depth + 1)


def _listed(node: ast.expr | None) -> list[str] | None:
    """``[None] + list(space.shape)``, ``(None,) + shape`` or ``[None, *shape]``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        first, rest = node.left, node.right
        if isinstance(rest, ast.Call) and getattr(rest.func, "id", "") in ("list", "tuple"):
            rest = rest.args[0] if len(rest.args) == 1 and not rest.keywords else rest
        items = first.elts if isinstance(first, (ast.List, ast.Tuple)) else []
    elif isinstance(node, (ast.List, ast.Tuple)) and node.elts:
        *items, last = node.elts
        rest = last.value if isinstance(last, ast.Starred) else ast.Pass()  # type: ignore[assignment]
    else:
        return None
    if not items or not all(isinstance(n, PLAIN) for n in walk(rest)):
        return None
    if not all(isinstance(n, ast.Constant) for n in items):
        return None
    return [*map(ast.unparse, items), f"*{ast.unparse(rest)}"]


def _number(walker: Any, node: ast.expr) -> bool:
    """Whether something is a number, as it is written or as all objects of a class are given it."""
    if not isinstance(node, ast.Name):
        return _is_number(node)
    function = function_around(walker.tree, node)
    classes = [c for c in all_of(walker.tree, ast.ClassDef) if function in c.body]
    if function is None or function.name != "__init__" or len(classes) != 1:
        return False
    if any(n.id == node.id and not isinstance(n.ctx, ast.Load) for n in all_of(function, ast.Name)):
        return False
    calls = known_branches.every(walker, function)
    given = [known_branches.given_to(function, call, node.id) for call in calls]
    return bool(given) and all(map(_is_number, given))


def _is_number(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
