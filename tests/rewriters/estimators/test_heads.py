"""Heads of a model_fn: what `--to keras` makes of them, and what keeps them on the shim."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = (Path(__file__).parents[3] / "fixtures" / "keras" / "heads" / "before.py").read_text(
    encoding="utf-8"
)


def changed(old: str, new: str) -> str:
    assert old in PROGRAM
    return PROGRAM.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("weight_column='w'", "loss_fn=max", "`loss_fn` of a head"),
        ("label_dimension=2", "label_dimension=2, inverse_link_fn=tf.exp", "`inverse_link_fn`"),
        (
            "weight_column='w'",
            "weight_column=tf.feature_column.numeric_column('w', normalizer_fn=abs)",
            "a default or a normalizer",
        ),
        (
            "weight_column='w'",
            "weight_column=tf.feature_column.categorical_column_with_identity('w', 3)",
            "a weight column that is no numeric column",
        ),
        ("n_classes=3", "n_classes=3, loss_reduction='sum'", "loss reduction that isn't seen"),
        ("n_classes=3", "3, loss_reduction=tf.losses.Reduction.SUM", "several loss reductions"),
        ("tf.contrib.estimator.regression_head", "tf.estimator.RegressionHead", "beside those of"),
        (
            "tf.contrib.estimator.regression_head(label_dimension=2)",
            "tf.contrib.estimator.multi_head([tf.contrib.estimator.regression_head()])",
            "has no name",
        ),
        ("(0.2))", "(0.2), update_ops=[1])", "`update_ops`"),
        (".minimize(loss, tf.", ".minimize(loss + 1, tf.", "something else than the loss"),
        (".minimize(loss, global_step=", ".minimize(loss, grad_loss=", "count the global step"),
        ("labels=labels, logits=logits, ", "logits=logits, ", "labels that a head isn't given"),
    ],
)
def test_what_keeps_a_head_is_named(old: str, new: str, reason: str) -> None:
    assert reason in stopped(changed(old, new))[1]


def test_a_weight_column_is_its_key() -> None:
    column = "tf.feature_column.numeric_column('w')"
    new = after(changed("weight_column='w'", f"weight_column={column}"))
    assert "BinaryClassHead(weight_column='w'," in new
    assert "NumericColumn" not in new
    named = changed("weight_column='w'", "weight_column=WEIGHT")
    new = after(
        named.replace("\ndef binary_model_fn", f"WEIGHT = {column}\n\n\ndef binary_model_fn")
    )
    assert "BinaryClassHead(weight_column=WEIGHT.key," in new
    assert "WEIGHT = NumericColumn('w')" in new


def test_a_reduction_of_all_heads_is_theirs() -> None:
    text = PROGRAM
    for last in ("params['words'])", "n_classes=3)", "label_dimension=2)"):
        assert last in text
        text = text.replace(last, last[:-1] + ", loss_reduction=tf.losses.Reduction.SUM)")
    new = after(text)
    assert "return tf.reduce_sum(losses * weights)" in new
    assert "tf.reduce_mean(losses" not in new


AROUND = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "whole_batches" / "before.py"
).read_text(encoding="utf-8")
HEAD = "head = tf.contrib.estimator.binary_classification_head()\n"


def test_a_head_around_the_model_fn_is_the_models_own() -> None:
    new = after(AROUND)
    assert "self.head = BinaryClassHead()" in new
    assert "\nhead = " not in new


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (HEAD, HEAD + "print(head.logits_dimension)\n", "read by more than"),
        (HEAD, HEAD + f"if len(X) > 3:\n    {HEAD}", "a head that isn't seen"),
        (HEAD, f"for t in (0.2, 0.5):\n    {HEAD}".replace("head()", "head(thresholds=[t])"),
         "isn't seen"),
        (HEAD, f"name = 'a'\n{HEAD}name = 'b'\n".replace("head()", "head(name=name)"),
         "may be another by then"),
    ],
)  # fmt: skip
def test_a_head_that_may_be_another_keeps_the_estimator(old: str, new: str, reason: str) -> None:
    assert old in AROUND
    assert reason in stopped(AROUND.replace(old, new))[1]
