"""Cells that each round of a loop makes: ``for n in range(layers): dynamic_rnn(GRUCell(8), x, …)``.

TensorFlow 1 makes their variables while the graph is built. They are made in a list before the
loop, of which each round takes its own.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, outward
from migrate.programs.graph.recurrence import memories
from migrate.programs.graph.recurrence.cells import Cells
from migrate.programs.graph.wording.spelled import Source, Spelled, free, same, word

REASON = "cells that are made in a loop or a branch of a run"
NAMES = {"cell_fw": "fw_cells", "cell_bw": "bw_cells"}


def check(walker: Any, argument: str, call: ast.expr, cells: Cells, node: ast.Call) -> None:
    """See whether a cell is made in a round of a loop that counts.

    Raises:
        Spelled: it is, of what the loop doesn't change.
    """
    if not walker.loops or not isinstance(call, ast.Call):
        return
    around = list(outward(walker.tree, call))
    stmt, loop = [n for n in (*around, None, None) if n is None or isinstance(n, ast.stmt)][:2]
    match loop:
        case ast.For(ast.Name(count), ast.Call(ast.Name("range"), [rounds], []) as counted):
            pass
        case _:
            return
    if stmt not in loop.body or loop.orelse or not isinstance(stmt, (ast.Assign, ast.Expr)):
        return
    stores = [n for n in all_of(loop, ast.Name) if not isinstance(n.ctx, ast.Load)]
    bound = {n.id for n in stores}
    gone = memories.left(walker, call, cells, bound) if cells.kind else set()
    read = {n.id for n in all_of(call, ast.Name) if id(n) not in gone}
    odd = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield)
    if read & (bound - {count}) or {n.id for n in all_of(rounds, ast.Name)} & bound:
        return
    if (
        any(isinstance(n, odd) for n in ast.walk(call))
        or len([s for s in stores if s.id == count]) > 1
    ):
        return
    if any(holds(one, call) for n in all_of(loop, ast.For) if n is not loop for one in n.body):
        return
    name = free(walker, NAMES.get(argument, "cells"))
    each = count if count in read else "_"
    alone = memories.moved(walker, cells, call, node, bound) if cells.kind else (same(call), "", [])
    if alone is None:
        return
    written, more, edits = alone

    def made(source: Source) -> list[str]:
        return [f"{name} = [{written(source)} for {each} in {source(counted)}]"]

    raise Spelled(call, REASON, [(call, word(f"{name}[{count}]{more}")), *edits], [(loop, made)])
