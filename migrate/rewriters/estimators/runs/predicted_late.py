"""Predictions that are read after more training: an Estimator predicts where they are read.

    found = net.predict(rows)
    net.train(rows)
    print(list(found))  # by what was trained just now

Keras predicts at once, so that such a program keeps its Estimator.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

TRAINS = ("train", "fit", "train_and_evaluate")


def checked(program: Program, call: ast.Call) -> None:
    """See to it that nothing trains between a prediction and where it is read.

    Raises:
        Blocked: something may.
    """
    stmt = program.scopes.statement(call)
    if not isinstance(stmt, ast.Assign) or stmt.value is not call:
        return
    names = {n.id for target in stmt.targets for n in all_of(target, ast.Name)}
    above = program.scopes.parents[id(stmt)]
    blocks = (getattr(above, part, []) for part in ("body", "orelse", "finalbody"))
    block = next((b for b in blocks if stmt in b), [])
    trained: ast.Call | None = None
    for later in block[block.index(stmt) + 1 :] if stmt in block else ():
        read = any(n.id in names for n in all_of(later, ast.Name) if isinstance(n.ctx, ast.Load))
        trained = trained or _training(program, later)
        if read and trained is not None:
            said = "predictions that are read after more training: an Estimator predicts there"
            raise Blocked(trained, f"{said}: make a list of them at once")
        if read:
            return


def _training(program: Program, stmt: ast.stmt, *, deep: bool = True) -> ast.Call | None:
    """A call that trains in a statement, or in a function of the program that it calls."""
    for call in all_of(stmt, ast.Call):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if name in TRAINS:
            return call
        function = program.scopes.function(call.func) if deep else None
        inner = function.body if function is not None else []
        if any(_training(program, s, deep=False) is not None for s in inner):
            return call
    return None
