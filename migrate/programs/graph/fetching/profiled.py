"""Runs that trace themselves: `tf.RunOptions`, `tf.RunMetadata`, `add_run_metadata`.

A session says how long each op of one run took where it is given an object for that. TF 2 profiles
a stretch of time instead, https://www.tensorflow.org/guide/profiler. What a run computes is the
same without; the report says what to use.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value

OPTIONS, METADATA = T + "RunOptions", T + "RunMetadata"
TRACING = ("trace_level", "output_partition_graphs", "report_tensor_allocations_upon_oom")
INSTEAD = "tf.profiler.experimental.start(logdir) and stop() around a step"


def run(walker: Any, node: ast.Call) -> None:
    """See whether what a run is told beside fetches and feeds is only how it is traced.

    Raises:
        Blocked: it is something else.
    """
    named = {k.arg: k.value for k in node.keywords}
    names = ("fetches", "feed_dict", "options", "run_metadata")
    given: dict[str | None, ast.expr] = dict(zip(names, node.args, strict=False))
    given.update(named)
    if set(given) - set(names) or len(node.args) > len(names):
        raise Blocked(node, "`run` with arguments that aren't known")
    for name in names[2:]:
        value = given.get(name)
        if value is None or (isinstance(value, ast.Constant) and value.value is None):
            continue
        made = walker.expression(value)
        if made.kind is not Kind.SETTING:
            raise Blocked(value, f"`{name}` of `run` isn't seen")
        if name == names[2]:
            _plain(made, value)


def _plain(made: Value, at: ast.expr) -> None:
    """Options that a run's results don't hang on.

    Raises:
        Blocked: they may, as a time after which it stops.
    """
    call = made.node
    given = [*call.args, *call.keywords] if isinstance(call, ast.Call) else [at]
    if not all(isinstance(g, ast.keyword) and g.arg in TRACING for g in given):
        raise Blocked(at, "options of `run` that do more than trace it")


def written(walker: Any, node: ast.Call) -> Value:
    """``writer.add_run_metadata(metadata, 'step 9')``: it goes with what it would write."""
    for argument in (*node.args, *(k.value for k in node.keywords)):
        walker.expression(argument)
    return Value(Kind.SETTING, METADATA, node=node)


def told(walker: Any) -> list[tuple[ast.AST, str]]:
    """What a report says of traces that went."""
    made = (n for n in all_of(walker.tree, ast.Call))
    what = f"a run's trace goes; TF 2 has {INSTEAD}"
    return [(call, what) for call in made if walker.endpoints.get(id(call.func)) == METADATA]
