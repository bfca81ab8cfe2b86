"""contrib.learn's ValidationMonitor: a callback that evaluates new checkpoints, and may stop.

    monitors.ValidationMonitor(               ValidateCheckpoints(
        test.data, test.target,                   batches(test.data, test.target),
        every_n_steps=50,                         every_steps=50,
        early_stopping_rounds=200)                patience=200)

Where the latest checkpoint is older than the model, that one is evaluated, as in TF 1, and the
model goes on from where it was.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/learn/python/learn/monitors.py
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.callbacks import hooks
from migrate.rewriters.estimators.runs import nones, strategies
from migrate.rewriters.pruning import pruned

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Estimator, Program

LEARN = "tensorflow.contrib.learn."
MONITOR: str = f"{LEARN}monitors.ValidationMonitor"
MADE = "tensorflow.estimator.EstimatorSpec"
SPEC = f"{LEARN}MetricSpec"
SOURCE = '''class ValidateCheckpoints(tf.keras.callbacks.Callback):
    """Evaluates the latest checkpoint every so many steps, if there is a new one."""

    def __init__(
        self,
        dataset,
        every_steps=100,
        every_secs=5,
        name=None,
        metrics=None,  #measured
        patience=None,  #stops
        metric="loss",  #stops
        better=operator.lt,  #stops
    ):
        super().__init__()
        self.dataset, self.name = dataset, name
        self.every_steps, self.every_secs = every_steps, every_secs
        self.metrics = metrics  #measured
        self.patience, self.metric, self.better = patience, metric, better  #stops
        self.best = None  #stops
        self.step, self.time, self.checkpoint = 0, None, None  # of the last look

    def on_train_batch_end(self, batch, logs=None):
        step, now = int(self.model.optimizer.iterations), time.time()
        if step - self.step < self.every_steps:
            return
        self.step = step
        if self.every_secs is not None and self.time is not None:
            if now - self.time <= self.every_secs:
                return
        self.time = now
        latest = tf.train.latest_checkpoint(self.model.folder)
        if latest == self.checkpoint:
            return
        self.checkpoint = latest
        found = self.evaluate()  #stops
        if self.best is None or self.better(found[self.metric], self.best):  #stops
            self.best, self.best_step = found[self.metric], step  #stops
        if step - self.best_step >= self.patience:  #stops
            self.model.stop_training = True  #stops
        self.evaluate()  #-stops

    def evaluate(self):
        """Evaluate the checkpoint; the model goes on from where it is."""
        checkpoint = self.model.manager.checkpoint
        values = [tf.identity(variable) for variable in checkpoint.variables]
        checkpoint.restore(self.checkpoint)
        found = self.model.evaluate(self.dataset, self.name, verbose=0)
        self.measure()  #measured
        for variable, value in zip(checkpoint.variables, values):
            variable.assign(value)
        return found
  #measured
    def measure(self):  #measured
        """Write what other metrics of the classes come to."""  #measured
        for metric in self.metrics.values():  #measured
            metric.reset_state()  #measured
        for features, labels in self.dataset:  #measured
            classes = self.model.predict_on_batch(features)  #measured
            for metric in self.metrics.values():  #measured
                pair = tf.cast(labels, tf.bool), tf.cast(classes, tf.bool)  #measured
                metric.update_state(*pair)  #measured
        step = int(self.model.optimizer.iterations)  #measured
        end = f"eval_{self.name}" if self.name else "eval"  #measured
        writer = self.model.eval_writers[f"{self.model.folder}/{end}"]  #measured
        with writer.as_default(), tf.summary.record_if(True):  #measured
            for tag, metric in self.metrics.items():  #measured
                summary = tf.raw_ops.ScalarSummary(tags=tag, values=metric.result())  #measured
                tf.summary.experimental.write_raw_pb(summary, step=step)  #measured
'''
# Metrics that are told apart by whether labels and classes are 0, and their Keras class.
BOOLEAN = {
    f"tensorflow.{module}{name}": name.capitalize()
    for module in ("metrics.", "contrib.metrics.streaming_")
    for name in ("precision", "recall")
}
ACCURACY = ("tensorflow.metrics.accuracy", "tensorflow.contrib.metrics.streaming_accuracy")
STOPS = {
    "early_stopping_rounds": "patience",
    "early_stopping_metric": "metric",
    "early_stopping_metric_minimize": "better",
}


def made(program: Program, node: ast.expr, call: ast.Call, made: Estimator) -> str:
    """The callback for such a monitor.

    Raises:
        Blocked: a part of it isn't followed.
    """
    from migrate.rewriters.estimators.contrib_learn import learn

    if made.folder is None or not made.learns or strategies.kind(program):
        raise Blocked(call, "a ValidationMonitor of a model without a `model_dir`")
    if "eval" not in made.modes:
        raise Blocked(call, "a ValidationMonitor of a model_fn that can't evaluate")
    if isinstance(node, ast.Name):
        found = program.scopes.lookup(node)
        uses = program.scopes.uses(found, node.id) if found is not None else [node]
        for use in uses:
            if not isinstance(program.scopes.parents[id(use)], (ast.List, ast.Tuple)):
                raise Blocked(use, "a ValidationMonitor that is asked for what it found")
    given = {k: v for k, v in program.given(call).items() if not _none(v)}
    data = learn.data(program, call, made, given, "evaluate", wrapped=False)
    if (steps := given.pop("eval_steps", None)) is not None:
        data += strategies.taken(made, made.model, nones.count(program, steps))
    out = [data]
    if (every := given.pop("every_n_steps", None)) is not None:
        out.append(f"every_steps={program.source(every)}")
    given.pop("check_interval_secs", None)
    secs = [k.value for k in call.keywords if k.arg == "check_interval_secs"]
    out += [f"every_secs={program.source(each)}" for each in secs]  # None: at once
    if (name := given.pop("name", None)) is not None:
        out.append(f"name={program.source(name)}")
    features = {"stops"} if "early_stopping_rounds" in given else set()
    other = _metrics(program, given.pop("metrics", None), made)
    if other:
        features.add("measured")
        out.append(f"metrics={{{', '.join(other)}}}")
    for old, new in STOPS.items():
        said = given.pop(old, None)
        if said is None or "stops" not in features:
            continue
        source = program.source(said)
        if new == "better":
            if not isinstance(said, ast.Constant):
                raise Blocked(said, "whether a ValidationMonitor's metric should fall isn't seen")
            if said.value:
                continue
            source = "operator.gt"
        if new == "metric":
            value = program.scopes.value(said)
            if not isinstance(value, ast.Constant) or value.value not in ("loss", "accuracy"):
                raise Blocked(said, "a metric that a ValidationMonitor stops by")
            if value.value == "loss":
                continue
        out.append(f"{new}={source}")
    for each, node in given.items():
        raise Blocked(node, f"`{each}` of a ValidationMonitor")
    seen = program.kept.setdefault("validation", features)
    if seen != features:
        raise Blocked(call, "several ValidationMonitors, not all of which stop or measure")
    imports = ["import time", *(["import operator"] if "stops" in features else [])]
    program.need(call, "ValidateCheckpoints", pruned(SOURCE, features), imports)
    first = min([*call.args, *(k.value for k in call.keywords)], key=lambda n: n.lineno)
    line = program.text.lines[first.lineno - 1]
    if first.lineno > call.lineno:
        between = "\n" + line[: len(line) - len(line.lstrip())]  # one a line, as it was
        return f"ValidateCheckpoints({between}{f',{between}'.join(out)})"
    return f"ValidateCheckpoints({', '.join(out)})"


def _metrics(program: Program, node: ast.expr | None, made: Estimator) -> list[str]:
    """The metrics that a model's own evaluation lacks, by their names, as Keras's.

    Raises:
        Blocked: one isn't of the classes that the model predicts.
    """
    if node is None:
        return []
    own = made.home if made.home is not None else node
    specs = [program.given(c) for c in all_of(own, ast.Call) if program.called(c) == MADE]
    predicted = {ast.unparse(given["predictions"]) for given in specs if "predictions" in given}
    measured = [program.scopes.value(g["eval_metric_ops"]) for g in specs if "eval_metric_ops" in g]
    names = {ast.unparse(k) for m in measured if isinstance(m, ast.Dict) for k in m.keys if k}
    if predicted != {"classes"} or "'accuracy'" not in names:
        raise Blocked(node, "`metrics` of a ValidationMonitor of what isn't a canned classifier")
    asked = program.scopes.value(node)
    if not isinstance(asked, ast.Dict):
        raise Blocked(asked, "`metrics` of a ValidationMonitor that aren't seen")
    out = []
    for key, value in zip(asked.keys, asked.values, strict=True):
        given = program.given(value) if isinstance(value, ast.Call) else {}
        chosen = given.get("prediction_key")
        classes = isinstance(chosen, ast.Constant) and chosen.value == "classes"
        classes = classes or (
            chosen is not None and program.endpoint(chosen) == f"{LEARN}PredictionKey.CLASSES"
        )
        if program.called(value) != SPEC or set(given) != {"metric_fn", "prediction_key"}:
            raise Blocked(value, "`metrics` of a ValidationMonitor that aren't seen")
        what = program.endpoint(given["metric_fn"])
        named = key.value if isinstance(key, ast.Constant) else None
        if not classes or not isinstance(named, str):
            raise Blocked(value, "`metrics` of a ValidationMonitor that aren't of classes")
        if what in ACCURACY and named == "accuracy":
            continue  # a classifier's own
        if what not in BOOLEAN:
            raise Blocked(value, "`metrics` of a ValidationMonitor that aren't of classes")
        assert key is not None
        out.append(f"{program.source(key)}: {program.tf}.keras.metrics.{BOOLEAN[what]}()")
    if asked is not node:
        hooks.gone(program, node)
    return out


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
