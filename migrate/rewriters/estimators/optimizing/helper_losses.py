"""Losses in functions that steps call: they are what a step's own would be.

    def total(labels, logits):                 def total(labels, logits):
        return tf.losses.…(labels, logits)         return tf.reduce_mean(tf.nn.…(labels, logits))

https://keras.io/api/losses/
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.models.writer import Trained
from migrate.rewriters.sessions import losses

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program


def written(program: Program, call: ast.Call) -> None:
    """Write a loss in a function anew, once all of the function is known.

    One whose numbers have no counterpart stays `tf.compat.v1`'s.
    """
    if ("helper loss", id(call)) not in program.kept:
        program.kept["helper loss", id(call)] = True
        program.finish.append(lambda: _write(program, call))


def _write(program: Program, call: ast.Call) -> None:
    endpoint, given = program.called(call), program.given(call)
    twice = [given[n] for n in ("labels", "predictions") if n in given]
    if endpoint.endswith(".log_loss") and not all(isinstance(n, ast.Name) for n in twice):
        return
    needed: list[tuple[str, str]] = []
    try:
        source = losses.source(
            Trained(call, endpoint, given),
            program.walker,
            program.source,
            program.tf,
            lambda name, code: needed.append((name, code)),
        )
        for name, code in needed:
            program.need(call, name, code)
    except Blocked:
        return
    program.edit(call, source)
