"""``stack_bidirectional_dynamic_rnn([a, b], [c, d], x)``: the runs that it is made of.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/rnn/python/ops/rnn.py
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Value
from migrate.programs.graph.spelled import Source, Spelled, free
from migrate.programs.graph.total_losses import tensorflow

NAME = "stack_bidirectional_dynamic_rnn"
LISTS = ("cells_fw", "cells_bw")
STATES = {"initial_states_fw": "initial_state_fw", "initial_states_bw": "initial_state_bw"}
TAKEN = frozenset({*LISTS, *STATES, "inputs", "sequence_length", "dtype", "time_major", "scope"})
TAKEN |= {"parallel_iterations", "swap_memory"}


@family(T + "contrib.rnn." + NAME)
def stacked(walker: Any, name: str, node: ast.Call) -> Value:
    """Cells in two directions, layer upon layer.

    Raises:
        Spelled: their lists are written out.
    """
    given = {k: v for k, v in walker.bound(name, node).items() if not _none(v)}
    stmt, what = walker.stmt, f"tf.contrib.rnn.{NAME}"
    lists = [given.get(k) for k in (*LISTS, *STATES)]
    parts_of = {k: v.elts for k, v in given.items() if isinstance(v, ast.List)}
    sizes = {len(v.elts) if isinstance(v, ast.List) else 0 for v in lists if v is not None}
    names = all(
        isinstance(n, (ast.Name, ast.Attribute)) for v in lists[:2] for n in getattr(v, "elts", [v])
    )
    if not names or sizes == {0} or len(sizes) > 1 or set(given) - TAKEN or "inputs" not in given:
        raise Blocked(node, f"{what} of cells that aren't listed by their names")
    scope = given.get("scope", ast.Constant("stack_bidirectional_rnn"))
    if not isinstance(scope, ast.Constant) or not isinstance(scope.value, str):
        raise Blocked(scope, f"`scope` of {what}")
    said = scope.value
    if not isinstance(stmt, (ast.Assign, ast.Return)) or stmt.value is not node:
        raise Blocked(node, f"{what} inside another expression")
    taken: list[str] = []
    (size,) = sizes

    def fresh(wish: str) -> str:
        taken.append(free(walker, wish, taken))
        return taken[-1]

    layers = [[fresh(w) for w in ("forward", "backward", "stacked")] for _ in range(size)]
    states = [[fresh(w) for w in ("state_fw", "state_bw")] for _ in range(size)]
    tf = tensorflow(walker, node)
    bare = [k for k in ("sequence_length", "dtype", "time_major") if k in given]

    def before(source: Source) -> list[str]:
        lines, inputs = [], source(given["inputs"])
        for i, ((forward, backward, joined), own) in enumerate(zip(layers, states, strict=True)):
            parts = [*(source(parts_of[k][i]) for k in LISTS), inputs]
            begins = ((new, parts_of[k][i]) for k, new in STATES.items() if k in parts_of)
            parts += [f"{new}={source(start)}" for new, start in begins]
            parts += [f"{k}={source(given[k])}" for k in bare]
            call = f"{tf}.nn.bidirectional_dynamic_rnn({', '.join(parts)})"
            lines.append(f'with {tf}.variable_scope("{said}/cell_{i}"):')
            lines.append(f"    ({forward}, {backward}), ({', '.join(own)}) = {call}")
            lines.append(f"{joined} = {tf}.concat([{forward}, {backward}], 2)")
            inputs = joined
        return lines

    def after(_: Source) -> str:
        ends = [f"({', '.join(s[i] for s in states)}{',' * (size == 1)})" for i in range(2)]
        return f"({layers[-1][-1]}, {', '.join(ends)})"

    raise Spelled(node, f"{what} isn't followed here", [(node, after)], [(stmt, before)])


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
