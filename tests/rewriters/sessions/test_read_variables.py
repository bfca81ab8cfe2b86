"""Variables among fetches, read beside the updates of their run."""

from tests.rewriters.sessions.test_sessions import after

TRAIN = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 2])
{out}
loss = tf.reduce_mean(out)
weights = {weights}
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    _, w, value = sess.run([train, weights, loss], {{x: [[1.0, 2.0]]}})
    print(w, value)
    print(sess.run({{'w': weights, 'again': [weights]}}))
"""
PLAIN = "w = tf.Variable(tf.ones([2, 1]))\nout = tf.matmul(x, w)"
DENSE = "out = tf.layers.dense(x, 1)"


def test_tensorflows_own() -> None:
    text = after(TRAIN.format(out=PLAIN, weights="w"))
    assert "    return weights.read_value(), loss\n" in text


def test_a_layers_has_no_read_value() -> None:
    text = after(TRAIN.format(out=DENSE, weights="tf.trainable_variables()[0]"))
    assert "read_value" not in text


def test_dicts_of_variables() -> None:
    text = after(TRAIN.format(out=PLAIN, weights="w"))
    assert "print({'w': weights.numpy(), 'again': [weights.numpy()]})" in text
