"""Lists of placeholders that are fed together: gradients of several runs that one applies."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Agent:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        hidden = tf.layers.dense(self.x, 4, activation=tf.nn.relu)
        self.loss = tf.reduce_mean(tf.layers.dense(hidden, 1))
        self.tvars = tf.trainable_variables()
        self.holders = []
        for i, v in enumerate(self.tvars):
            holder = tf.placeholder(tf.float32, name='%d_holder' % i)
            self.holders.append(holder)
        self.gradients = tf.gradients(self.loss, self.tvars)
        optimizer = tf.train.GradientDescentOptimizer(.1)
        self.update = optimizer.apply_gradients(zip(self.holders, self.tvars))


agent = Agent()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    grads = sess.run(agent.gradients, {agent.x: np.ones([1, 3])})
    sess.run(agent.update, feed_dict=dict(zip(agent.holders, grads)))
    values = sess.run(agent.tvars)
    print([v.sum() for v in values])
"""
CALL = "agent.train_update_step([tf.constant(g, tf.float32) for g in grads])"
FED = "sess.run(agent.update, feed_dict=dict(zip(agent.holders, grads)))"


def test_they_are_one_parameter() -> None:
    text = after(PROGRAM)
    assert "        @tf.function\n        def train_update_step(holders):\n" in text
    assert "apply_gradients(zip(holders, tvars))" in text
    assert CALL in text
    assert "self.holders" not in text
    assert "tf.nest.map_structure(lambda t: t.numpy(), agent.compute_tvars())" in text


@pytest.mark.parametrize(
    "fed", ["dict(zip(agent.holders, grads))", "{h: g for h, g in zip(agent.holders, grads)}"]
)
def test_under_a_name(fed: str) -> None:
    text = after(PROGRAM.replace(FED, f"feed = {fed}\n    sess.run(agent.update, feed)"))
    assert 'feed = {"holders": [tf.constant(g, tf.float32) for g in grads]}\n' in text
    assert "agent.train_update_step(**feed)" in text


def test_a_comprehension_makes_them() -> None:
    start, end = PROGRAM.index("        self.holders = []"), PROGRAM.index("        self.gradients")
    line = "        self.holders = [tf.placeholder(tf.float32) for v in self.tvars]\n"
    assert CALL in after(PROGRAM[:start] + line + PROGRAM[end:])


def test_the_list_of_all_variables_is_fetched() -> None:
    text = after(
        PROGRAM.replace("self.tvars", "tvars").replace("agent.tvars", "tf.trainable_variables()")
    )
    assert "    variables = [" in text or "\nvariables = [" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (FED, "sess.run(agent.update, {agent.holders[0]: grads[0]})"),
        ("    grads = ", "    print(len(agent.holders))\n    grads = "),
        (
            "            self.holders.append(holder)\n",
            "            self.holders.append(holder * 2)\n",
        ),
    ],
)
def test_what_is_more_keeps_the_session(old: str, new: str) -> None:
    stopped(PROGRAM.replace(old, new))


UNROLLED = """\
import numpy as np
import tensorflow as tf

n = 3
held = list()
for _ in range(n + 1):
    held.append(tf.placeholder(tf.float32, shape=[2, 4]))
w = tf.Variable(tf.zeros([4, 4]))
out = tf.matmul(tf.concat(held[:n], 0), w) + tf.concat(held[1:], 0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    batches = np.ones([n + 1, 2, 4])
    feed = {}
    for i in range(n + 1):
        feed[held[i]] = batches[i]
    print(sess.run(out, feed))
"""


def test_a_list_of_which_the_graph_takes_some_is_a_list_of_specs() -> None:
    text = after(UNROLLED)
    assert "held = [tf.TensorSpec([2, 4], tf.float32) for _ in range(n + 1)]\n" in text
    assert "@tf.function(input_signature=[held])\n" in text
    assert 'feed = {"held": [batches[i] for i in range(n + 1)]}\n' in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    for i in range(n + 1):", "    for i in range(n):"),  # one isn't fed
        ("batches = np.ones([n + 1, 2, 4])", "batches = np.ones([4, 2, 4])\n    n = 3"),
        ("    print(sess", "    print(i)\n    print(sess"),
        ("batches[i]\n", "batches.pop()\n"),
        ("    feed = {}\n", "    feed = {}\n    print(feed)\n"),
        ("held[1:]", "held"),
        ("shape=[2, 4]", "shape=np.random.randint(3, size=2)"),
    ],
)
def test_it_must_be_fed_as_a_whole(old: str, new: str) -> None:
    assert old in UNROLLED
    stopped(UNROLLED.replace(old, new))
