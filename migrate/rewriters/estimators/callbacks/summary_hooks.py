"""`SummarySaverHook` of a spec: summaries that are written into a folder of their own, too.

    hook = tf.train.SummarySaverHook(          with self.summary_saver.writer.as_default(), …:
        save_steps=10, output_dir='d',             self.write_scalar("accuracy", accuracy)
        summary_op=tf.summary.merge_all())

An Estimator writes what its RunConfig says besides, and its own `loss`, which no hook has.

https://www.tensorflow.org/guide/migrate/sessionrunhook_callback
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.models import scaffolds
from migrate.rewriters.estimators.syntax import reads

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.model_fn import Model
    from migrate.rewriters.estimators.optimizing.optimizers import Optimizers

HOOKS = frozenset(f"tensorflow.{m}.SummarySaverHook" for m in ("train", "estimator"))
ALL = "tensorflow.summary.merge_all"
SOME = "tensorflow.summary.merge"
SOURCE = '''class SaveSummaries(tf.keras.callbacks.Callback):
    """Has summaries written into a folder every so many steps or seconds, the first at once."""

    def __init__(self, folder, every_steps=None, every_secs=None):
        super().__init__()
        self.folder = folder
        self.every_steps = every_steps
        self.every_secs = every_secs
        self.writer = None
        self.due = tf.Variable(False, trainable=False)

    def on_train_begin(self, logs=None):
        if self.writer is None:
            self.writer = tf.summary.create_file_writer(self.folder)
        self.steps, self.time = None, None

    def on_train_batch_begin(self, batch, logs=None):
        due = self.steps is None or self.steps == self.every_steps
        due = due or (self.every_secs and time.time() - self.time >= self.every_secs)
        if due:
            self.steps, self.time = 0, time.time()
        self.steps += 1
        self.due.assign(bool(due))

    def on_train_end(self, logs=None):
        self.writer.flush()
'''


@dataclass(slots=True, eq=False, repr=False)
class Saver:
    """A hook that saves summaries."""

    call: ast.Call
    name: str  # the attribute that the callback is
    made: str  # its source
    op: ast.expr


def seen(model: Optimizers, call: ast.Call) -> Saver:
    """What such a hook of a model's training is.

    Raises:
        Blocked: an argument isn't followed.
    """
    program, body = model.program, model.bodies["train"]
    if not model.saved or model.replicated:
        raise Blocked(call, "a SummarySaverHook without a `model_dir`, or under a strategy")
    given = program.given(call)
    op, scaffold = given.pop("summary_op", None), given.pop("scaffold", None)
    if scaffold is not None and op is None:
        made = model.resolved(scaffold, body)
        if program.called(made) == scaffolds.SCAFFOLD and isinstance(made, ast.Call):
            op = program.given(made).get("summary_op")
    steps, secs = given.pop("save_steps", None), given.pop("save_secs", None)
    folder = given.pop("output_dir", None)
    if op is None or folder is None or (steps is None) == (secs is None):
        raise Blocked(call, "a SummarySaverHook without a folder, summaries, or a time")
    for name, node in given.items():
        raise Blocked(node, f"`{name}` of a SummarySaverHook")
    model.mode = None
    every = [("every_steps", steps), ("every_secs", secs)]
    said = [f"{name}={model.source(node)}" for name, node in every if node is not None]
    source = SOURCE.replace("(tf.", "({tf}.").replace(" tf.", " {tf}.")
    program.need(call, "SaveSummaries", source, ["import time"])
    made_by = f"SaveSummaries({', '.join([model.source(folder), *said])})"
    return Saver(call, model.attribute("summary_saver"), made_by, op)


def written(model: Model, saver: Saver, two: str, three: str) -> str:
    """The block of a train step that writes what such a hook asks for.

    Raises:
        Blocked: it asks for more than the scalars and histograms that the step writes.
    """
    body = model.bodies["train"]
    op = model.resolved(saver.op, body)
    calls = list(model.summaries.values())
    endpoint = model.program.called(op)
    if endpoint == ALL:
        if not _all_seen(model):
            raise Blocked(saver.call, "a SummarySaverHook beside summaries of other functions")
        found = [c for c in calls if c.lineno < op.lineno]
    else:
        parts = [op]
        if endpoint == SOME and isinstance(op, ast.Call):
            inputs = model.resolved(model.program.given(op).get("inputs", op), body)
            parts = list(inputs.elts) if isinstance(inputs, (ast.List, ast.Tuple)) else []
        resolved = [model.resolved(part, body) for part in parts]
        found = [c for part in resolved for c in calls if c is part]
        if len(found) != len(parts):
            found = []
    if not found:
        raise Blocked(saver.call, "which summaries a SummarySaverHook writes isn't seen")
    bound = model.program.scopes.bound(model.function)
    out = ""
    for call in found:
        names = reads(call) - reads(call.func)
        again = [n for n in sorted(names) if len(bound.get(n, ())) > 1]
        if id(call) in model.shown or again:
            raise Blocked(call, "a summary that a SummarySaverHook can't write once more")
        out += f"{three}{model.source(call)}\n"
    place = f"self.{saver.name}"
    opened = f"{place}.writer.as_default(), {model.tf}.summary.record_if({place}.due)"
    return f"{two}with {opened}:\n{out}"


def _all_seen(model: Model) -> bool:
    """Whether the program makes no other summaries than those that a train step writes."""
    kinds = ("scalar", "histogram", "image", "audio", "text", "tensor_summary")
    made = [
        c
        for c in model.program.calls()
        if model.program.called(c).removeprefix("tensorflow.summary.") in kinds
    ]
    trained = {id(n) for s in model.bodies["train"] for n in all_of(s, ast.Call)}
    own = {id(n) for n in all_of(model.function, ast.Call)}
    known = {id(c) for c in model.summaries.values()}
    return all(id(c) in known or (id(c) in own and id(c) not in trained) for c in made)
