"""Feed dicts that functions are given: ``show(epoch, feed_dict_train)`` runs with one.

They are handed on as they are, under their placeholders' names: every call gives the same ones.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked, Kind, Value

RUNS = frozenset({"run", "eval"})


def given(walker: Any, target: ast.FunctionDef, name: str, value: Value, node: ast.Call) -> bool:
    """Whether a function is given a feed dict, which it only runs with.

    Raises:
        Blocked: another call feeds other placeholders, or gives something else.
    """
    key = ("fed by", id(target), name)
    if value.kind is not Kind.FEED:
        if key in walker.kept:
            raise Blocked(node, f"`{target.name}` is given a feed dict before, and another value")
        return False
    if not _only_run(target, name) or any(feed.maybe for feed in value.data):
        return False
    fed = {feed.symbol for feed in value.data}
    first = walker.kept.setdefault(key, fed)
    if first != fed:
        raise Blocked(node, f"`{target.name}` is given a feed dict of other placeholders before")
    return True


def _only_run(target: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter is read as a run's `feed_dict` and nowhere else."""
    fed: set[int] = set()
    for call in all_of(target, ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in RUNS:
            fed |= {id(n) for n in (*call.args, *(k.value for k in call.keywords))}
    uses = [n for n in all_of(target, ast.Name) if n.id == name]
    return bool(uses) and all(id(n) in fed and isinstance(n.ctx, ast.Load) for n in uses)
