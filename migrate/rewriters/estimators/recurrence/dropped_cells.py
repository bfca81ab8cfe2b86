"""Dropouts around all cells of a MultiRNNCell: `call` puts them around the model's cells.

    cell = MultiRNNCell(                       self.cell = MultiRNNCell(
        [DropoutWrapper(LSTMCell(n),               [LSTMCell(n) for n in sizes])
             output_keep_prob=keep)            …
         for n in sizes])                      dynamic_rnn(
    dynamic_rnn(cell, x, …)                        DroppedCells(self.cell, …), x)

https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/nn/rnn_cell/DropoutWrapper
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.recurrence import recurrent
from migrate.rewriters.estimators.syntax import reads, stores

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.layers import Layers
    from migrate.rewriters.estimators.program import Program


def shares(program: Program, call: ast.Call) -> dict[str, ast.expr]:
    """What dropouts around the cells of a call keep; nothing where there are none.

    Raises:
        Blocked: they are around some cells only, or keep more than they say here.
    """
    if recurrent.CELLS.get(program.called(call)) != "MultiRNNCell":
        return {}
    cells = program.given(call).get("cells")
    elements = _elements(cells)
    calls = [e for e in elements if isinstance(e, ast.Call)]
    wrapped = [e for e in calls if program.called(e) in recurrent.WRAPPERS]
    if not wrapped:
        return {}
    kept = [{k: v for k, v in program.given(w).items() if k in recurrent.SHARES} for w in wrapped]
    said = {tuple((k, ast.dump(v)) for k, v in sorted(each.items())) for each in kept}
    own = {n for g in getattr(cells, "generators", []) for n in stores(g.target)}
    if len(wrapped) < len(elements) or len(said) > 1 or not said - {()}:
        raise Blocked(wrapped[0], "a dropout around one of several cells")
    for each in wrapped:
        if inner(program, each) is None or len(program.given(each)) != 1 + len(kept[0]):
            raise Blocked(each, "the cell that a dropout is around")
    for value in kept[0].values():
        if reads(value) & own:
            raise Blocked(value, "a dropout around one of several cells")
    return kept[0]


def _elements(cells: ast.expr | None) -> list[ast.expr]:
    if isinstance(cells, ast.ListComp):
        return [cells.elt]
    return list(cells.elts) if isinstance(cells, (ast.List, ast.Tuple)) else []


def inner(program: Program, wrapper: ast.expr) -> ast.Call | None:
    """The cell that a dropout is around, where it is made there."""
    given = program.given(wrapper) if isinstance(wrapper, ast.Call) else {}
    cell = given.get("args", given.get("cell"))
    known = cell is not None and program.called(cell) in recurrent.CELLS
    return cell if known and isinstance(cell, ast.Call) else None


def bare(program: Program, cells: ast.expr) -> ast.expr:
    """The cells without what is around them."""
    found = [inner(program, e) or e for e in _elements(cells)]
    if isinstance(cells, ast.ListComp):
        return ast.copy_location(ast.ListComp(found[0], cells.generators), cells)
    return ast.copy_location(ast.List(found, ast.Load()), cells)


def around(owner: Layers, call: ast.Call, name: str) -> str:
    """The model's cells with the dropouts around them, where they are applied."""
    kept = shares(owner.program, call)
    if not kept:
        return name
    for needed in ("DropoutWrapper", "DroppedCells"):
        owner.need(needed, recurrent.code(needed).replace("tf.", "{tf}."), [])
    said = "".join(f", {k}={owner.source(v)}" for k, v in kept.items())
    return f"DroppedCells({name}{said})"
