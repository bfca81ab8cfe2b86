"""`--to keras`: stacks of contrib.layers, and functions that tell a head how to train."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "stacked" / "before.py"
).read_text(encoding="utf-8")  # fmt: skip
STACK = PROGRAM[PROGRAM.index("    hidden_layers = tf.contrib") : PROGRAM.index("    logits =")]


def test_a_stack_that_a_function_returns_is_a_loop_there() -> None:
    function = f"def stacked_up(net, hidden_units):\n{STACK}\n\ndef model_fn("
    function = function.replace("hidden_layers = tf", "return tf").replace("features['x']", "net")
    program = PROGRAM.replace(
        STACK, "    hidden_layers = stacked_up(features['x'], hidden_units)\n"
    )
    new = after(program.replace("def model_fn(", function))
    assert "class StackedUp(tf.keras.layers.Layer)" in new
    assert "for units in hidden_units]" in new


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("        activation_fn=tf.nn.tanh", "        activation_fn=tf.nn.tanh, scope='net'",
         "contrib.layers.stack"),
        ("layer=tf.contrib.layers.fully_connected", "layer=tf.contrib.layers.conv2d",
         "contrib.layers.stack"),
        ("        activation_fn=tf.nn.tanh", "        activation_fn=lambda x: tf.nn.tanh(x)",
         "contrib.layers.stack"),
        ("import tempfile", "import tempfile\nwords = 'list_variables'", "contrib.layers.stack"),
        ("        inputs=features['x'],\n", "        features['x'], *[],\n", "isn't followed"),
        ("        # Create training", "        tf.summary.scalar('r', optimizer._lr)\n        # Cr",
         "does more than minimize"),
        ("        # Create training", "        loss = 2. * loss\n        # Create",
         "does more than minimize"),
        ("learning_rate=params.learning_rate)\n\n", "learning_rate=params.learning_rate)\n"
         "        optimizer = optimizer or 1\n", "does more than minimize"),
        ("            loss=loss,", "            loss=2. * loss,", "something else than the loss"),
    ],
)  # fmt: skip
def test_what_keeps_them_is_named(old: str, new: str, reason: str) -> None:
    assert old in PROGRAM
    assert reason in stopped(PROGRAM.replace(old, new))[1]
