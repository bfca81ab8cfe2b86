"""Metrics of `tf.metrics` as objects of Keras's, or of classes that the file gets.

https://www.tensorflow.org/guide/migrate/metrics_optimizers
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.programs.graph.layering import whole
from migrate.programs.graph.layering.metrics import Metric
from migrate.rewriters.metric_classes import SESSIONS, SPREAD


def made(
    metric: Metric, source: Callable[[ast.expr], str], tf: str, need: Callable[[str, str], None]
) -> str:
    """The object."""
    own = SESSIONS.get(metric.made)
    if own is not None:
        need(metric.made, own)
    said = [s if isinstance(s, str) else f"{s[0]}={source(s[1])}" for s in metric.settings]
    module = "" if own is not None else f"{tf}.keras.metrics."
    return f"{module}{metric.made}({', '.join(said)})"


def taken(
    metric: Metric, source: Callable[[ast.expr], str], tf: str, need: Callable[[str, str], None]
) -> str:
    """What takes a batch in."""
    parts = {k: " ".join(source(v).split()) for k, v in metric.parts.items()}
    like = parts.get("predictions", parts.get("values", ""))
    if metric.cast:
        labels = metric.parts["labels"], parts["labels"]
        parts["predictions"] = whole.written(metric.cast, tf, labels, parts["predictions"])
    if metric.kind.taken:
        parts = {k: _operand(p, metric.parts[k]) for k, p in parts.items()}
        if metric.kind.flat:
            parts = {k: f"{tf}.reshape({p}, [-1])" for k, p in parts.items()}
        given = [metric.kind.taken.format(tf=tf, **parts)]
    else:
        given = list(parts.values())
    if metric.shape and not (metric.kind.taken and metric.kind.flat):
        given = [f"{tf}.reshape({part}, {metric.shape})" for part in given]
    if metric.weights is not None:
        need("spread", SPREAD)
        given.append(f"sample_weight=spread({source(metric.weights)}, {like})")
    return metric.kind.update.format(metric.name, ", ".join(given))


def _operand(text: str, node: ast.expr) -> str:
    """An operand: in parentheses where it is an operation itself."""
    plain = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)
    return text if isinstance(node, plain) else f"({text})"
