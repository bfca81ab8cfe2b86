"""Variables that a run is fed another value for, and results of several lines."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf


class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.weight = tf.Variable(tf.ones([2, 1]))
        self.gain = tf.Variable(1.0, trainable=False)
        self.hidden = tf.nn.relu(tf.matmul(self.x, self.weight) + 1.0)
        self.scaled = self.hidden * self.gain
        self.loss = tf.reduce_mean(tf.square(self.scaled))


model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(model.loss, {model.x: [[1.0, 2.0]]}))
    print(sess.run([model.scaled, model.loss], {model.x: [[1.0, 2.0]], FED}))
"""

LINES = """\
import tensorflow as tf


def up(inputs, filters):
    larger = tf.layers.conv2d_transpose(inputs, filters, 2, strides=2)
    return tf.concat(
        [larger, larger],
        axis=-1)


x = tf.placeholder(tf.float32, [None, 4, 4, 1])
y = up(x, 3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[[[1.0]] * 4] * 4]}))
"""


def test_a_run_computes_with_what_it_is_fed() -> None:
    text = after(PROGRAM.replace("FED", "model.gain: 2.0"))
    fed = text[text.index("def compute_scaled_and_loss(x, gain):") :]
    fed = fed[: fed.index("return")]
    assert " * gain\n" in fed
    assert "self.gain" not in fed
    assert "compute_loss(" not in fed  # it reads the variable
    unfed = text[text.index("def compute_loss(x):") :]
    assert " * self.gain\n" in unfed[: unfed.index("return")]


@pytest.mark.parametrize("fetch", ["model.gain", "[model.gain, model.scaled]"])
def test_it_gives_what_it_is_fed(fetch: str) -> None:
    text = after(
        PROGRAM.replace("[model.scaled, model.loss]", f"[{fetch.strip('[]')}, model.loss]").replace(
            "FED", "model.gain: 2.0"
        )
    )
    fed = text[text.index("(x, gain):") :]
    assert "return gain, " in fed


def test_what_follows_the_first_line_of_a_result_moves_with_it() -> None:
    text = after(LINES)
    assert (
        "        return tf.concat(\n            [larger, larger],\n            axis=-1)\n" in text
    )
