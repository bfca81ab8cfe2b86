"""`eval_metric_ops` as Keras metrics that give the same numbers over a whole evaluation.

https://www.tensorflow.org/guide/migrate/metrics_optimizers
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program

T = "tensorflow.metrics."
# TF 1's metric: Keras's, and what it takes in from TF 1's labels and predictions. What Keras
# averages over the last axis first is a `Mean` of what `tf` gives for each element.
KNOWN = {
    "accuracy": ("Accuracy", "{labels}, {predictions}"),
    "precision": ("Precision", "{labels}, {predictions}"),
    "recall": ("Recall", "{labels}, {predictions}"),
    "auc": ("AUC", "{labels}, {predictions}"),
    "true_positives": ("TruePositives", "{labels}, {predictions}"),
    "true_negatives": ("TrueNegatives", "{labels}, {predictions}"),
    "false_positives": ("FalsePositives", "{labels}, {predictions}"),
    "false_negatives": ("FalseNegatives", "{labels}, {predictions}"),
    "root_mean_squared_error": ("RootMeanSquaredError", "{labels}, {predictions}"),
    "mean": ("Mean", "{values}"),
    "mean_absolute_error": ("Mean", "{tf}.abs({predictions} - {labels})"),
    "mean_squared_error": ("Mean", "{tf}.math.squared_difference({predictions}, {labels})"),
    "mean_iou": ("MeanIoU", "{labels}, {predictions}"),
}
SETTINGS = {"mean_iou": ("num_classes",)}
WEIGHED = ("Accuracy", "Mean")  # those that weigh each element as TF 1 does
PARTS = ("labels", "predictions", "values")


@dataclass(slots=True, eq=False, repr=False)
class Metric:
    """A metric of an evaluation."""

    key: ast.expr  # of `eval_metric_ops`
    call: ast.Call
    kind: str  # Keras's class
    name: str  # the attribute that holds it
    parts: dict[str, ast.expr]
    settings: str
    update: str

    def made(self, program: Program) -> str:
        """Its source, in `__init__`."""
        return f"{program.tf}.keras.metrics.{self.kind}({self.settings})"

    def updated(self, program: Program, source: Callable[[ast.AST], str]) -> str:
        """What takes a batch in."""
        parts = {k: " ".join(source(v).split()) for k, v in self.parts.items()}
        given = self.update.format(tf=program.tf, **parts)
        if "weights" in parts:
            weights = f"{program.tf}.cast({parts['weights']}, {program.tf}.float32)"
            given += f", sample_weight={weights}"
        return f"self.{self.name}.update_state({given})"


def read(program: Program, key: ast.expr, call: ast.Call, name: Callable[..., str]) -> Metric:
    """A metric, from the call that TF 1 made it with.

    Raises:
        Blocked: Keras has none with the same numbers, or it isn't one of TensorFlow's.
    """
    endpoint = program.called(call)
    kind = endpoint.removeprefix(T)
    if not endpoint.startswith(T) or kind not in KNOWN:
        what = endpoint.replace("tensorflow", "tf") or "this"
        raise Blocked(call, f"no Keras metric for {what} yet")
    given = program.given(call)
    keras, update = KNOWN[kind]
    settings = SETTINGS.get(kind, ())
    for argument, node in given.items():
        weighs = argument == "weights" and keras in WEIGHED
        if argument not in (*PARTS, *settings, "name") and not weighs:
            raise Blocked(node, f"`{argument}` of tf.metrics.{kind}")
    wish = str(key.value) if isinstance(key, ast.Constant) else ""
    wishes = [w for w in (wish, f"{wish}_metric") if w.isidentifier()]
    parts = {k: v for k, v in given.items() if k in (*PARTS, "weights")}
    said = ", ".join(f"{k}={program.source(given[k])}" for k in settings)
    return Metric(key, call, keras, name(*wishes, f"{kind}_metric"), parts, said, update)
