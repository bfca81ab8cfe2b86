"""A net that is made for the function that it is handed to."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = '''\
import numpy as np
import tensorflow as tf


def create_network():
    w = tf.Variable(tf.ones([4, 2]))
    s = tf.placeholder(tf.float32, [None, 4])
    h = tf.nn.relu(tf.matmul(s, w))
    return s, h * 2, h


def train(state, readout, sess):
    """Train it."""
    # the cost
    y = tf.placeholder(tf.float32, [None, 2])
    cost = tf.reduce_mean(tf.square(y - readout))
    step = tf.train.GradientDescentOptimizer(.1).minimize(cost)
    saver = tf.train.Saver()
    sess.run(tf.global_variables_initializer())
    step.run({state: np.ones([1, 4]), y: np.ones([1, 2])})
    print(sess.run(readout, {state: np.ones([1, 4])}))
    saver.save(sess, "net")


def play():
    sess = tf.InteractiveSession()
    s, readout, h = create_network()
    train(s, readout, sess)


play()
'''


@pytest.mark.parametrize("told", [True, False])
def test_the_function_makes_it(told: bool) -> None:
    source = PROGRAM if told else PROGRAM.replace('    """Train it."""\n', "")
    text = after(source)
    head = '    """Train it."""\n' if told else ""
    assert f"def train():\n{head}    w = tf.Variable(" in text
    assert "def play():\n    train()\n" in text
    assert "tf.train.Checkpoint(w=w" in text


def test_in_the_module() -> None:
    lines = PROGRAM[PROGRAM.index("    sess = tf.I") : PROGRAM.index("\n\nplay()")]
    module = "\n".join(line[4:] for line in lines.splitlines())
    text = after(PROGRAM[: PROGRAM.index("def play")] + module + "\n")
    assert "def train():\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    train(s, readout, sess)\n", "    train(s, readout, sess)\n    print(h)\n"),
        ("play()\n", "play()\ntrain\n"),
        ("create_network()\n    train", "create_network()\n    print(1)\n    train"),
        ("create_network()\n    train", "create_network(*())\n    train"),
    ],
)
def test_what_is_more_keeps_the_session(old: str, new: str) -> None:
    stopped(PROGRAM.replace(old, new))


def test_what_writes_the_graph_may_stand_between() -> None:
    above = "    s, readout, h = create_network()\n"
    written = above + "    tf.summary.FileWriter('logs', sess.graph)\n"
    text = after(PROGRAM.replace(above, written))
    assert "def train():\n" in text
    assert "Session" not in text
