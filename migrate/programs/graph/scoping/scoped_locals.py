"""Local names that a method uses again in each scope, told apart by the scopes' names.

with tf.variable_scope('layer1'):
    w = tf.get_variable('w', [5, 8])
    hidden = tf.matmul(x, w)
with tf.variable_scope('layer2'):
    w = tf.get_variable('w', [8, 3])

Kept as attributes they are `self.layer1_w` and `self.layer2_w`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence
from typing import Any

from migrate.engine.trees import all_of, holds, parents_of, walk
from migrate.programs.graph import meaning

INNER = (ast.FunctionDef, ast.Lambda, ast.For, ast.While, ast.If, ast.Try)


def repeated(made: Sequence[ast.Assign]) -> dict[int, list[ast.Assign]]:
    """The statements that bind a local name that another one binds, too, with all that do."""
    by_name: dict[str, list[ast.Assign]] = {}
    for stmt in made:
        if isinstance(stmt.targets[0], ast.Name):
            by_name.setdefault(stmt.targets[0].id, []).append(stmt)
    return {id(s): same for same in by_name.values() if len(same) > 1 for s in same}


def uses(
    walker: Any,
    method: ast.FunctionDef,
    stmt: ast.Assign,
    same: Sequence[ast.Assign],
    taken: Collection[str],
) -> tuple[str, list[ast.Name]] | None:
    """The attribute for one of them, and where the method means it; None where that isn't told."""
    (target,) = stmt.targets
    assert isinstance(target, ast.Name)
    every = [n for n in all_of(method, ast.Name) if n.id == target.id]
    stores = [n for n in every if not isinstance(n.ctx, ast.Load)]
    if {id(n) for n in stores} != {id(s.targets[0]) for s in same}:
        return None  # it means something else, too, or in another method
    odd = [n for n in walk(method) if isinstance(n, INNER) and n is not method]
    if any(holds(block, n) for block in odd for n in every):
        return None
    scope = _scope(walker, method, stmt)
    name = f"{scope}_{target.id}" if scope else ""
    if not name.isidentifier() or name in taken:
        return None
    begin = stmt.lineno
    end = min((s.lineno for s in same if s.lineno > begin), default=method.end_lineno or begin)
    last = max(s.lineno for s in same) == begin
    mine = [n for n in every if begin < n.lineno and (last or n.lineno < end)]
    # `w = tf.matmul(w, w)`: what a later one is made of is this one's.
    mine += [n for s in same if s.lineno == end and not last for n in every if holds(s.value, n)]
    return name, [target, *mine]


def _scope(walker: Any, method: ast.FunctionDef, stmt: ast.stmt) -> str:
    """What the scopes right around a statement are called."""
    parents = parents_of(method)
    found: list[str] = []
    block = parents.get(id(stmt))
    while isinstance(block, ast.With):
        for item in block.items:
            call = item.context_expr
            said = call.args[0] if isinstance(call, ast.Call) and call.args else None
            name = walker.endpoints.get(id(getattr(call, "func", None)), "")
            if meaning.canonical(name) in meaning.SCOPES and isinstance(said, ast.Constant):
                found.insert(0, re.sub(r"\W+", "_", str(said.value)))
        block = parents.get(id(block))
    return "_".join(found)
