"""Names that a loop or a branch gives to parts of an object's graph: ``loss = self.model.loss``.

They stand for what they name wherever they are read.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.wording.spelled import Spelled, word

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
    if len(stores) != len(homes):
        return
    reads = [n for n in uses if isinstance(n.ctx, ast.Load)]
    same = [h for h in homes if ast.unparse(h.value) == said]
    if len(same) < len(homes):  # `fetches = […]` in one loop, `fetches = model.loss` in another one
        given = [_given(scope, n, homes) for n in reads]
        if None in given:
            return
        reads = [n for n, h in zip(reads, given, strict=True) if h in same]
        homes = same
    chain = _chain(stmt.value)
    if len(chain) < 2 or _changed(scope, chain) or any(isinstance(n, INNER) for n in nodes):
        return
    if any(a.arg == name for a in all_of(scope.args, ast.arg)):
        return
    outer = [n for n in nodes if isinstance(n, (ast.Global, ast.Nonlocal))]
    texts = [n for n in nodes if isinstance(n, ast.JoinedStr)]
    if any({name, chain[0]} & set(n.names) for n in outer):
        return
    if any(holds(t, n) for t in texts for n in reads):
        return  # Python 3.11 doesn't tell where a name in one stands
    if not all(_filled(scope, h, homes) for h in homes):
        return
    gone = [(h, word("")) for h in homes]
    raise Spelled(stmt, REASON, [*gone, *((n, word(said)) for n in reads)])


def _given(scope: ast.AST, read: ast.Name, homes: list[ast.Assign]) -> ast.Assign | None:
    """The one assignment that says what is read: above it, in its block or one around that."""
    found = None
    for node in walk(scope):  # from outside to inside
        for part in BLOCKS:
            block = getattr(node, part, None)
            if not isinstance(block, list):
                continue
            at = next((i for i, s in enumerate(block) if holds(s, read)), 0)
            if not block or not holds(block[at], read):
                continue
            above = [h for s in block[:at] for h in homes if holds(s, h)]
            if above:
                found = above[-1] if above[-1] in block else None
            if found is not None and any(holds(block[at], h) for h in homes):
                found = None  # a loop may give another one
    return found


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
