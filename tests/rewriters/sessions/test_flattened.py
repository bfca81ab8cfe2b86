"""A comprehension through the variables of layers takes their loops (sessions/flattened.py)."""

import pytest

from tests.rewriters.sessions.test_sessions import after

NET = """\
import tensorflow as tf

def net(x):
    h = tf.layers.dense(x, 4)
    return tf.layers.dense(h, 2)

x = tf.placeholder(tf.float32, [None, 3])
y = net(x)
loss = tf.reduce_sum(y) + tf.add_n({penalties})
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, step], {{x: [[1.0, 2.0, 3.0]]}})[0])
"""


@pytest.mark.parametrize(
    ("penalties", "written"),
    [
        (
            "[tf.nn.l2_loss(w) for w in tf.trainable_variables()]",
            "[tf.nn.l2_loss(w) for layer in y_layer.layers for w in layer.trainable_variables]",
        ),
        (
            "[tf.nn.l2_loss(w) for w in tf.trainable_variables() if len(w.shape) > 1]",
            "[tf.nn.l2_loss(w) for layer in y_layer.layers for w in layer.trainable_variables if",
        ),
    ],
)
def test_the_loops_stand_in_one_comprehension(penalties: str, written: str) -> None:
    assert written in after(NET.format(penalties=penalties))


def test_a_name_of_the_authors_keeps_the_list() -> None:
    text = NET.format(penalties="[tf.nn.l2_loss(w) * layer for w in tf.trainable_variables()]")
    text = after(text.replace("loss = ", "layer = 0.5\nloss = ", 1))
    assert "* layer for w in [v for layer in y_layer.layers" in text
