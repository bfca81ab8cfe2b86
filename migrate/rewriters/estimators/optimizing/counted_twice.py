"""A train op that counts each step twice, as contrib.learn's combined models do.

    m.fit(input_fn=rows, steps=200)            m.fit(rows().repeat().take(101), verbose=0)

Each of two optimizers counts the step, and training stops where a step begins at the last one:
1.15.5 mostly takes 101 batches for 200 steps (where a thread is slow 100), and ends with step 202.
https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/learn/python/learn/estimators/dnn_linear_combined.py
"""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.methods import Methods
    from migrate.rewriters.estimators.program import Estimator, Program

MARK = "counts_twice"
ATTRIBUTE = f"{MARK} = True  # as TF 1 counted a step of each optimizer\n\n"
COUNTED = "self.optimizer.iterations.assign_add(1)  # each optimizer counts the step\n"
# Those that don't ask which step it is.
STEPLESS = frozenset(
    f"{name}Optimizer" for name in ("GradientDescent", "Adagrad", "Ftrl", "RMSProp", "Momentum")
)
TAKEN = f'''def batches_of(model, steps):
    """How many batches a model takes for so many steps, of which some count two for each."""
    return steps // 2 + 1 if getattr(model, "{MARK}", False) else steps
'''


def possible(model: Methods) -> None:
    """See whether a step may be counted twice.

    Raises:
        Blocked: an optimizer would see it, or several ways to train.
    """
    update, called = model.update, model.program.called
    assert update is not None
    if not update.others or model.replicated:
        raise Blocked(update.call, "a train op that counts each step twice")
    for each in update.every:
        made = model.resolved(each.optimizer, model.bodies["train"])
        given = (
            [*made.args, *(k.value for k in made.keywords)] if isinstance(made, ast.Call) else []
        )
        known = called(made).rpartition(".")[2] in STEPLESS
        decays = any(called(n).startswith("tensorflow.") for g in given for n in walk(g))
        if not known or each.rate is not None or decays:
            raise Blocked(update.call, "a train op that counts each step twice")


def of(program: Program, made: Estimator) -> bool:
    """Whether a model counts each step twice."""
    return bool(getattr(program.kept.get(("model", id(made.home))), "twice", False))


def batches(program: Program, call: ast.Call, made: Estimator, model: str, node: ast.expr) -> str:
    """How many batches are taken for some steps; nothing where no model counts twice.

    Raises:
        Blocked: a step may be `None`.
    """
    every = list(program.estimators.values())
    if not any(of(program, each) for each in every):
        return ""
    source = program.source(node)
    if all(of(program, each) for each in every):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return str(node.value // 2 + 1)
        plain = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
        return f"{source if plain else f'({source})'} // 2 + 1"
    program.need(call, "batches_of", TAKEN)
    return f"batches_of({model}, {source})"


def whole(program: Program, made: Estimator, node: ast.expr) -> None:
    """See whether training up to a step is of a model that counts it once.

    Raises:
        Blocked: it counts twice.
    """
    if of(program, made):
        raise Blocked(node, "`max_steps` of a model that counts each step twice: say `steps`")


def seldom(program: Program, config: ast.expr | None) -> None:
    """See whether a RunConfig saves by the clock, or by steps that looks at the model come to.

    Raises:
        Blocked: it may save where nobody looks.
    """
    value = program.scopes.value(config) if config is not None else None
    if value is None:
        return
    by_steps = {None, "save_checkpoints_steps", "save_summary_steps"}
    hidden = not isinstance(value, ast.Call) or bool(value.args)
    words = value.keywords if isinstance(value, ast.Call) else []
    said = [program.scopes.value(k.value) if k.arg else None for k in words if k.arg in by_steps]
    if hidden or not all(map(_looked_at, said)):
        raise Blocked(value, "a RunConfig of a model that counts each step twice, by steps")


def _looked_at(steps: ast.expr | None) -> bool:
    """Whether two steps for each batch come to just so many, of as many batches as run at once."""
    if not isinstance(steps, ast.Constant) or steps.value is None:
        return isinstance(steps, ast.Constant)
    number = steps.value
    return isinstance(number, int) and number > 0 and number % (2 * math.gcd(50, number)) == 0
