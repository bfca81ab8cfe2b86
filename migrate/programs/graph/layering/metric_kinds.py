"""Which metrics of `tf.metrics` and its twins are known, and what each of them takes in.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/python/ops/metrics_impl.py
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked

Setting = str | tuple[str, ast.expr]  # its source, or a name and what it is given
BOTH = ("labels", "predictions")


@dataclass(frozen=True, slots=True)
class Kind:
    """A metric: the class, what it takes in of a run, and what it is told when it is made."""

    made: str
    parts: tuple[str, ...] = BOTH
    taken: str = ""  # nothing: the parts themselves
    settings: tuple[str, ...] = ()
    flat: bool = False  # whether each part is a row of numbers, whatever its shape is
    weighed: bool = True
    value: str = "{}.result()"
    update: str = "{}({})"


KNOWN = {
    "accuracy": Kind("Accuracy"),
    "mean": Kind("Mean", ("values",)),
    "precision": Kind("Precision"),
    "recall": Kind("Recall"),
    "auc": Kind("AUC", settings=("num_thresholds",)),
    "mean_absolute_error": Kind("MeanAbsoluteError"),
    "mean_squared_error": Kind("MeanSquaredError"),
    "root_mean_squared_error": Kind("RootMeanSquaredError"),
    **{
        f"{said}_{what}s": Kind(f"{said.title()}{what.title()}s")
        for said in ("true", "false")
        for what in ("positive", "negative")
    },
    **{
        f"{said}_{what}s_at_thresholds": Kind(
            f"{said.title()}{what.title()}s", settings=("thresholds",), flat=True
        )
        for said in ("true", "false")
        for what in ("positive", "negative")
    },
    "precision_at_thresholds": Kind("Precision", settings=("thresholds",), flat=True),
    "recall_at_thresholds": Kind("Recall", settings=("thresholds",), flat=True),
    "sensitivity_at_specificity": Kind(
        "SensitivityAtSpecificity", settings=("specificity", "num_thresholds"), flat=True
    ),
    # Their updates give what they have counted.
    "mean_iou": Kind("MeanIoU", settings=("num_classes",), update="{}.counted({})"),
    "mean_per_class_accuracy": Kind(
        "MeanPerClassAccuracy", settings=("num_classes",), weighed=False, update="{}.counted({})"
    ),
    "precision_at_k": Kind("PrecisionAtK", settings=("k",), weighed=False),
    "recall_at_k": Kind("RecallAtK", settings=("k",), weighed=False),
    "percentage_below": Kind(
        "Mean", ("values", "threshold"), "{tf}.cast({values} < {threshold}, {tf}.float32)"
    ),
    "mean_relative_error": Kind(
        "Mean",
        (*BOTH, "normalizer"),
        "{tf}.math.divide_no_nan({tf}.abs({labels} - {predictions}), {normalizer})",
        flat=True,
    ),
    "mean_cosine_distance": Kind(
        "Mean",
        (*BOTH, "dim"),
        "{tf}.reduce_sum({predictions} * {tf}.reshape({labels}, {tf}.shape({predictions})), {dim})",
        weighed=False,
        value="1 - {}.result()",
        update="1 - {}({})",
    ),
}
# By other names in `contrib.metrics`, which call them with their arguments the other way round.
TWINS = {
    "percentage_less": "percentage_below",
    "sparse_precision_at_k": "precision_at_k",
    "sparse_recall_at_k": "recall_at_k",
}
CONTRIB = T + "contrib.metrics.streaming_"
# What `recall_at_k` of contrib was: whether the one label is among the best.
IN_TOP_K = Kind("Mean", (*BOTH, "k"), "{tf}.math.in_top_k({labels}, {predictions}, {k})")
ENDPOINTS = {
    **{T + "metrics." + name: kind for name, kind in KNOWN.items()},
    **{CONTRIB + name: kind for name, kind in KNOWN.items() if not name.endswith("at_k")},
    **{CONTRIB + name: KNOWN[kind] for name, kind in TWINS.items()},
    CONTRIB + "recall_at_k": IN_TOP_K,
}
# With weights: Keras takes the mean of each row first.
WEIGHED = {
    "mean_absolute_error": Kind("Mean", taken="{tf}.abs({predictions} - {labels})", flat=True),
    "mean_squared_error": Kind(
        "Mean", taken="{tf}.math.squared_difference({predictions}, {labels})", flat=True
    ),
}
CURVES, SUMS = ("ROC", "PR"), ("minoring", "majoring")
AREA = "PrecisionRecallArea"


def area(node: ast.Call, given: dict[str, ast.expr]) -> tuple[str, list[Setting]]:
    """The class of an area under a curve, and its settings; they are no longer in ``given``.

    Raises:
        Blocked: they aren't seen.
    """
    said = []
    for name in ("curve", "summation_method"):
        value = given.pop(name, None)
        if value is not None and not isinstance(value, ast.Constant):
            raise Blocked(value, f"`{name}` of a metric that isn't seen")
        said.append(value.value if value is not None else "")
    curve, summed = said[0] or "ROC", said[1] or "trapezoidal"
    if curve not in CURVES or summed not in (*SUMS, "trapezoidal", "careful_interpolation"):
        raise Blocked(node, "a curve of tf.metrics.auc")
    if curve == "PR" and summed == "trapezoidal":
        return AREA, []
    settings: list[Setting] = ['curve="PR"'] if curve == "PR" else []
    return "AUC", settings + ([f'summation_method="{summed}"'] if summed in SUMS else [])


def check(node: ast.Call, settings: Iterable[Setting]) -> None:
    """See that a metric's settings are told, as far as Keras looks at them.

    Raises:
        Blocked: they aren't.
    """
    for name, listed in (s for s in settings if not isinstance(s, str)):
        # Of one threshold Keras gives a number, TF 1 a row.
        seen = isinstance(listed, (ast.List, ast.Tuple)) and len(listed.elts) > 1
        if name == "thresholds" and not seen:
            raise Blocked(listed, "thresholds that aren't seen, or a single one")
