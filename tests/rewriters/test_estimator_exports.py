"""Exports of Estimators: what `--to keras` makes of them, and what keeps them on the shim."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.test_estimator_program import stopped

KERAS = Path(__file__).parents[2] / "fixtures" / "keras"
PROGRAMS = {
    name: (KERAS / name / "before.py").read_text(encoding="utf-8")
    for name in ("exports", "final_exporter")
}
TWO = "'x': tf.placeholder(tf.float32, [None, 3])"


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("exports", "(inputs, inputs)", "({'x': inputs['x'] * 2}, inputs)", "computed of what"),
        ("exports", "    return tf.estimator.export.S", "    inputs['x'] = tf.abs(inputs['x'])\n"
         "    return tf.estimator.export.S", "computed of what"),
        ("exports", "PredictOutput(", "RegressionOutput(", "more than predictions"),
        ("exports", "PredictOutput(predictions)", "PredictOutput(output)", "more than predictions"),
        ("exports", "as_text=False", "as_text=True", "`as_text`"),
        ("exports", TWO, "'x': tf.placeholder(tf.float32, [8, 3])", "first dimension is set"),
        ("exports", TWO, "'x': tf.zeros([1, 3])", "no placeholder"),
        ("exports", "[None, 3], name='points')", "None)", "without a shape"),
        ("final_exporter", "FinalExporter(", "LatestExporter(", "other than one FinalExporter"),
        ("final_exporter", "(model_fn, folder)", "(model_fn)", "without a `model_dir`"),
        ("final_exporter", "'last', receiver_fn", "'last', receiver_fn, {'a': 'b'}", "arguments"),
    ],
)  # fmt: skip
def test_what_keeps_an_export_is_named(name: str, old: str, new: str, reason: str) -> None:
    assert old in PROGRAMS[name]
    assert reason in stopped(PROGRAMS[name].replace(old, new))[1]
