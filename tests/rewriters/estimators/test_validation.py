"""`--to keras`: contrib.learn's ValidationMonitor."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

FIXTURE = Path(__file__).parents[3] / "fixtures" / "keras" / "validated_checkpoints" / "before.py"
PROGRAM = FIXTURE.read_text(encoding="utf-8")
ROUNDS = "        early_stopping_rounds=40,\n"
MEASURED = "        metrics=validation_metrics,\n"
LOSS = "        early_stopping_metric='loss',\n        early_stopping_metric_minimize=True,\n"
START = PROGRAM.index("    validation_metrics = ")
METRICS = PROGRAM[START : PROGRAM.index("    # Sees whether")]
MADE = PROGRAM[START : PROGRAM.index("    classifier = ")]


def changed(*changes: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_arguments_stand_as_they_stood() -> None:
    new = after(PROGRAM)
    assert (
        "    validation_monitor = ValidateCheckpoints(\n"
        "        batches(test_sizes, test_kinds),\n"
        "        every_steps=15,\n"
        "        every_secs=None,\n"
    ) in new
    assert "steps_per_execution" not in new


def test_what_a_monitor_needs_not_is_left_out() -> None:
    new = after(changed((ROUNDS, ""), (MEASURED, ""), (METRICS, "")))
    for gone in ("patience", "metrics=", "def measure", "import operator", "MetricSpec"):
        assert gone not in new, gone
    assert "        self.checkpoint = latest\n        self.evaluate()\n" in new


def test_a_metric_that_should_rise() -> None:
    new = after(changed((LOSS, LOSS.replace("loss", "accuracy").replace("True", "False"))))
    assert "metric='accuracy'" in new
    assert "better=operator.gt" in new


def test_an_input_fn_of_a_monitor() -> None:
    made = "def rows():\n    return tf.constant(test_sizes), tf.constant(test_kinds)\n\n\ndef main"
    given = "        input_fn=rows,\n        eval_steps=2,\n        name='test',\n"
    text = changed(("        test_sizes,\n        test_kinds,\n", given), ("def main", made))
    new = after(text)
    assert "        rows().take(2),\n" in new
    assert "        name='test',\n" in new


def test_a_monitor_that_another_one_takes_the_place_of_goes() -> None:
    new = after(changed((MADE, MADE + MADE)))
    assert new.count("ValidateCheckpoints(") == 1 + 1  # with its class
    assert "MetricSpec" not in new


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("        model_dir=model_dir,\n", "", "of a model without a `model_dir`"),
        ("early_stopping_metric='loss'", "early_stopping_metric='precision'", "stops by"),
        ("minimize=True", "minimize=len(kinds) > 3", "should fall isn't seen"),
        ("prediction_key='classes'", "prediction_key='logits'", "aren't of classes"),
        ("streaming_recall", "streaming_auc", "aren't of classes"),
        ("metric_fn=tf.contrib.metrics.streaming_recall", "metric_fn=tf.contrib.metrics."
         "streaming_recall, weight_key='w'", "that aren't seen"),
        ("metrics=validation_metrics", "metrics=dict(validation_metrics)", "that aren't seen"),
        (ROUNDS, ROUNDS + "        hooks=[print],\n", "`hooks` of a ValidationMonitor"),
        ("    for step, tag", "    print(validation_monitor.best_step)\n    for step, tag",
         "asked for what it found"),
    ],
)  # fmt: skip
def test_what_keeps_a_monitor(old: str, new: str, reason: str) -> None:
    assert reason in stopped(changed((old, new)))[1]


def test_metrics_of_what_has_no_classes() -> None:
    text = changed(("DNNClassifier(", "DNNRegressor("), ("        n_classes=3,\n", ""))
    assert "of what isn't a canned classifier" in stopped(text)[1]
