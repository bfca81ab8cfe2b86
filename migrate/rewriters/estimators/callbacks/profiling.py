"""`ProfilerHook`, as a callback that profiles a step now and then.

https://www.tensorflow.org/guide/profiler
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program

HOOKS = frozenset(
    f"tensorflow.{module}.ProfilerHook" for module in ("train", "estimator", "contrib.hooks")
)
SOURCE = '''class ProfileSteps(tf.keras.callbacks.Callback):
    """Profiles a step every so many steps or seconds, for TensorBoard."""

    def __init__(self, folder, every_steps=None, every_secs=None):
        super().__init__()
        self.folder = folder
        self.every_steps = every_steps
        self.every_secs = every_secs

    def on_train_begin(self, logs=None):
        self.steps, self.time = None, None

    def on_train_batch_begin(self, batch, logs=None):
        # The first step is no example of the others: it traces the graph.
        self.due = self.steps is not None and (
            self.steps + 1 == self.every_steps
            or (self.every_secs and time.time() - self.time >= self.every_secs)
        )
        if self.due:
            tf.profiler.experimental.start(self.folder)

    def on_train_batch_end(self, batch, logs=None):
        if self.due:
            tf.profiler.experimental.stop()
        if self.due or self.steps is None:
            self.steps, self.time = 0, time.time()
        else:
            self.steps += 1
'''


def made(program: Program, call: ast.Call, written: Callable[[ast.expr], str] | None = None) -> str:
    """The callback for such a hook; ``written``: what writes its arguments.

    Raises:
        Blocked: it says neither steps nor seconds.
    """
    say = written or program.source
    given = program.given(call)
    steps, secs = given.get("save_steps"), given.get("save_secs")
    if (steps is None) == (secs is None):
        raise Blocked(call, "a ProfilerHook with steps and seconds, or with none of them")
    source = SOURCE.replace("(tf.", "({tf}.").replace(" tf.", " {tf}.")
    program.need(call, "ProfileSteps", source, ["import time"])
    folder = say(given["output_dir"]) if "output_dir" in given else "'.'"
    every = f"every_steps={say(steps)}" if steps is not None else ""
    every = every or f"every_secs={say(secs)}"  # type: ignore[arg-type]
    program.say(call, "profiles are TensorBoard's, in a folder of each; TF 1 wrote timelines")
    return f"ProfileSteps({folder}, {every})"
