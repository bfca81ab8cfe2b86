"""What a tape sees: all that a helper takes which gives the loss and more."""

from __future__ import annotations

from pathlib import Path

from tests.rewriters.sessions.test_sessions import after

PROGRAM = Path(__file__).parents[3] / "fixtures/native/merged_beside_training/before.py"


def test_what_a_helper_of_the_loss_takes_comes_before_it() -> None:
    step = after(PROGRAM.read_text()).partition("def train_step(")[2]
    made = step.index("accuracy = tf.reduce_mean(")
    assert made < step.index("= compute_loss_and_merged(") < step.index("tape.gradient(")
