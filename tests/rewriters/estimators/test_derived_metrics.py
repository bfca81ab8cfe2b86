"""`--to keras`: metrics that a model_fn computes of others, and areas under curves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "derived_metrics" / "before.py"
).read_text(encoding="utf-8")  # fmt: skip
F1 = "        'f1': (f1, tf.identity(f1)),\n"


def test_what_is_computed_of_metrics_is_computed_of_their_results() -> None:
    new = after(PROGRAM)
    assert "score = (1 + weight) * right * found / (weight * right + found + 1e-7)" in new
    assert "right = self.right.result()\n" in new
    assert "'specificity': negatives / (negatives + wrong)," in new
    assert "'right'" not in new  # nobody asks for it by itself


def test_a_value_may_have_a_name_with_its_update() -> None:
    named = PROGRAM.replace(
        "    metrics = {\n", "    both = (f1, tf.group(precision[1]))\n    metrics = {\n"
    )
    assert "'f1': f1,\n" in after(named.replace("(f1, tf.identity(f1))", "both"))


def test_areas_are_those_of_tf_1() -> None:
    new = after(PROGRAM)
    assert 'self.interpolated = tf.keras.metrics.AUC(curve="PR")' in new
    assert "self.trapezoids = PrecisionRecallArea(num_thresholds=30)" in new
    assert 'self.below = tf.keras.metrics.AUC(summation_method="minoring")' in new


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("(f1, tf.identity(f1))", "(f1 * tf.to_float(labels[0]), f1)", "more than other metrics"),
        ("(f1, tf.identity(f1))", "(precision[1], tf.identity(f1))", "a metric that isn't seen"),
        ("(f1, tf.identity(f1))", "(f1, f1, f1)", "a metric that isn't seen"),
        ("        'precision': precision,\n", "", "a metric that nothing updates"),
        ("negatives_op / (negatives_op + wrong_op)", "wrong_op", "a metric that nothing updates"),
        ("curve='PR')", "curve=str(1))", "`curve` of tf.metrics.auc"),
        ("    f1 = 2", "    f1 = 1.\n    for _ in range(2):\n        f1 = 2", "that isn't seen"),
    ],
)  # fmt: skip
def test_what_keeps_them_is_named(old: str, new: str, reason: str) -> None:
    assert old in PROGRAM
    assert reason in stopped(PROGRAM.replace(old, new))[1]
