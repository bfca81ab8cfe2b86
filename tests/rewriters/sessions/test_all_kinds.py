"""Sessions among parameters of all kinds: ``def __init__(self, sess, *, rate, **options)``."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Net:
    def __init__(self, sess, size, *, rate=0.1, **options):
        self.sess = sess
        self.scale = options["scale"]
        self.x = tf.placeholder(tf.float32, [None, 2])
        h = self.x
        for i, width in enumerate([3, size]):
            h = tf.layers.dense(h, width, name="fc%d" % i)
        self.y = h * self.scale
        every = tf.trainable_variables()
        decay = tf.add_n([tf.nn.l2_loss(v) for v in every if "bias" not in v.name])
        loss = tf.reduce_mean(self.y) + decay
        self.train = tf.train.GradientDescentOptimizer(rate).minimize(loss)


def fit(sess, net, *xs, **options):
    for x in xs:
        sess.run(net.train, {net.x: x})
    return sess.run(net.y, {net.x: options["last"]})


with tf.Session() as sess:
    net = Net(sess, 1, rate=0.2, scale=2.0)
    sess.run(tf.global_variables_initializer())
    print(fit(sess, net, [[1.0, 2.0]], [[2.0, 2.0]], last=[[1.0, 1.0]]))
"""


def test_they_go_and_the_others_stay() -> None:
    text = after(PROGRAM)
    assert "def __init__(self, size, *, rate=0.1, **options):" in text
    assert "def fit(net, *xs, **options):" in text
    assert "fit(net, [[1.0, 2.0]], [[2.0, 2.0]], last=[[1.0, 1.0]])" in text


def test_a_session_that_is_all_before_them() -> None:
    text = PROGRAM.replace("fit(sess, net, *xs", "fit(sess, *xs").replace(
        "fit(sess, net,", "fit(sess,"
    )
    assert "a session among parameters of all kinds" in stopped(text)


def test_names_of_layers_that_a_loop_counts() -> None:
    text = after(PROGRAM)
    assert "for v in layer.trainable_variables]" in text
    assert 'if "bias" not in v.name' in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"fc%d" % i', '"fc" + options[str(i)]'),  # which may be called bias
        ('"fc%d" % i', '"bias%d" % i'),
        ('"fc%d" % i)', '"fc%d" % i)\n            i = options["i"]'),
        ('"bias" not', '"c0" not'),
    ],
)
def test_names_that_may_have_the_word(old: str, new: str) -> None:
    assert old in PROGRAM
    stopped(PROGRAM.replace(old, new))
