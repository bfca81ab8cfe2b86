"""``UPDATE_OPS``: which runs update the averages of batch normalization."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph.made import Norm
from migrate.programs.graph.model import Kind, Step, Value


@dataclass(slots=True, eq=False, repr=False)
class Updates:
    """``tf.get_collection(tf.GraphKeys.UPDATE_OPS)``: the updates of what was built before."""

    norms: frozenset[int]  # by the layers' calls


def collected(walker: Any) -> Value:
    """The updates so far; what waits for them has the averages updated."""
    value = Value(Kind.OP, Updates(frozenset(norm for _, norm in walker.norms)))
    sink = walker.sink
    sink.after.extend(dict.fromkeys(step for step, _ in walker.norms if step is not sink))
    sink.value = value
    return value


def updated(steps: Iterable[Step]) -> set[int]:
    """The statements' batch normalizations whose averages a run of some steps updates."""
    return {
        norm
        for step in steps
        for waited in (step, *step.after)
        if waited.value is not None and isinstance(waited.value.data, Updates)
        for norm in waited.value.data.norms
    }


def norms_of(walker: Any, steps: Iterable[Step]) -> Iterator[tuple[Norm, ast.Call]]:
    """The batch normalizations that steps call, each with the call in the steps themselves."""
    for step in steps:
        for node in ast.walk(step.node):
            layer = walker.layers.get(id(node))
            if layer is None:
                continue
            if layer.norm is not None:
                yield layer.norm, layer.call
            if layer.factory is not None:
                region = walker.entered[id(layer.factory)]
                for norm, _ in norms_of(walker, [s for s in region.steps if s.moves or s.value]):
                    yield norm, layer.call
