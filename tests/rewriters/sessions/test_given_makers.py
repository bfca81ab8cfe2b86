"""Functions with variables that an op is given; Savers that branches and handlers make."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SCAN = """\
import numpy as np
import tensorflow as tf

size = 3


def step(before, now):
    init = tf.contrib.layers.xavier_initializer
    w = tf.get_variable("w", [size, size], initializer=init())
    b = tf.get_variable("b", [size], initializer=tf.zeros_initializer())
    return tf.tanh(tf.matmul(before + now, w) + b)


x = tf.placeholder(tf.float32, [4, None, size])
states = tf.scan(step, x, initializer=tf.zeros_like(x[0]))
loss = tf.reduce_mean(tf.square(states[-1] - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([train, loss], {x: np.ones([4, 2, 3])})[1])
"""


def test_the_variables_stand_above_the_op() -> None:
    text = after(SCAN)
    assert text.index("def step(") < text.index("w = tf.Variable(")
    assert "variables = [w, b]" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # of what the function is given
        ('("b", [size]', '("b", [before.get_shape()[-1]]'),
        # another function's
        ("loss =", "step(x[0], x[1])\nloss ="),
        # the name is another one's, too
        ("size = 3", "size = 3\nw = 5"),
        # a name that the function binds again
        ("    return tf.tanh", "    b = b + 1.0\n    return tf.tanh"),
        # of a scope
        ("states = tf.scan(", 'with tf.variable_scope("rnn"):\n    states = tf.scan('),
        # what runs in between may be seen
        ("    b = tf.get", "    print(before)\n    b = tf.get"),
        # a variable without a name to be found by
        ('tf.get_variable("b", [size], initializer=tf.zeros_initializer())',
         "tf.Variable(tf.zeros([size]))"),
        # it may be called several times
        ("tf.scan(step, x, initializer=tf.zeros_like(x[0]))",
         "tf.stack([tf.while_loop(lambda a, c: tf.reduce_sum(c) < 9, lambda a, c: (a, step(a, c)),"
         " [x[0], x[1]])[1]])"),
    ],
)  # fmt: skip
def test_variables_that_belong_to_the_function_keep_the_session(old: str, new: str) -> None:
    assert SCAN.replace(old, new) != SCAN
    stopped(SCAN.replace(old, new))


SAVED = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.zeros([2, 1]), name='w')
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
training = len(np.ones(3)) > 2
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    if training:
        try:
            print(sess.run([train, loss], {x: np.ones((3, 2))})[1])
        except KeyboardInterrupt:
            print('interrupted')
            saver = tf.train.Saver()
            saver.save(sess, 'saved/model')
    else:
        saver = tf.train.Saver()
        saver.restore(sess, 'saved/model')
        print(sess.run(loss, {x: np.ones((3, 2))}))
"""


def test_a_saver_of_a_branch_stands_above_it() -> None:
    text = after(SAVED)
    assert text.count("saver = ") == 1
    assert text.index("saver = ") < text.index("if training:")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # another Saver on another way
        ("    else:\n        saver = tf.train.Saver()",
         "    else:\n        saver = tf.train.Saver(max_to_keep=9)"),
        # another one each time
        ("        try:\n", "        for k in range(2):\n          saver = tf.train.Saver()\n"
         "          saver.save(sess, 'saved/now', global_step=k)\n        try:\n"),
        # a variable that comes before it
        ("            print('interrupted')\n",
         "            print('interrupted')\n            v = tf.Variable(3.0, name='v')\n"),
        # of what the branch computes
        ("            saver = tf.train.Saver()\n",
         "            names = [w]\n            saver = tf.train.Saver(names)\n"),
    ],
)  # fmt: skip
def test_savers_that_may_be_others_keep_the_session(old: str, new: str) -> None:
    assert SAVED.replace(old, new) != SAVED
    stopped(SAVED.replace(old, new))


def test_a_saver_that_each_call_of_a_function_makes_keeps_the_session() -> None:
    body = SAVED[SAVED.index("    if training:") :].replace("\n    ", "\n        ")
    head = SAVED[: SAVED.index("with tf.Session")]
    run = "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    stopped(
        head
        + "def go(sess):\n    if True:\n    "
        + body.rstrip()
        + "\n\n\n"
        + run
        + "    go(sess)\n    go(sess)\n"
    )


def test_a_saver_whose_name_is_looked_for_stays() -> None:
    stopped(SAVED + "print('saver' in globals())\n")
