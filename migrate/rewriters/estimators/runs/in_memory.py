"""`InMemoryEvaluatorHook`, as a callback that evaluates the model as it is, without a checkpoint.

https://www.tensorflow.org/guide/migrate/evaluator
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.callbacks import hooks
from migrate.rewriters.estimators.data import inputs
from migrate.rewriters.estimators.runs import strategies

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Estimator, Program

NEW = "tensorflow.estimator.experimental.InMemoryEvaluatorHook"
HOOKS = {
    f"tensorflow.{module}.InMemoryEvaluatorHook": NEW
    for module in ("contrib.estimator", "estimator.experimental")
}
SOURCE = '''class EvaluateInMemory(tf.keras.callbacks.Callback):
    """Evaluates a model before and after it trains, and every so many steps."""

    def __init__(self, dataset, every_steps=100, **kwargs):
        super().__init__()
        self.dataset = dataset
        self.every_steps = every_steps
        self.kwargs = kwargs

    def on_train_begin(self, logs=None):
        self.steps = 0
        self.evaluate()

    def on_train_batch_end(self, batch, logs=None):
        self.steps += 1
        if self.steps % self.every_steps == 0:
            self.evaluate()

    def on_train_end(self, logs=None):
        self.evaluate()

    def evaluate(self):
        """Evaluate the model as it is now."""
        self.model.evaluate(self.dataset, verbose=0, **self.kwargs)
'''


def made(program: Program, call: ast.Call, made: Estimator) -> str:
    """The callback for such a hook.

    Raises:
        Blocked: it evaluates another Estimator, or an argument isn't followed.
    """
    given = program.given(call, HOOKS[program.called(call)])
    other = given.pop("estimator", None)
    if other is None or "input_fn" not in given:
        raise Blocked(call, "an InMemoryEvaluatorHook without an Estimator or an input_fn")
    if program.scopes.value(other) is not made.call and program.source(other) != made.model:
        raise Blocked(other, "an InMemoryEvaluatorHook of another Estimator")
    if strategies.kind(program):
        raise Blocked(call, "an InMemoryEvaluatorHook under a strategy")
    if "eval" not in made.modes:
        raise Blocked(call, "an InMemoryEvaluatorHook of a model_fn that can't evaluate")
    model = program.kept.get(("model", id(made.home)))
    if "eval" in getattr(model, "callbacks", {}):
        # TF 1 makes them once for all evaluations of a training.
        raise Blocked(call, "an InMemoryEvaluatorHook beside evaluation hooks of a spec")
    data = inputs.dataset(program, given.pop("input_fn"), made, "eval")
    steps, every = given.pop("steps", None), given.pop("every_n_iter", None)
    if steps is not None:
        data += strategies.taken(made, made.model, program.source(steps))
    out = [data]
    if every is not None:
        out.append(f"every_steps={program.source(every)}")
    name = given.pop("name", None)
    if name is not None and made.folder is not None:
        out.append(f"name={program.source(name)}")
    watching = hooks.beside(program, given, made, "test")
    if watching:
        out.append(f"callbacks={hooks.written(watching)}")
    for each, node in given.items():
        raise Blocked(node, f"`{each}` of an InMemoryEvaluatorHook")
    program.need(call, "EvaluateInMemory", SOURCE.replace("(tf.", "({tf}."))
    return f"EvaluateInMemory({', '.join(out)})"
