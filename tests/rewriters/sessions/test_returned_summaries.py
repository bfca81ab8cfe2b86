"""Summaries among what a function returns of a run, beside the None of train ops."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
loss = tf.reduce_sum(tf.matmul(x, w))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
merged = tf.summary.merge([tf.summary.scalar("loss", loss)])
sess = tf.Session()
sess.run(tf.global_variables_initializer())


def learn(batch):
    return sess.run(FETCHED, {x: batch})


writer = tf.summary.FileWriter("logs")
NAMES = learn([[1.0, 2.0]])
writer.add_summary(summary, 1)
"""
ALL = "tf.nest.map_structure(lambda t: t.numpy(), train_step(batch))"


def program(fetched: str, names: str) -> str:
    return PROGRAM.replace("FETCHED", fetched).replace("NAMES", names)


@pytest.mark.parametrize(
    ("fetched", "names", "found"),
    [
        ("[step, merged, loss]", "_, summary, value", f"return [None, *{ALL}]"),
        ("[merged, loss, step]", "summary, value, _", f"return [*{ALL}, None]"),
        ("[merged, step]", "summary, _", f"return [{ALL}, None]"),
        ("(step, merged)", "_, summary", f"return (None, {ALL})"),
        ("[merged, loss]", "summary, value", "return list(tf.nest.map_structure("),
    ],
)
def test_what_is_returned(fetched: str, names: str, found: str) -> None:
    assert found in after(program(fetched, names))


def test_an_op_in_between_keeps_the_session() -> None:
    assert "among other fetches" in stopped(program("[merged, step, loss]", "summary, _, value"))
