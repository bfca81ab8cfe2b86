"""Linear-chain CRFs of `tf.contrib.crf`: the likelihood of tags, and the best ones."""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph import shapes
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    HOST,
    Blocked,
    Kind,
    Value,
    described,
)
from migrate.programs.graph.respelled import Respelled

CRF = T + "contrib.crf."


@family(CRF + "crf_log_likelihood", CRF + "crf_decode")
def in_graph(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """What a run computes of potentials and transitions."""
    name = endpoint.rpartition(".")[2]
    given = walker.bound(endpoint, node)
    transitions = given.get("transition_params")
    if transitions is None or (isinstance(transitions, ast.Constant) and transitions.value is None):
        reason = f"{name} makes its transitions itself, and how many tags there are isn't seen"
        walker.expression(given["inputs"])
        shape = shapes.dims(walker, given["inputs"])
        if name != "crf_log_likelihood" or not shape or shape[-1] == shapes.OPEN:
            raise Blocked(node, reason)
        raise Respelled(node, reason, "crf", tags=shape[-1])
    joined = walker.join([walker.expression(value) for value in given.values()], node)
    if joined.kind is not Kind.TENSOR:
        raise Blocked(node, f"{name} of {described(joined)}")
    _written(walker, name, node)
    return Value(Kind.TENSOR, None, [(0, Value(Kind.TENSOR)), (1, Value(Kind.TENSOR))])


@family(CRF + "viterbi_decode")
def on_arrays(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """The best tags of one sequence, which NumPy computes of what runs gave."""
    for value in walker.bound(endpoint, node).values():
        walker.host(value)
    _written(walker, "viterbi_decode", node)
    return HOST


def _written(walker: Any, name: str, node: ast.Call) -> None:
    def call(writer: Any) -> str:
        recurrent = writer.module.recurrent
        if name in writer.module.bound:
            raise Blocked(node, f"the module has a `{name}` of its own")
        recurrent.need(name)
        parts = [writer.source(value) for value in node.args]
        parts += [f"{k.arg}={writer.source(k.value)}" for k in node.keywords]
        return f"{name}({', '.join(parts)})"

    walker.rewrites[id(node)] = call
