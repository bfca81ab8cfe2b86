"""`scaffold` of an EstimatorSpec, where it says no more than how checkpoints are kept.

    saver = tf.train.Saver(max_to_keep=3)           def __init__(self, model_dir):
    return tf.estimator.EstimatorSpec(…,                super().__init__(model_dir)
        scaffold=tf.train.Scaffold(saver=saver))        self.keep = 3

A Saver of a Scaffold takes the place of an Estimator's own, whose RunConfig says how many it keeps.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.syntax import reads

if TYPE_CHECKING:
    from migrate.rewriters.estimators.modes import Mode
    from migrate.rewriters.estimators.specs import Specs

SCAFFOLD, SAVER = "tensorflow.train.Scaffold", "tensorflow.train.Saver"
# What a Saver is given that says nothing of a Keras model's checkpoints.
IDLE = frozenset({"sharded", "name", "allow_empty", "save_relative_paths", "write_version"})
STARTS = frozenset(
    {
        "tensorflow.group",
        "tensorflow.tables_initializer",
        "tensorflow.initialize_all_tables",
        "tensorflow.local_variables_initializer",
        "tensorflow.initialize_local_variables",
    }
)


def plain(model: Specs, node: ast.expr, body: Sequence[ast.stmt], mode: Mode) -> bool:
    """Whether a Scaffold goes; how many checkpoints its Saver keeps is the model's then.

    Raises:
        Blocked: it says what a model begins with, or which variables are saved.
    """
    program = model.program
    made = model.resolved(node, body)
    if program.called(made) != SCAFFOLD:
        return False
    assert isinstance(made, ast.Call)
    given = {n: model.resolved(v, body) for n, v in program.given(made).items()}
    given = {n: v for n, v in given.items() if not _none(v)}
    start = given.pop("local_init_op", None)
    if start is not None and not _starts(model, start, body):
        raise Blocked(start, "what a Scaffold initializes beside tables")
    saver = given.pop("saver", None)
    if given:
        name = next(iter(given))
        raise Blocked(given[name], f"`{name}` of a Scaffold: it asks a session for something")
    if saver is None:
        return True
    if not kept(model, saver, mode):
        raise Blocked(saver, "the Saver of a Scaffold isn't seen")
    return True


def kept(model: Specs, saver: ast.expr, mode: Mode) -> bool:
    """Whether this makes a Saver; how many checkpoints it keeps is the model's then.

    Raises:
        Blocked: it says which variables are saved.
    """
    program = model.program
    if program.called(saver) != SAVER:
        return False
    assert isinstance(saver, ast.Call)
    asked = {n: v for n, v in program.given(saver).items() if not _none(v) and n not in IDLE}
    keep = asked.pop("max_to_keep", None)
    if asked:
        name = next(iter(asked))
        raise Blocked(asked[name], f"`{name}` of a Scaffold's Saver")
    bound = program.scopes.bound(model.function).keys() - {"params"}
    if keep is not None and (reads(keep) & bound or list(all_of(keep, ast.Call))):
        raise Blocked(keep, "how many checkpoints a Saver keeps isn't seen")
    if mode == "train":
        model.keep = "5" if keep is None else program.text.source(keep)  # a Saver's default
    return True


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _starts(model: Specs, node: ast.expr, body: Sequence[ast.stmt]) -> bool:
    """Whether an op only initializes tables and local variables, which are a Keras model's own."""
    known = model.program.called(node)
    if known not in STARTS or not isinstance(node, ast.Call):
        return False
    rest = node.args if known == "tensorflow.group" else ()
    return all(_starts(model, model.resolved(each, body), body) for each in rest)
