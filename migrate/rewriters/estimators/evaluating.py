"""`tf.estimator.train_and_evaluate`: training up to a step, with an evaluation at its end.

https://www.tensorflow.org/guide/migrate/evaluator
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators import exports, hooks, inputs

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Estimator, Program

E = "tensorflow.estimator."
BOTH = E + "train_and_evaluate"
SOURCE = '''class EvaluateCheckpoints(tf.keras.callbacks.Callback):
    """Evaluates a model that trains at new checkpoints, as long as it was not done just before."""

    def __init__(self, dataset, throttle_secs):
        super().__init__()
        self.dataset = dataset
        self.throttle_secs = throttle_secs

    def on_train_begin(self, logs=None):
        self.seen = self.model.restored
        self.last = None

    def on_train_batch_end(self, batch, logs=None):
        if self.model.restored == self.seen:
            return
        self.seen = self.model.restored
        if self.last is None or time.time() - self.last >= self.throttle_secs:
            self.last = time.time()
            self.model.evaluate(self.dataset, verbose=0)
'''
# What of it an early stopping looks at.
KEPT = {
    """        self.last = None
""": """        self.last = None
        self.model.evaluations = {}
""",
    """            self.model.evaluate(self.dataset, verbose=0)
""": """            found = self.model.evaluate(self.dataset, return_dict=True, verbose=0)
            self.model.evaluations[int(self.model.optimizer.iterations)] = found
""",
}


def both(program: Program, call: ast.Call, made: Estimator, model: str) -> str:
    """What trains and evaluates a model.

    Raises:
        Blocked: a part of it can't be followed.
    """
    given = program.given(call, BOTH)
    train = _spec(program, given.get("train_spec"), call, "TrainSpec")
    test = _spec(program, given.get("eval_spec"), call, "EvalSpec")
    above = program.scopes.parents[id(call)]
    if not isinstance(above, ast.Expr):
        raise Blocked(call, "what train_and_evaluate() gives is used")
    if not made.modes >= {"train", "eval"}:
        raise Blocked(call, "train_and_evaluate() of a model_fn that lacks what it needs")
    data = inputs.dataset(program, train.pop("input_fn"), made)
    tests = inputs.dataset(program, test.pop("input_fn"), made, "eval")
    most = train.pop("max_steps", None)
    stops = made.folder is not None and "name" not in test
    given_hooks = train.pop("hooks", None)
    callbacks = (
        [] if given_hooks is None else hooks.callbacks(program, given_hooks, evaluated=stops)
    )
    looked = any("StopWithoutProgress" in page.needed for page in program.pages)
    steps = program.source(test.pop("steps")) if "steps" in test else "100"
    if steps != "None":
        tests = f"{tests}.take({steps})"
    throttle = program.source(test.pop("throttle_secs")) if "throttle_secs" in test else "600"
    final = _exporter(program, test.pop("exporters")) if "exporters" in test else None
    for name in ("start_delay_secs", "name"):
        test.pop(name, None)  # of other processes, and of a folder of summaries
    for name, node in (*train.items(), *test.items()):
        raise Blocked(node, f"`{name}` of train_and_evaluate() isn't followed yet")
    if made.folder is not None:
        source = SOURCE.replace("(tf.", "({tf}.")
        if looked:
            for old, new in KEPT.items():
                assert old in source
                source = source.replace(old, new)
        program.need(made.home or call, "EvaluateCheckpoints", source, ["import time"])
        callbacks.insert(0, f"EvaluateCheckpoints({tests}, throttle_secs={throttle})")
    listed = f", callbacks=[{', '.join(callbacks)}]" if callbacks else ""
    if most is not None and made.folder is None:
        data = f"{data}.take({program.source(most)})"
    elif most is not None:
        data = f"{data}, max_steps={program.source(most)}"
    line = program.text.lines[call.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    out = (
        f"{model}.fit({data}{listed}, verbose={program.verbose})\n"
        f"{indent}{model}.evaluate({tests}, verbose=0)"
    )
    if final is None:
        return out
    name, receiver = final
    if made.folder is None:
        raise Blocked(call, "an exporter of a model without a `model_dir`")
    folder = f"os.path.join({model}.folder, 'export', {name})"
    return f"{out}\n{indent}{exports.written(program, call, made, model, folder, receiver)}"


def _exporter(program: Program, node: ast.expr) -> tuple[str, ast.expr]:
    """The name of a FinalExporter, and what its model is served with.

    Raises:
        Blocked: it is another one, or one of several.
    """
    value = program.scopes.value(node)
    if value is not node:
        hooks.gone(program, node)
    if isinstance(value, (ast.List, ast.Tuple)) and len(value.elts) == 1:
        node = value.elts[0]
        value = program.scopes.value(node)
        if value is not node:
            hooks.gone(program, node)
    if program.called(value) != exports.FINAL or not isinstance(value, ast.Call):
        raise Blocked(node, "exporters other than one FinalExporter aren't followed yet")
    given = program.given(value)
    name, receiver = given.pop("name", None), given.pop("serving_input_receiver_fn", None)
    given = {k: v for k, v in given.items() if not isinstance(v, ast.Constant) or v.value}
    if name is None or receiver is None or given:
        raise Blocked(value, "these arguments of a FinalExporter")
    return program.source(name), receiver


def _spec(
    program: Program, node: ast.expr | None, call: ast.Call, name: str
) -> dict[str, ast.expr]:
    """The fields of a TrainSpec or an EvalSpec; the statement that makes it goes."""
    if node is None:
        raise Blocked(call, f"a {name} that isn't seen")
    value = program.scopes.value(node)
    if program.called(value) != E + name or not isinstance(value, ast.Call):
        raise Blocked(node, f"a {name} that isn't seen")
    if value is not node:
        hooks.gone(program, node)
    given = program.walker.bound(E + name, value)
    if "input_fn" not in given:
        raise Blocked(value, "an input_fn that isn't seen")
    return {
        k: v
        for k, v in given.items()
        if (not isinstance(v, ast.Constant) or v.value is not None or k == "steps")
        and not (isinstance(v, (ast.List, ast.Tuple)) and not v.elts)
    }
