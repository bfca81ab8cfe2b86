"""`--to keras`: heads by their private names, and functions that nobody calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "private_heads" / "before.py"
).read_text(encoding="utf-8")
MADE = "head_lib._binary_logistic_or_multi_class_head("
REDUCED = ",\n        loss_reduction=tf.losses.Reduction.SUM)"


def changed(*changes: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_the_loss_of_a_private_head_is_a_sum() -> None:
    text = changed(
        (MADE, "head_lib._binary_logistic_head_with_sigmoid_cross_entropy_loss("),
        ("n_classes=2, weight_column=None, label_vocabulary=None", "weight_column=None"),
        (REDUCED, ")"),
    )
    new = after(text)
    assert "tf.reduce_sum(" in new
    assert new == after(PROGRAM)


def test_more_classes_are_another_head() -> None:
    assert "MultiClassHead(3)" in after(changed(("n_classes=2", "n_classes=3")))


def test_what_nobody_names_goes_and_what_is_named_stays() -> None:
    new = after(PROGRAM)
    assert "build_deep_layers" not in new
    assert "def unit" not in new
    plain = "def halved(x):\n    return x / 2.\n\n\ndef model_fn("
    assert "def halved(x)" in after(changed(("def model_fn(", plain)))


def test_an_estimator_that_nobody_makes_goes_with_its_function() -> None:
    made = "def make(params):\n    return tf.estimator.Estimator(unseen_fn, params=params)\n\n\n"
    new = after(changed(("def input_fn(", made + "def input_fn(")))
    assert "def make" not in new
    own = made.replace("unseen_fn", "input_fn")
    assert stopped(changed(("def input_fn(", own + "def input_fn(")))  # it can be made
    used = ("def input_fn(", made.replace("make(", "main(") + "def input_fn(")
    assert "isn't seen" in stopped(changed(used))[1]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("n_classes=2", "n_classes=len(points)", "a head that isn't seen"),
        (MADE, "head_lib._poisson_head(", "a head that isn't seen"),
        ("rng = np", "print(head_lib)\nrng = np", "a head that isn't seen"),
        ("rng = np", "print(globals()['unit'])\nrng = np", "tf.layers.dense"),
        ("rng = np", "print('unit')\nrng = np", "tf.layers.dense"),
        ("rng = np", "print(unit)\nrng = np", "tf.layers.dense"),
    ],
)
def test_what_keeps_the_program(old: str, new: str, reason: str) -> None:
    assert reason in stopped(changed((old, new)))[1]
