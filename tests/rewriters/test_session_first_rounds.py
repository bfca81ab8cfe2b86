"""Variables that a loop's first round makes and the others find: ``reuse=(t > 0)``."""

from __future__ import annotations

import pytest

from tests.rewriters.test_sessions import after, stopped

NET = """\
import tensorflow as tf


def mix(h, x, reuse=False):
    with tf.variable_scope('mix', reuse=reuse):
        w = tf.get_variable('w', [3, 3])
        return tf.tanh(tf.matmul(h, w) + x)


x = tf.placeholder(tf.float32, [None, 4, 3])
h = tf.zeros_like(x[:, 0])
n = 4
for t in range(n):
    h = mix(h, x[:, t], reuse=(t != 0))
loss = tf.reduce_mean(tf.square(h - 1.0))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([step, loss], {x: [[[1, 2, 3]] * 4]})[1])
"""


def changed(old: str, new: str) -> str:
    assert old in NET
    return NET.replace(old, new)


@pytest.mark.parametrize("said", ["t != 0", "t > 0", "t >= 1", "0 < t", "0 != t", "1 <= t"])
def test_they_are_made_before_the_loop(said: str) -> None:
    text = after(changed("t != 0", said))
    assert "reuse" not in text
    assert "mix_layer = mix()\n" in text
    assert " h = mix_layer(h, x[:, t])\n" in text


@pytest.mark.parametrize("rounds", ["range(0, n)", "range(4)"])
def test_loops_that_count_from_zero(rounds: str) -> None:
    assert "mix_layer = mix()\n" in after(changed("range(n)", rounds))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Two rounds make some, and TF 1 stops at the second.
        ("t != 0", "t > 1"),
        ("t != 0", "t == 0"),
        # It doesn't begin with zero, or isn't seen to.
        ("range(n)", "range(1, n)"),
        ("range(n)", "range(n, 0, -1)"),
        ("range(n)", "range(0, n, 2)"),
        ("range(n)", "[0, 1, 2]"),
        ("    h = mix(", "    t = t % 2\n    h = mix("),
        # Another loop's number.
        ("    h = mix(h, x[:, t]", "    for k in range(2):\n        h = mix(h, x[:, k]"),
        # What isn't the loop's.
        ("t != 0", "n != 0"),
    ],
)
def test_what_else_says_that_they_are_found_stays(old: str, new: str) -> None:
    stopped(changed(old, new))


CLASS = """\
import tensorflow as tf


class Net(object):
    def __init__(self, n, wide=True):
        self.n = n
        self.wide = wide
        self.x = tf.placeholder(tf.float32, [None, 3])
        h = self.x
        for t in range(self.n):
            h = self.mix(h, 'mix', reuse=(t > 0))
            if self.wide:
                h = self.mix(h, 'more', reuse=(t > 0))
        self.loss = tf.reduce_mean(tf.square(h))

    def mix(self, h, name, reuse=False):
        with tf.variable_scope(name, reuse=reuse):
            w = tf.get_variable('w', [3, 3])
            return tf.tanh(tf.matmul(h, w))


net = Net(4)
step = tf.train.GradientDescentOptimizer(0.1).minimize(net.loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([step, net.loss], {net.x: [[1, 2, 3]]})[1])
"""


def test_a_branch_in_a_loop_that_all_objects_decide() -> None:
    text = after(CLASS)
    assert "if self.wide" not in text
    assert "more_layer = self.mix('more')\n" in text
    text = after(CLASS.replace("net = Net(4)", "net = Net(4, wide=False)"))
    assert "'more'" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("net = Net(4)", "import sys\nnet = Net(4, len(sys.argv) > 1)"),
        ("        h = self.x\n", "        h = self.x\n        self.wide = n > 2\n"),
    ],
)
def test_a_branch_in_a_loop_that_is_computed_stays(old: str, new: str) -> None:
    assert old in CLASS
    stopped(CLASS.replace(old, new))


AGAIN = """\
import tensorflow as tf


def net(x):
    with tf.variable_scope('net'):
        w = tf.get_variable('w', [3, 3])
        return tf.tanh(tf.matmul(x, w))


x = tf.placeholder(tf.float32, [None, 3])
z = tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope(tf.get_variable_scope()):
    a = net(x)
    tf.get_variable_scope().reuse_variables()
    b = net(z)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([a, b], {x: [[1, 2, 3]], z: [[3, 2, 1]]}))
"""


@pytest.mark.parametrize("scope", ["tf.get_variable_scope()", "'all'"])
def test_the_scope_at_hand_finds_its_variables_again(scope: str) -> None:
    text = after(
        AGAIN.replace("variable_scope(tf.get_variable_scope())", f"variable_scope({scope})")
    )
    assert text.count("= net()") == 1
    assert "    a = a_layer(x)\n    b = a_layer(z)\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    tf.get_variable_scope().r", "    if x is not z:\n        tf.get_variable_scope().r"),
        ("with tf.variable_scope(tf.get_variable_scope()):", "if True:"),
        ("reuse_variables()", "set_regularizer(None)"),
    ],
)
def test_what_else_is_said_of_the_scope_at_hand_stays(old: str, new: str) -> None:
    assert old in AGAIN
    stopped(AGAIN.replace(old, new))
