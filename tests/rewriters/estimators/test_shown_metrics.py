"""Summaries of metrics' updates, which are written while a model trains."""

from __future__ import annotations

from pathlib import Path

from tests.rewriters.estimators.test_program import after, upgrade

KERAS = Path(__file__).parents[3] / "fixtures" / "keras"
CODE = (KERAS / "train_metrics" / "before.py").read_text(encoding="utf-8")
GONE = "this summary isn't written"


def test_an_update_is_written() -> None:
    text = after(CODE)
    assert (
        "self.write_metric('train_accuracy', self.summarized.train_accuracy, labels, best)" in text
    )
    assert "self.write_metric('sizes/logits', self.summarized.logits, tf.abs(logits))" in text
    assert "self.summarized.precision = tf.keras.metrics.Precision()" in text
    assert "metric.reset_state()" in text


def test_a_metric_above_takes_the_name() -> None:
    text = after(CODE.replace("'train_accuracy'", "'accuracy'"))
    assert "self.write_metric('accuracy_1', self.summarized.accuracy, labels, best)" in text
    named = CODE.replace("accuracy(labels, best)", "accuracy(labels, best, name='op')")
    text = after(named.replace("'train_accuracy'", "'accuracy'"))
    assert "self.write_metric('accuracy', self.summarized.accuracy, labels, best)" in text


def test_what_a_hook_may_run_too_is_not_written() -> None:
    hook = "hooks=[tf.train.LoggingTensorHook({'a': 'accuracy/value'}, every_n_iter=2)]"
    result = upgrade(CODE.replace("steps=10)", f"steps=10, {hook})"))
    assert b"write_metric" not in (result.after or b"")


def test_an_update_that_is_no_number_is_not_written() -> None:
    code = CODE.replace("tf.metrics.accuracy(labels, best)", "tf.metrics.mean_iou(labels, best, 3)")
    result = upgrade(code)
    assert b"self.write_metric('train_accuracy'" not in (result.after or b"")
    assert any(GONE in f.message for f in (*result.left, *result.fixed))


def test_without_a_folder_nothing_is_written() -> None:
    lines = [line for line in CODE.splitlines() if not line.startswith("config = ")]
    text = "\n".join(lines).replace("folder, config, {'units': 5}", "params={'units': 5}")
    assert "write_metric" not in after(text)
