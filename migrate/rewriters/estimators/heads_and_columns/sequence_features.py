"""`SequenceFeatures` of `tf.keras.experimental`, which Keras 3 lacks, as a `sequence_input_layer`.

    layer = SequenceFeatures(columns)            values, lengths = sequence_input_layer(
    values, lengths = layer(features)                features, columns)

https://www.tensorflow.org/api_docs/python/tf/keras/experimental/SequenceFeatures
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled, Written, word

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Program

NAME = "tensorflow.keras.experimental.SequenceFeatures"


def spelled(program: Program) -> None:
    """See to the layers of a program."""
    for call in program.calls():
        if program.called(call) == NAME:
            _spelled(program, call)


def _spelled(program: Program, call: ast.Call) -> None:
    """See to a layer that is applied once.

    Raises:
        Spelled: it can be said by the function.
        Blocked: it can't.
    """
    stopped = Blocked(call, "a SequenceFeatures, which Keras 3 lacks, that isn't applied once")
    given = program.given(call, NAME)
    columns = given.pop("feature_columns", None)
    root = program.page(call).root
    applied, changes = program.scopes.parents[id(call)], list[Written]()
    if isinstance(applied, ast.Assign):
        target = applied.targets[0]
        found = program.scopes.lookup(target) if isinstance(target, ast.Name) else None
        uses = (
            program.scopes.uses(found, target.id) if found and isinstance(target, ast.Name) else []
        )
        if len(uses) != 1 or len(applied.targets) > 1:
            raise stopped
        changes.append((applied, word("")))
        use: ast.expr = uses[0]
        applied = program.scopes.parents[id(use)]
    else:
        use = call
    plain = isinstance(applied, ast.Call) and applied.func is use and not applied.keywords
    if columns is None or given.keys() - {"name", "trainable"} or not plain or not root:
        raise stopped
    assert isinstance(applied, ast.Call)
    if len(applied.args) != 1:
        raise stopped
    args = f"{program.source(applied.args[0])}, {program.source(columns)}"
    new = f"{root}.contrib.feature_column.sequence_input_layer({args})"
    changes.append((applied, word(new)))
    raise Spelled(call, "a layer of Keras for sequences", changes)
