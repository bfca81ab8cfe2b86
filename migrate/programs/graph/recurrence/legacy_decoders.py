"""`tf.contrib.legacy_seq2seq.rnn_decoder`: a cell over a list, or over what a function makes."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph import meaning
from migrate.programs.graph.made import Function, family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import NOTHING, Blocked, Kind, Value
from migrate.programs.graph.recurrence.cells import Cells
from migrate.programs.graph.recurrence.recurrent import CELL_ARGUMENTS, KEY, none
from migrate.programs.graph.recurrence.recurrent_runs import applied, result, scope_of

ENDPOINT = T + "contrib.legacy_seq2seq.rnn_decoder"


@family(ENDPOINT)
def rnn_decoder(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """A cell that runs over a list, or over what a function makes of its outputs."""
    given = walker.bound(endpoint, node)
    missing = [n for n in ("decoder_inputs", "initial_state", "cell") if n not in given]
    if missing:
        raise Blocked(node, f"a decoder without `{missing[0]}`")
    walker.expression(given["decoder_inputs"])
    walker.expression(given["initial_state"])
    cell = walker.expression(given["cell"])
    if not isinstance(cell.data, Cells) or cell.data.kind:
        raise Blocked(given["cell"], "the cell isn't seen")
    if not cell.data.names <= set(CELL_ARGUMENTS):
        raise Blocked(given["cell"], "a cell of one's own in a decoder")
    loop = given.get("loop_function")
    if loop is not None and not none(loop):
        walker.kept.setdefault(KEY, set()).add("loop")
        _loop(walker, loop)
    if not walker.nested:
        walker.kept.setdefault("cell roles", {})[id(given["cell"])] = "cell"
    scope = scope_of(walker, node, given.get("scope"), "rnn_decoder")
    applied(walker, node, [cell], scope, places=[given["cell"]])
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.loop(
        "rnn_decoder", node, given, cell.data.kept, scope, writer
    )
    return result(Value(Kind.TENSOR, "container"), [cell.data])


def _loop(walker: Any, node: ast.expr) -> None:
    """What makes the next input: a function, or one in some cases only.

    Raises:
        Blocked: it isn't seen, or does more than compute.
    """
    if isinstance(node, ast.IfExp):
        walker.test(node.test)
        _loop(walker, node.body)
        _loop(walker, node.orelse)
        return
    value = walker.expression(node)
    if value.data == NOTHING or none(node):
        return
    function = value.data
    if value.kind is not Kind.FUNCTION or not isinstance(function, Function):
        raise Blocked(node, "the function that makes a decoder's inputs isn't seen")
    if walker._variables_made(function.node):
        raise Blocked(node, "the function that makes a decoder's inputs asks for variables")
    for n in walk(function.node):
        if walker.endpoints.get(id(n)) in meaning.STATEFUL | meaning.ASSIGNS:
            raise Blocked(n, "the function that makes a decoder's inputs does more than compute")
    walker.handed(function)
