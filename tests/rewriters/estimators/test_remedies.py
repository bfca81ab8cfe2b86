"""`--to keras`: what keeps an Estimator says what to write instead."""

from __future__ import annotations

import pytest

from migrate.rewriters.estimators import remedies
from tests.rewriters.estimators.test_program import changed, stopped


@pytest.mark.parametrize(
    ("old", "new", "instead"),
    [
        ("Estimator(model_fn,", "Estimator(vars()['model_fn'],", "of the program by its name"),
        ("net.train(input_fn,", "net.train(vars()['input_fn'],", "a lambda that calls one"),
        (
            "    return tf.estimator.EstimatorSpec(mode, loss=loss)",
            "    metrics = {'m': tf.metrics.mean_tensor(logits)}\n"
            "    return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)",
            "a subclass of tf.keras.metrics.Metric",
        ),
        ("params={}", "config=open, params={}", "in the function that makes the Estimator"),
    ],
)  # fmt: skip
def test_an_alternative_is_named(old: str, new: str, instead: str) -> None:
    line, reason = stopped(changed(old, new))
    assert line > 1
    assert "; instead: " in reason
    assert reason.endswith(instead)


def test_a_reason_that_says_it_itself_stays() -> None:
    reason = "the model_fn isn't seen: take another one"
    assert remedies.told(reason) == reason
    assert remedies.told("something else") == "something else"


def test_each_entry_is_the_first_that_fits_something() -> None:
    assert len({begins for begins, _ in remedies.TABLE}) == len(remedies.TABLE)
