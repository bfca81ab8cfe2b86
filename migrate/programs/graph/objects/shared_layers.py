"""Layers that two objects share: they must compute the same for both, whatever their sizes are.

TF 1 refuses other sizes where variables are found again, but not another activation or stride.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.made import Layer
from migrate.programs.graph.wording import known_branches

INPUTS = frozenset({"inputs", "x", "features", "value", "input"})
# What the shapes of variables tell, and what only the first object's need.
SIZES = frozenset({"units", "filters", "kernel_size", "num_outputs", "use_bias"})
STARTS = frozenset({"kernel_initializer", "bias_initializer", "weights_initializer"})
PLAIN = (ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List)
DEPTH = 6


def alike(walker: Any, member: ast.FunctionDef, first: ast.Call | None, second: ast.Call) -> bool:
    """Whether the layers of `__init__` are told the same by both objects."""
    if first is None:
        return False
    for node in walk(member):
        layer = walker.layers.get(id(node)) if isinstance(node, ast.Call) else None
        if layer is None:
            continue
        for said in _told(layer):
            if not _same(walker, member, (first, second), said, 0):
                return False
    return True


def _told(layer: Layer) -> list[ast.expr]:
    """What a layer is told beside what it is applied to, and sizes."""
    tensors = set(map(id, layer.tensors))
    some = frozenset() if layer.factory is not None else INPUTS | SIZES | STARTS
    return [v for k, v in layer.given.items() if id(v) not in tensors and k not in some]


def _same(
    walker: Any,
    member: ast.FunctionDef,
    calls: tuple[ast.Call, ast.Call],
    node: ast.expr,
    depth: int,
) -> bool:
    """Whether an expression means the same in both objects."""
    if depth > DEPTH:
        return False
    itself = member.args.args[0].arg
    params = {a.arg for a in member.args.args}
    for n in all_of(node, ast.Name):
        if not isinstance(n.ctx, ast.Load):
            continue
        if n.id in params - {itself}:
            if _given(member, calls[0], n.id) != _given(member, calls[1], n.id):
                return False
            continue
        target = n.id
        if n.id == itself:
            owned = [m for m in all_of(node, ast.Attribute) if m.value is n]
            if len(owned) != 1:
                return False
            target = ast.unparse(owned[0])
        made = [
            s
            for s in walk(member)
            if isinstance(s, ast.stmt)
            and any(
                isinstance(m, (ast.Name, ast.Attribute))
                and not isinstance(m.ctx, ast.Load)
                and ast.unparse(m) == target
                for m in walk(s)
                if not isinstance(s, (ast.FunctionDef, ast.With, ast.If, ast.For))
            )
        ]
        if not made and n.id != itself:
            continue  # the module's
        if len(made) != 1 or not isinstance(made[0], ast.Assign):
            return False
        if isinstance(made[0].targets[0], ast.Tuple) or _branched(member, made[0]):
            return False
        if not _same(walker, member, calls, made[0].value, depth + 1):
            return False
    return True


def _branched(member: ast.FunctionDef, stmt: ast.stmt) -> bool:
    blocks = (ast.If, ast.For, ast.While, ast.Try)
    return any(isinstance(n, blocks) and holds(n, stmt) for n in walk(member))


def _given(member: ast.FunctionDef, call: ast.Call, name: str) -> str | None:
    """What a call gives a parameter, as written; another text each time where that may change."""
    whole = ast.Call(call.func, [call.func, *call.args], call.keywords)
    node = known_branches.place(member, whole, name)
    if node is None:
        names = [a.arg for a in member.args.args]
        defaults = dict(zip(reversed(names), reversed(member.args.defaults), strict=False))
        node = defaults.get(name)
    plain = node is not None and all(
        isinstance(n, (*PLAIN, ast.operator, ast.unaryop, ast.expr_context)) for n in walk(node)
    )
    return ast.unparse(node) if plain and node is not None else f"{id(call)}"
