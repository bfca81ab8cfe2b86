"""A list of recurrent cells under a name that one MultiRNNCell reads: it stands in that.

    layers = [tf.nn.rnn_cell.LSTMCell(n) for n in sizes]
    cell = tf.nn.rnn_cell.MultiRNNCell(layers)

https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/rnn_cell/MultiRNNCell
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.rewriters.estimators.recurrent import CELLS
from migrate.rewriters.estimators.syntax import alone, reads, stores
from migrate.rewriters.sessions.text import Text

SEVERAL = "MultiRNNCell"


def edits(tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str]) -> Iterator[Edit]:
    """The edits of one file."""
    for function in walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for place, stmt in enumerate(function.body):
            name = _cells(stmt, called)
            uses = [n for n in walk(function) if isinstance(n, ast.Name) and n.id == name]
            if not name or len(uses) != 2:
                continue
            behind = function.body[place + 1 :]
            user = next((s for s in behind if name in reads(s)), None)
            call = getattr(user, "value", None)
            if user is None or not isinstance(call, ast.Call) or CELLS.get(called(call)) != SEVERAL:
                continue
            bound = {n for s in behind[: behind.index(user)] for n in stores(s)}
            given = [*call.args, *(k.value for k in call.keywords)]
            use = next((g for g in given if isinstance(g, ast.Name) and g.id == name), None)
            if use is None or reads(stmt) & bound or not alone(stmt, text, commented=False):
                continue
            assert isinstance(stmt, ast.Assign)
            whole = text.piece(stmt)
            yield Edit(*text.index.span(use), text.source(stmt.value))
            yield Edit(text.start(whole.line), text.start(whole.last + 1), "")


def _cells(stmt: ast.stmt, called: Callable[[ast.AST | None], str]) -> str:
    """The name that a statement gives a list of cells."""
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return ""
    target, value = stmt.targets[0], stmt.value
    parts = value.elts if isinstance(value, ast.List) else []
    parts = [value.elt] if isinstance(value, ast.ListComp) else parts
    if not parts or any(called(p) not in CELLS or CELLS[called(p)] == SEVERAL for p in parts):
        return ""
    return target.id if isinstance(target, ast.Name) else ""
