"""Names that a loop or a branch gives to parts of an object's graph: ``loss = self.model.loss``.

They stand for what they name wherever they are read.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.spelled import Spelled, word

REASON = "parts of a graph get a name in a loop or a branch"
INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
BLOCKS = ("body", "orelse", "finalbody", "handlers")


def check(walker: Any, stmt: ast.Assign) -> None:
    """See whether a name always stands for one attribute of a function's objects.

    Raises:
        Spelled: it does.
    """
    scope, target = walker.frame.node, stmt.targets[0]
    if not isinstance(scope, ast.FunctionDef) or not isinstance(target, ast.Name):
        return
    said, name = ast.unparse(stmt.value), target.id
    nodes = [n for part in scope.body for n in walk(part)]
    homes = [n for n in nodes if isinstance(n, ast.Assign) and _binds(n, name)]
    uses = [n for n in all_of(scope, ast.Name) if n.id == name]
    stores = [n for n in uses if not isinstance(n.ctx, ast.Load)]
    if len(stores) != len(homes) or any(ast.unparse(h.value) != said for h in homes):
        return
    chain = _chain(stmt.value)
    if len(chain) < 2 or _changed(scope, chain) or any(isinstance(n, INNER) for n in nodes):
        return
    if any(a.arg == name for a in all_of(scope.args, ast.arg)):
        return
    if not all(_filled(scope, h, homes) for h in homes) or any(
        isinstance(n, (ast.Global, ast.Nonlocal, ast.JoinedStr)) for n in nodes
    ):
        return
    reads = [n for n in uses if isinstance(n.ctx, ast.Load)]
    gone = [(h, word("")) for h in homes]
    raise Spelled(stmt, REASON, [*gone, *((n, word(said)) for n in reads)])


def _binds(stmt: ast.Assign, name: str) -> bool:
    return len(stmt.targets) == 1 and ast.unparse(stmt.targets[0]) == name


def _chain(node: ast.expr) -> list[str]:
    """The names of an attribute of attributes; none for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    return [node.id, *parts] if isinstance(node, ast.Name) else []


def _changed(scope: ast.FunctionDef, chain: list[str]) -> bool:
    """Whether a function sets what the attribute is taken of, or the attribute."""
    heads = {".".join(chain[: i + 1]) for i in range(len(chain))}
    return any(
        isinstance(n, (ast.Name, ast.Attribute))
        and not isinstance(n.ctx, ast.Load)
        and ast.unparse(n) in heads
        for n in walk(scope)
    )


def _filled(scope: ast.FunctionDef, stmt: ast.Assign, gone: list[ast.Assign]) -> bool:
    """Whether the block of a statement has others that stay."""
    for node in walk(scope):
        for part in BLOCKS:
            block = getattr(node, part, None)
            if isinstance(block, list) and stmt in block:
                return any(s not in gone for s in block)
    return False
