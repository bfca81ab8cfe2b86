"""A save that may come before anything is trained, in a program that restores.

What Keras makes at its first use, a layer's variables and an optimizer's slots, waits in the file
that was restored until then; a save in between would leave it out, and may write over that file.
So the layers are told their input's shape where they are made, and the optimizers what they train
where the Saver is.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.listing import collections
from migrate.programs.graph.model import Blocked

MADE = ("made early",)  # layers
REASON = "a checkpoint may be saved before what it holds is made"


def saved(walker: Any, saver: Any, node: ast.Call) -> None:
    """A Saver saves before anything is trained."""
    if any(s.restores for s in walker.savers if s.graph == walker.graph):
        saver.early = saver.early or node
        _made(walker, saver)
    elif walker.loops:
        saver.first = saver.first or node


def restored(walker: Any) -> None:
    """A Saver restores: the round after this one may begin with a save."""
    for saver in walker.savers if walker.loops else ():
        if saver.graph == walker.graph and saver.first is not None:
            saver.early = saver.first
            _made(walker, saver)


def waits(walker: Any, node: ast.Call) -> bool:
    """Whether a save waits for a step or a time that a restore sets: ``if step >= due: …``."""
    scope = walker.frame.node
    if scope is None:
        return False
    branches = all_of(scope, ast.If)
    for branch in branches:
        test = branch.test
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Gt, ast.GtE)):
            continue
        if not any(n is node for stmt in branch.body for n in walk(stmt)):
            continue
        due = ast.unparse(test.comparators[0])
        if any(isinstance(n, ast.Assign) and _by_case(n, due) for n in walk(scope)):
            return True
        for other in branches:
            calls = [n.func for n in all_of(other, ast.Call)]
            restores = any(isinstance(f, ast.Attribute) and f.attr == "restore" for f in calls)
            if restores and any(
                isinstance(s, ast.Assign) and [ast.unparse(t) for t in s.targets] == [due]
                for s in other.body
            ):
                return True
    return False


def _by_case(stmt: ast.Assign, name: str) -> bool:
    """``due = time.time() + 600 if checkpoint else 0``."""
    return isinstance(stmt.value, ast.IfExp) and [ast.unparse(t) for t in stmt.targets] == [name]


def _made(walker: Any, saver: Any) -> None:
    """See that all is made where the Saver is."""
    for layer in saver.layers:
        entry = next((o for o in walker.owned if o.layer is layer.call), None)
        try:
            if entry is not None:
                collections.built(walker, entry, saver.call)
                walker.kept.setdefault(MADE, set()).add(id(layer.call))
        except Blocked:
            continue  # whoever writes the Saver sees that it isn't
    stmt = saver.step.node
    told: list[Any] = walker.kept.setdefault(("told early",), [])
    if saver not in told:
        told.append(saver)
        lines = walker.afterwards.setdefault(id(stmt), [])
        lines.append(lambda writer: writer.module.savers.told(saver, writer))
