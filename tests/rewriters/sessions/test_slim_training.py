"""What slim's programs train with, and what a layer may be given to call."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

slim = tf.contrib.slim
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 2])
rate = tf.placeholder(tf.float32, [])


{function}


net = slim.fully_connected(x, 3, activation_fn={activation}, scope='a')
out = slim.fully_connected(net, 2, activation_fn=None, scope='b')
loss = tf.losses.mean_squared_error(y, out)
optimizer = tf.train.GradientDescentOptimizer(0.1)
train_op = {train}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    value = sess.run(train_op, {{x: [[1.0] * 4], y: [[0.0, 1.0]], rate: 0.5}})
    print(value)
"""
PLAIN = {
    "function": "def act(x):\n    return tf.maximum(0.1 * x, x)",
    "activation": "act",
    "train": "slim.learning.create_train_op(loss, optimizer)",
}


def upgrade(**changed: str) -> FileResult:
    source = PROGRAM.format(**PLAIN | changed)
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def text_of(result: FileResult) -> str:
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def test_the_train_op_of_slim_gives_the_loss_after_the_update() -> None:
    text = text_of(upgrade())
    _, step = text.split("def train_step(x, y):\n")
    applied = step.index("optimizer.apply_gradients(zip(gradients, variables))\n")
    counted = step.index("global_step.assign_add(1)\n")
    checked = step.index('tf.debugging.check_numerics(loss, "LossTensor is inf or nan")\n')
    assert applied < counted < checked
    assert "value = train_step(" in text


@pytest.mark.parametrize(
    ("arguments", "expected", "missing"),
    [
        ("global_step=None", "optimizer.apply_gradients(zip(", "global_step"),
        ("global_step=None, check_numerics=False", "return tf.identity(loss)", "check_numerics"),
        ("clip_gradient_norm=4", "tf.clip_by_norm(g, 4)", "by_global_norm"),
        ("clip_gradient_norm=0", "optimizer.apply_gradients(zip(", "clip"),
        (
            "variables_to_train=tf.trainable_variables('b')",
            "out_layer.trainable_variables",
            "watched",
        ),
    ],
)
def test_its_arguments(arguments: str, expected: str, missing: str) -> None:
    made = f"slim.learning.create_train_op(loss, optimizer, {arguments})"
    text = text_of(upgrade(train=made))
    assert expected in text
    assert missing not in text


@pytest.mark.parametrize(
    "train",
    [
        "slim.learning.create_train_op(loss, optimizer, summarize_gradients=True)",
        "slim.learning.create_train_op(loss, optimizer, gradient_multipliers={'a/weights': 2.0})",
        "tf.group(slim.learning.create_train_op(loss, optimizer))",
        "slim.learning.create_train_op(loss, optimizer, clip_gradient_norm=rate)",
    ],
)
def test_what_isnt_followed_of_it_keeps_the_session(train: str) -> None:
    assert upgrade(train=train).level is Level.COMPAT


@pytest.mark.parametrize(
    "changed",
    [
        # The layer would make a variable at every call, or be given a placeholder's description.
        {"function": "def act(x):\n    return x * tf.get_variable('alpha', [3])"},
        {"function": "def act(x):\n    return tf.nn.dropout(x, rate)"},
        {"activation": "lambda h: h * rate"},
    ],
)
def test_an_activation_that_does_more_than_compute_keeps_the_session(
    changed: dict[str, str],
) -> None:
    assert upgrade(**changed).level is Level.COMPAT
