"""Gradients of gradients, and by tensors of a run."""

from __future__ import annotations

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable([[1.0], [2.0]])
"""
TAIL = """\
sess = tf.Session()
sess.run(tf.global_variables_initializer())
"""


def upgrade(body: str, runs: str) -> FileResult:
    (result,) = texts({"program.py": (HEAD + body + TAIL + runs).encode()}, Options())
    return result


def test_a_tensor_is_watched_where_it_is_computed() -> None:
    body = "h = tf.tanh(x * 2)\ny = tf.matmul(h, w)\ng = tf.gradients(y, h)[0]\n"
    result = upgrade(body, "print(sess.run(g, {x: [[1, 2]]}))\n")
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "        h = tf.tanh(x * 2)\n        tape.watch(h)\n" in text
    assert "tape.gradient(y, h)" in text


def test_a_tensor_of_another_function_keeps_the_session() -> None:
    body = "h = tf.tanh(x * 2) + 1\ny = tf.matmul(h, w)\ng = tf.gradients(y, h)[0]\n"
    runs = "print(sess.run([h, y], {x: [[1, 2]]}))\nprint(sess.run([g, h, y], {x: [[1, 2]]}))\n"
    assert upgrade(body, runs).level is Level.COMPAT


def test_a_gradient_of_a_gradient_has_two_tapes() -> None:
    body = (
        "y = tf.reduce_sum(tf.matmul(x, w) ** 2)\n"
        "g = tf.gradients(y, x)[0]\n"
        "loss = tf.reduce_sum(g ** 2)\n"
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
    )
    result = upgrade(body, "sess.run(train, {x: [[1, 2]]})\n")
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "with tf.GradientTape() as tape:\n        with tf.GradientTape() as inner_tape:" in text
    assert "g = inner_tape.gradient(y, x)" in text
    assert "gradients = tape.gradient(loss, variables)" in text


def test_an_update_before_a_loss_keeps_the_session() -> None:
    body = (
        "y = tf.reduce_sum(tf.matmul(x, w) ** 2)\n"
        "first = tf.train.GradientDescentOptimizer(0.1).minimize(y)\n"
        "with tf.control_dependencies([first]):\n"
        "    loss = tf.reduce_sum(tf.matmul(x, w))\n"
        "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
    )
    assert upgrade(body, "sess.run(train, {x: [[1, 2]]})\n").level is Level.COMPAT
