"""Areas under curves: `tf.metrics.auc` with a `curve` and a `summation_method`.

    tf.metrics.auc(labels, scores, curve='PR',          tf.keras.metrics.AUC(curve='PR')
                   summation_method='careful_interpolation')

TF 1.15.5 adds up trapezoids where nothing else is said; Keras doesn't know these for precision and
recall.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/ops/metrics_impl.py
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.metric_classes import AREA

NAME = "PrecisionRecallArea"
CURVES, SUMS = ("ROC", "PR"), ("minoring", "majoring")


def taken(program: Program, call: ast.Call, given: dict[str, ast.expr]) -> tuple[str, list[str]]:
    """Keras's class for an area and its settings; they are no longer in ``given``.

    Raises:
        Blocked: they aren't seen.
    """
    said = []
    for name in ("curve", "summation_method"):
        node = given.pop(name, None)
        value = program.scopes.value(node) if node is not None else None
        if value is not None and not isinstance(value, ast.Constant):
            raise Blocked(value, f"`{name}` of tf.metrics.auc")
        said.append(value.value if value is not None else "")
    curve, summed = said[0] or "ROC", said[1] or "trapezoidal"
    if curve not in CURVES or summed not in (*SUMS, "trapezoidal", "careful_interpolation"):
        raise Blocked(call, "a curve of tf.metrics.auc")
    if curve == "PR" and summed == "trapezoidal":
        program.need(call, NAME, AREA)
        return NAME, []
    settings = ['curve="PR"'] if curve == "PR" else []
    return "AUC", settings + ([f'summation_method="{summed}"'] if summed in SUMS else [])
