"""`stop_if_no_decrease_hook` and its kin, as a callback that looks at what evaluations found.

https://www.tensorflow.org/guide/migrate/early_stopping
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program

KINDS = {
    f"tensorflow.{module}.stop_if_no_{kind}_hook": kind
    for module in ("contrib.estimator", "estimator.experimental")
    for kind in ("decrease", "increase")
}
NOW = ("contrib.estimator", "estimator.experimental")  # what 1.15.5 calls the older module
SOURCE = '''class StopWithoutProgress(tf.keras.callbacks.Callback):
    """Stops training when a metric wasn't better in evaluations for so many steps."""

    def __init__(self, metric, patience, better, min_steps=0, every_secs=60, every_steps=None):
        super().__init__()
        self.metric = metric
        self.patience = patience
        self.better = better
        self.min_steps = min_steps
        self.every_secs = every_secs
        self.every_steps = every_steps

    def on_train_begin(self, logs=None):
        self.steps, self.time = None, time.time()

    def on_train_batch_end(self, batch, logs=None):
        self.steps = None if self.steps is None else self.steps + 1
        if self.steps is None or self.steps == self.every_steps or (
            self.every_secs and time.time() - self.time >= self.every_secs
        ):
            self.steps, self.time = 0, time.time()
            if self.has_stalled():
                self.model.stop_training = True

    def has_stalled(self):
        """Whether the best evaluation so far is too long ago."""
        best = None
        for step, found in self.model.evaluations.items():
            if step >= self.min_steps:
                if best is None or self.better(found[self.metric], best):
                    best, best_step = found[self.metric], step
                if step - best_step >= self.patience:
                    return True
        return False
'''


def made(program: Program, call: ast.Call) -> str:
    """The callback for such a hook.

    Raises:
        Blocked: its arguments aren't followed.
    """
    endpoint = program.called(call)
    given = program.walker.bound(endpoint.replace(*NOW), call)
    for name in ("estimator", "metric_name", "max_steps_without_" + KINDS[endpoint]):
        if name not in given:
            raise Blocked(call, f"an early stopping without `{name}`")
    folder = given.get("eval_dir")
    if folder is not None and not (isinstance(folder, ast.Constant) and folder.value is None):
        raise Blocked(folder, "`eval_dir` of an early stopping")
    program.need(call, "StopWithoutProgress", SOURCE.replace("(tf.", "({tf}."), ["import time"])
    sign = "lt" if KINDS[endpoint] == "decrease" else "gt"
    program.bring(call, "import operator")
    out = [
        program.source(given["metric_name"]),
        program.source(given["max_steps_without_" + KINDS[endpoint]]),
        f"operator.{sign}",
    ]
    for old, new in (
        ("min_steps", "min_steps"),
        ("run_every_secs", "every_secs"),
        ("run_every_steps", "every_steps"),
    ):
        if old in given:
            out.append(f"{new}={program.source(given[old])}")
    return f"StopWithoutProgress({', '.join(out)})"
