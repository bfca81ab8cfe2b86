"""``stack_bidirectional_dynamic_rnn([a, b], [c, d], x)``: the runs that it is made of.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/rnn/python/ops/rnn.py
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.layering.total_losses import tensorflow
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Value
from migrate.programs.graph.wording.spelled import Source, Spelled, free

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
    parts_of = {k: _parts(walker, v) for k, v in given.items() if k in (*LISTS, *STATES)}
    sizes = {len(parts_of[k]) for k in (*LISTS, *STATES) if k in parts_of}
    names = all(parts_of.get(k) for k in LISTS)
    if not names or sizes == {0} or len(sizes) > 1 or set(given) - TAKEN or "inputs" not in given:
        raise Blocked(node, f"{what} of cells that aren't listed by their names")
    scope = given.get("scope", ast.Constant("stack_bidirectional_rnn"))
    if not isinstance(scope, ast.Constant) or not isinstance(scope.value, str):
        raise Blocked(scope, f"`scope` of {what}")
    path = scope.value
    if not isinstance(stmt, (ast.Assign, ast.Return)) or stmt.value is not node:
        raise Blocked(node, f"{what} inside another expression")
    taken: list[str] = []
    (size,) = sizes

    def fresh(wish: str) -> str:
        taken.append(free(walker, wish, taken))
        return taken[-1]

    layers = [[fresh(w) for w in ("forward", "backward", "stacked")] for _ in range(size)]
    states = [[fresh(w) for w in ("state_fw", "state_bw")] for _ in range(size)]
    made = {
        (key, i): fresh("cell_fw" if key == LISTS[0] else "cell_bw")
        for key in LISTS
        for i, part in enumerate(parts_of[key])
        if isinstance(part, ast.Call)
    }
    tf = tensorflow(walker, node)
    bare = [k for k in ("sequence_length", "dtype", "time_major") if k in given]

    def before(source: Source) -> list[str]:
        lines, inputs = [], source(given["inputs"])

        def cell(key: str, i: int) -> str:
            """The cell of a layer, in a statement of its own where it is made here."""
            part = parts_of[key][i]
            if isinstance(part, str):
                return part
            if not isinstance(part, ast.Call):
                return source(part)
            lines.append(f"{made[key, i]} = {source(part)}")
            return made[key, i]

        for i, ((forward, backward, joined), own) in enumerate(zip(layers, states, strict=True)):
            parts = [*(cell(k, i) for k in LISTS), inputs]
            for key, new in STATES.items():
                if key in parts_of:
                    start = parts_of[key][i]
                    said = start if isinstance(start, str) else source(start)
                    parts.append(f"{new}={said}")
            parts += [f"{k}={source(given[k])}" for k in bare]
            call = f"{tf}.nn.bidirectional_dynamic_rnn({', '.join(parts)})"
            lines.append(f'with {tf}.variable_scope("{path}/cell_{i}"):')
            lines.append(f"    ({forward}, {backward}), ({', '.join(own)}) = {call}")
            lines.append(f"{joined} = {tf}.concat([{forward}, {backward}], 2)")
            inputs = joined
        return lines

    def after(_: Source) -> str:
        ends = [f"({', '.join(s[i] for s in states)}{',' * (size == 1)})" for i in range(2)]
        return f"({layers[-1][-1]}, {', '.join(ends)})"

    raise Spelled(node, f"{what} isn't followed here", [(node, after)], [(stmt, before)])


def _parts(walker: Any, node: ast.expr) -> list[ast.expr | str]:
    """The items of a list, as far as they are told; nothing where they aren't."""
    if isinstance(node, (ast.List, ast.Tuple)):
        plain = all(isinstance(n, (ast.Name, ast.Attribute, ast.Call)) for n in node.elts)
        return list(node.elts) if plain else []
    if isinstance(node, ast.ListComp) and (count := _count(node)):
        return [node.elt] * count
    if isinstance(node, ast.Name):
        scope = walker.frame.node
        uses = [n for n in all_of(scope, ast.Name) if n.id == node.id]
        stores = [n for n in uses if not isinstance(n.ctx, ast.Load)]
        bound = [
            s.value
            for s in all_of(scope, ast.Assign)
            if len(s.targets) == 1 and s.targets[0] in stores
        ]
        if len(stores) == len(bound) == 1 and len(uses) == 2:
            (value,) = bound
            count = len(value.elts) if isinstance(value, ast.List) else 0
            if isinstance(value, ast.ListComp):
                count = _count(value)
            return [f"{node.id}[{i}]" for i in range(count)]
    return []


def _count(node: ast.ListComp) -> int:
    """How often a comprehension makes a cell, which must be the same each time."""
    (first, *more) = node.generators
    match first.iter:
        case ast.Call(ast.Name("range"), [ast.Constant(int() as count)], []):
            pass
        case _:
            return 0
    names = {n.id for n in all_of(first.target, ast.Name)}
    reads = any(n.id in names for n in all_of(node.elt, ast.Name))
    if more or first.ifs or reads or not isinstance(node.elt, ast.Call):
        return 0
    return count


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
