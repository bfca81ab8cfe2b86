"""Some of the trainable variables, by their places in the list of them all."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
h = tf.layers.dense(x, 4, name="fc1")
y = tf.layers.dense(h, 1, name="fc2")
loss = tf.reduce_mean(tf.square(y))
tvars = tf.trainable_variables()
opt = tf.train.GradientDescentOptimizer(0.1)
train = opt.apply_gradients(opt.compute_gradients(loss, {some}))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss], {{x: [[1.0, 2.0, 3.0]]}})[1])
"""


@pytest.mark.parametrize("some", ["tvars[2:]", "tvars[:-2]", "tvars[0:2]", "tvars[SIZE:]"])
def test_the_list_has_the_same_places(some: str) -> None:
    text = after(PROGRAM.format(some=some).replace("\n\nx =", "\n\nSIZE = int(input())\nx =", 1))
    assert "tvars = [*h_layer.trainable_variables, *y_layer.trainable_variables]" in text
    assert f"variables = {some}\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{some}", "tvars[::2]"),
        ("{some}", "tvars[h:]"),
        (
            'tf.layers.dense(x, 4, name="fc1")',
            "tf.nn.dynamic_rnn("
            "tf.nn.rnn_cell.BasicLSTMCell(4), x[:, None], dtype=tf.float32)[0][:, -1]",
        ),
    ],
)
def test_other_places_keep_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    source = PROGRAM.replace(old, new).replace("{some}", "tvars[2:]").replace("{{", "{")
    source = source.replace("}}", "}").replace("\n\nx =", "\n\nsize = int(input())\nx =", 1)
    assert "by their places, which aren't those of TF 1" in stopped(source)
