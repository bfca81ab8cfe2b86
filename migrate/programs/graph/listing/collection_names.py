"""What collections of one's own are called: ``NOISE = 'noise'`` and ``collections=[NOISE, …]``."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import HOST, Kind, Value

NAMED = ("names of collections",)  # among what a walk keeps: statements that give some
TOLD = ("collections by their names",)  # and where they were read


def of(walker: Any, node: ast.expr) -> str | None:
    """What a collection of one's own is called, written or by the one name that a file gives it."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    home = walker.files.at(node).tree
    stores = [
        n
        for n in all_of(home, ast.Name)
        if isinstance(node, ast.Name) and n.id == node.id and not isinstance(n.ctx, ast.Load)
    ]
    params = {a.arg for a in all_of(home, ast.arg)}
    for stmt in home.body:
        if isinstance(stmt, ast.Assign) and stmt.targets == stores and stores[0].id not in params:
            said = stmt.value.value if isinstance(stmt.value, ast.Constant) else None
            if isinstance(said, str):
                walker.kept.setdefault(NAMED, {})[id(stmt)] = stmt
                return said
    return None


def told(walker: Any, keys: Iterable[ast.expr]) -> None:
    """Collections are read here no more, by whatever name."""
    walker.kept.setdefault(TOLD, set()).update(id(n) for n in keys if isinstance(n, ast.Name))


def unread(walker: Any) -> None:
    """Names that were there for collections alone go."""
    gone: set[int] = walker.kept.get(TOLD, set())
    trees = list(walker.program())
    for stmt in walker.kept.get(NAMED, {}).values():
        name = stmt.targets[0].id
        reads = [n for tree in trees for n in walk(tree) if _says(n, name)]
        if all(id(n) in gone or n is stmt.targets[0] for n in reads):
            for step in (s for region in walker.regions for s in region.steps):
                if step.node is stmt:
                    step.kind, step.value = Kind.SETTING, HOST
                    for symbol in step.defs:
                        symbol.value = Value(Kind.SETTING)


def _says(node: ast.AST, name: str) -> bool:
    return name in (getattr(node, "id", ""), getattr(node, "attr", ""), getattr(node, "name", ""))
