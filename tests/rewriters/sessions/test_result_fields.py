"""Fields of what an op gives."""

from tests.rewriters.sessions.test_sessions import after, stopped

GRAPH = "import tensorflow as tf\nx = tf.placeholder(tf.float32, [None, 3])\n"
RUN = "with tf.Session() as sess:\n    print(sess.run(best, {x: [[1.0, 3.0, 2.0]]}))\n"


def test_of_a_call() -> None:
    text = after(f"{GRAPH}best = tf.nn.top_k(x, k=2).indices\n{RUN}")
    assert "    return tf.nn.top_k(x, k=2).indices\n" in text


def test_of_a_name() -> None:
    text = after(f"{GRAPH}top = tf.nn.top_k(x, k=2)\nbest = top.values * 2.0\n{RUN}")
    assert "    return top.values * 2.0\n" in text


def test_no_other_names() -> None:
    assert "a method is fetched" in stopped(f"{GRAPH}best = tf.nn.top_k(x, k=2).first\n{RUN}")
    assert "a method is fetched" in stopped(f"{GRAPH}best = tf.nn.relu(x).values\n{RUN}")
