"""`--to keras`: what `tf.losses.get_total_loss` adds up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "total_losses" / "before.py"
).read_text(encoding="utf-8")  # fmt: skip
CROSS = "tf.losses.sparse_softmax_cross_entropy(labels['kinds'], logits)  #"


def test_all_losses_are_added_under_their_names() -> None:
    new = after(PROGRAM)
    assert "loss = tf.add_n([cross_entropy, distance, size] + self.losses)" in new
    assert "get_total_loss" not in new


def test_the_list_of_losses_is_one_of_names() -> None:
    listed = "loss = tf.add_n(tf.losses.get_losses())"
    new = after(PROGRAM.replace("loss = tf.losses.get_total_loss()", listed))
    assert "loss = tf.add_n([cross_entropy, distance, size])" in new


def test_losses_of_another_model_fn_are_its_own() -> None:
    new = after(PROGRAM.replace("add_regularization_losses=False", ""))
    assert new.count("tf.add_n(") == 2  # the other loss has no penalties: it is its own sum


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (CROSS, f"for _ in range(2):\n        {CROSS}", "a loss that has no name"),
        (CROSS, f"other = 2. * {CROSS}", "a loss that has no name"),
        ("    size = 0.1", "    distance = distance + 1.\n    size = 0.1",
         "a loss that has no name"),
        (CROSS, CROSS.replace("logits)", "logits, loss_collection='own')"), "of its own"),
        ("get_total_loss()", "get_total_loss(scope='first')", "the losses of a scope"),
        ("def both_fn(", "def more(x):\n    return tf.losses.mean_squared_error(x, 2. * x)\n\n\n"
         "def both_fn(", "losses that functions collect"),
        ("    tf.losses.add_loss(size)\n", "    if mode == tf.estimator.ModeKeys.EVAL:\n"
         "        tf.losses.add_loss(size)\n", "aren't the same in all modes"),
    ],
)  # fmt: skip
def test_what_keeps_them_is_named(old: str, new: str, reason: str) -> None:
    assert old in PROGRAM
    assert reason in stopped(PROGRAM.replace(old, new))[1]
