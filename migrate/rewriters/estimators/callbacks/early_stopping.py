"""`stop_if_no_decrease_hook` and its kin, as a callback that looks at what evaluations found.

Those with a threshold are one, too; what `make_early_stopping_hook` asks, a callback asks.

https://www.tensorflow.org/guide/migrate/early_stopping
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program

MODULES = ("contrib.estimator", "estimator.experimental")
THRESHOLDS = {
    f"tensorflow.{module}.stop_if_{kind}_hook": kind
    for module in MODULES
    for kind in ("higher", "lower")
}
OWN = "tensorflow.estimator.experimental.make_early_stopping_hook"
KINDS = {
    f"tensorflow.{module}.stop_if_no_{kind}_hook": kind
    for module in MODULES
    for kind in ("decrease", "increase")
}
KINDS |= {**THRESHOLDS, OWN: "own"}
LOOKS = frozenset({"StopWithoutProgress", "StopAtThreshold"})  # at evaluations
TIMES = (
    ("min_steps", "min_steps"),
    ("run_every_secs", "every_secs"),
    ("run_every_steps", "every_steps"),
)
NOW = ("contrib.estimator", "estimator.experimental")  # what 1.15.5 calls the older module
# What all of them are: looks now and then, by steps or seconds, whether to stop.
TIMED = '''class {name}(tf.keras.callbacks.Callback):
    """Stops training when {when}."""

    def __init__(self, {arguments}, every_secs=60, every_steps=None):
        super().__init__()
{attributes}
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
            if self.{asked}():
                self.model.stop_training = True
'''
STALLED = '''
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
CROSSED = '''
    def has_crossed(self):
        """Whether one so far has."""
        return any(
            step >= self.min_steps and self.better(found[self.metric], self.threshold)
            for step, found in self.model.evaluations.items()
        )
'''


def _timed(name: str, when: str, asked: str, *arguments: str) -> str:
    names = [argument.partition("=")[0] for argument in arguments]
    return TIMED.format(
        name=name,
        when=when,
        asked=asked,
        arguments=", ".join(arguments),
        attributes="\n".join(f"        self.{name} = {name}" for name in names),
    )


SEEN = ("better", "min_steps=0")
STOPS = {
    "StopWithoutProgress": _timed(
        "StopWithoutProgress",
        "a metric wasn't better in evaluations for so many steps",
        "has_stalled",
        *("metric", "patience", *SEEN),
    )
    + STALLED,
    "StopAtThreshold": _timed(
        "StopAtThreshold",
        "a metric of an evaluation crosses a threshold",
        "has_crossed",
        *("metric", "threshold", *SEEN),
    )
    + CROSSED,
    "StopWhen": _timed("StopWhen", "a function says so", "should_stop", "should_stop"),
}


def made(program: Program, call: ast.Call) -> str:
    """The callback for such a hook.

    Raises:
        Blocked: its arguments aren't followed.
    """
    endpoint = program.called(call)
    given = program.walker.bound(endpoint.replace(*NOW), call)
    if endpoint == OWN:
        return _own(program, call, given)
    crossed = endpoint in THRESHOLDS
    kind = KINDS[endpoint]
    most = "threshold" if crossed else "max_steps_without_" + kind
    for name in ("estimator", "metric_name", most):
        if name not in given:
            raise Blocked(call, f"an early stopping without `{name}`")
    folder = given.get("eval_dir")
    if folder is not None and not (isinstance(folder, ast.Constant) and folder.value is None):
        raise Blocked(folder, "`eval_dir` of an early stopping")
    name = "StopAtThreshold" if crossed else "StopWithoutProgress"
    program.need(call, name, STOPS[name].replace("(tf.", "({tf}."), ["import time"])
    sign = "lt" if kind in ("decrease", "lower") else "gt"
    program.bring(call, "import operator")
    out = [program.source(given["metric_name"]), program.source(given[most]), f"operator.{sign}"]
    return f"{name}({', '.join([*out, *_often(program, given, TIMES)])})"


def _own(program: Program, call: ast.Call, given: dict[str, ast.expr]) -> str:
    """The callback that asks a function of the program whether to stop."""
    if not {"estimator", "should_stop_fn"} <= given.keys():
        raise Blocked(call, "an early stopping without `should_stop_fn`")
    asked = given["should_stop_fn"]
    function = program.scopes.function(asked)
    for node in walk(asked if function is None else function):
        if program.endpoint(node):
            raise Blocked(node, "TensorFlow in what an early stopping asks")
    if function is None and not isinstance(asked, ast.Lambda):
        raise Blocked(asked, "what an early stopping asks isn't seen")
    program.need(call, "StopWhen", STOPS["StopWhen"].replace("(tf.", "({tf}."), ["import time"])
    return f"StopWhen({', '.join([program.source(asked), *_often(program, given, TIMES[1:])])})"


def _often(
    program: Program, given: dict[str, ast.expr], names: Iterable[tuple[str, str]]
) -> list[str]:
    return [f"{new}={program.source(given[old])}" for old, new in names if old in given]
