"""Losses of sequences: `tf.contrib.seq2seq.sequence_loss`, and those of `legacy_seq2seq`."""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.recurrence.recurrent import KEY

LEGACY = T + "contrib.legacy_seq2seq."
PARTS = ("logits", "targets", "weights")
TIME = "average_across_timesteps"
SWITCHES = frozenset((TIME, "average_across_batch", "sum_over_timesteps", "sum_over_batch"))


@family(
    T + "contrib.seq2seq.sequence_loss",
    LEGACY + "sequence_loss",
    LEGACY + "sequence_loss_by_example",
)
def sequence_loss(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """A weighted cross entropy over time."""
    given = walker.bound(endpoint, node)
    legacy = endpoint.startswith(LEGACY)
    by_example = endpoint.endswith("by_example")
    over = given.get(TIME) if by_example else None
    if isinstance(over, ast.Constant):
        over = None
    for argument, value in given.items():
        if argument not in (*PARTS, *SWITCHES, "softmax_loss_function", "name"):
            raise Blocked(value, f"`{argument}` of a sequence's loss")
        if argument in SWITCHES and value is not over and not isinstance(value, ast.Constant):
            raise Blocked(value, f"`{argument}` of a sequence's loss is computed")
    if any(part not in given for part in PARTS):
        raise Blocked(node, "a sequence's loss without logits, targets or weights")
    said = {a: bool(v.value) for a, v in given.items() if isinstance(v, ast.Constant)}
    time = said.get("average_across_timesteps", True)
    batch = said.get("average_across_batch", True)
    if said.get("sum_over_timesteps") or said.get("sum_over_batch"):
        raise Blocked(node, "a sequence's loss that is a sum over its elements")
    joined = walker.join([walker.expression(given[p]) for p in PARTS], node)
    function = given.get("softmax_loss_function")
    if isinstance(function, ast.Constant):
        function = None
    if function is not None:
        value = walker.expression(function)
        bound = value.kind is Kind.METHOD or value.kind is Kind.FUNCTION
        if not bound and value.kind not in (Kind.ENDPOINT, Kind.HOST):
            raise Blocked(function, "the loss of an element isn't seen")
        if value.kind is Kind.FUNCTION:
            walker.handed(value.data)
    if over is not None and walker.host(over).kind is not Kind.HOST:
        raise Blocked(over, f"`{TIME}` of a sequence's loss isn't seen")
    averaged = time if legacy and by_example else time and batch if legacy else time or batch
    if not averaged:
        raise Blocked(node, "a sequence's loss that isn't averaged")
    if function is not None and not legacy:
        raise Blocked(function, "the loss of an element is a function")
    axis = None if time and batch else int(time)
    known = walker.kept.setdefault(KEY, set())
    known.update({"average"} if over is not None else ())
    known.update({"function"} if function is not None else ())
    known.update({"axis"} if axis is not None and not legacy else ())

    def written(writer: Any) -> str:
        parts = [writer.source(given[p]) for p in PARTS]
        if function is not None:
            parts.append(writer.source(function))
        if over is not None:
            parts.append(f"{TIME}={writer.source(over)}")
        if axis is not None and not legacy:
            parts.append(f"axis={axis}")
        name = "sequence_loss_by_example" if legacy else "sequence_loss"
        call = str(writer.module.recurrent.loss(name, node, parts))
        if not legacy or by_example:
            return call
        # The sum over the batch, by its size.
        return f"{writer.tf}.reduce_mean({call})"

    walker.rewrites[id(node)] = written
    return Value(joined.kind if joined.kind is not Kind.HOST else Kind.CONST)
