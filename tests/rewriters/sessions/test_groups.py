"""Train ops that are made inside a group; builders whose result goes on at once."""

from __future__ import annotations

import pytest
from rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
w = tf.Variable(0.5)
count = tf.Variable(0, trainable=False)
loss = tf.reduce_sum(tf.square(w * x))
mean, update = tf.metrics.mean(x * w)
train = tf.group({given})
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    sess.run(train, {{x: [1.0, 2.0]}})
    print(sess.run([mean, count]))
"""
MINIMIZE = "tf.train.GradientDescentOptimizer(0.3).minimize(loss)"


@pytest.mark.parametrize(
    ("other", "line"),
    [
        ("update", "mean(tf.reshape(x * w, [-1]))\n"),
        ("tf.assign_add(count, 1)", "count.assign_add(1)\n"),
        ("count.assign_add(1)", "count.assign_add(1)\n"),
    ],
)
@pytest.mark.parametrize("given", ["{minimize}, {other}", "{other}, {minimize}"])
def test_the_others_run_too(given: str, other: str, line: str) -> None:
    text = after(PROGRAM.format(given=given.format(minimize=MINIMIZE, other=other)))
    assert line in text
    assert "apply_gradients" in text


BUILD = """\
import tensorflow as tf


def build():
    x = tf.placeholder(tf.float32, [None])
    w = tf.Variable(0.5)
    loss = tf.reduce_sum(tf.square(w * x))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return dict(x=x, loss=loss, train=train)


def fit(g, rounds):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(rounds):
            _, loss = sess.run([g['train'], g['loss']], {{g['x']: [1.0, 2.0]}})
    return loss


{call}
"""


def test_what_is_built_gets_a_name() -> None:
    text = after(BUILD.format(call="print(fit(build(), 3))"))
    assert "fit(" in text
    assert ".numpy()" in text


def test_what_is_called_behind_another_call_stays() -> None:
    assert "gets no name" in stopped(BUILD.format(call="print(sum([1]), fit(build(), 3))"))


NAMED = """\
import tensorflow as tf

class Model(object):
    def __init__(self):
        a = tf.Variable([1.0, 2.0])
        b = tf.Variable([0.0, 0.0])
        ema = tf.train.ExponentialMovingAverage(0.9)
        update = {op}
        self.update = update
        self.b = b

model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    {run}
    print(sess.run(model.b))
"""
ASSIGNS = "[t.assign(0.9 * t + 0.1 * m) for t, m in zip([b], [a])]"


@pytest.mark.parametrize(
    ("op", "written"),
    [
        (ASSIGNS, "t.assign(0.9 * t + 0.1 * m)"),
        ("[b.assign_add(a)]", "b.assign_add(a)"),
        ("tf.group(b.assign_add(a), a.assign_add(b))", "b.assign_add(a)"),
        ("b.assign(0.9 * b + 0.1 * a)", "b.assign(0.9 * b + 0.1 * a)"),
        ("ema.apply([b])", "():\n            ema.apply([b])\n\n"),
    ],
)
def test_an_op_under_another_name_is_run_once(op: str, written: str) -> None:
    """Soft updates of DQN's targets moved twice as far."""
    text = after(NAMED.format(op=op, run="sess.run(model.update)"))
    assert text.count(written) == 1
    assert "            update\n" not in text


@pytest.mark.parametrize("op", [ASSIGNS, "[b.assign_add(a)]"])
@pytest.mark.parametrize(
    "run", ["print(sess.run(model.update)[0])", "kept = sess.run(model.update)"]
)
def test_the_values_of_a_list_of_ops_stay(op: str, run: str) -> None:
    source = NAMED.format(op=op, run=run)
    if run.startswith("kept"):
        assert "model.update()" in after(source)  # nothing reads it
        source += "print(kept)\n"
    assert "the values of a list of ops" in stopped(source)


DECODER = """\
import numpy as np
import tensorflow as tf

class Model(object):
    def __init__(self):
        self.build()
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
    def build(self):
        x = tf.placeholder(tf.float32, [None, 4])
        w = tf.Variable(tf.ones([4, 2]))
        code = tf.nn.sigmoid(tf.matmul(x, w))
        decoded = tf.matmul(code, tf.transpose(w))
        loss = tf.reduce_mean(tf.square(decoded - x))
        self.code = code
        self.decoded = decoded
        self.loss = loss
        self.x = x
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    def fit(self, xs):
        self.sess.run(self.train_op, {self.x: xs})
        print(self.sess.run([self.decoded, self.loss], {self.x: xs}))
        return self.sess.run(self.decoded, {self.code: np.ones((2, 2))})

Model().fit(np.ones((3, 4)))
"""


def test_what_other_runs_have_in_them_is_a_function_of_its_own() -> None:
    """What is fed an inner tensor: it was called and nowhere defined."""
    text = after(DECODER)
    assert "self.compute_decoded(np.ones((2, 2)))" in text
    assert "self.compute_decoded = compute_decoded\n" in text


@pytest.mark.parametrize("given", [f"*{ASSIGNS}", f"*{ASSIGNS}, a.assign_add(b)"])
def test_a_group_of_a_comprehension_is_a_loop(given: str) -> None:
    text = after(NAMED.format(op=f"tf.group({given})", run="sess.run(model.update)"))
    loop = "for t, m in zip([b], [a]):\n                t.assign(0.9 * t + 0.1 * m)\n"
    assert text.count(loop) == 1
    assert ("a.assign_add(b)" in text) is ("assign_add" in given)
