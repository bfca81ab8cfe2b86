"""Names that mean a function or a variable first, and a tensor then."""

from __future__ import annotations

from tests.rewriters.test_sessions import after, stopped

PROGRAM = """
import tensorflow as tf


def cost(y):
    cost = tf.reduce_mean(tf.square(y), name='cost')
    return cost


x = tf.placeholder(tf.float32, [None, 2])
y = x + tf.Variable(tf.zeros([2]))
cost = cost(y)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([y, cost], {x: [[1., 2.]]}))
"""


def test_a_result_with_its_functions_name_is_a_tensor_of_its_own() -> None:
    text = after(PROGRAM)
    assert "cost_tensor = cost(y)\n" in text or "return y, cost(y)" in text
    assert "def cost(y):\n" in text


def test_a_name_that_another_function_reads_keeps_the_session() -> None:
    reads = PROGRAM.replace("\n\nx = ", "\n\ndef show():\n    print(cost)\n\n\nx = ", 1)
    assert "one name means two things" in stopped(reads)
