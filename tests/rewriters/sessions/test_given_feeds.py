"""Feed dicts that functions and methods are given."""

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

GRAPH = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None])
y = tf.placeholder(tf.float32, [None])
far = tf.reduce_sum(x - y)
near = tf.reduce_sum(x + y)
sess = tf.Session()
"""
SHOW = """\
def show(i, feed):
    print(i, sess.run(far, feed_dict=feed), sess.run(near, feed))
"""


def test_a_function_hands_them_on() -> None:
    text = after(f"{GRAPH}{SHOW}feed = {{x: [1.0], y: [2.0]}}\nshow(1, feed)\n")
    assert "compute_far(**feed).numpy(), compute_near(**feed).numpy()" in text
    assert 'feed = {"x": [1.0], "y": [2.0]}\nshow(1, feed)' in text


def test_they_may_be_written_where_they_are_given() -> None:
    text = after(f"{GRAPH}{SHOW}for i in range(2):\n    show(i, {{x: [1.0], y: [2.0]}})\n")
    assert 'show(i, {"x": [1.0], "y": [2.0]})' in text


def test_methods_are_given_them() -> None:
    text = after(
        "import tensorflow as tf\n\n\nclass Model:\n    def __init__(self):\n"
        "        self.x = tf.placeholder(tf.float32, [None])\n"
        "        self.out = self.x * 2.0\n        self.sess = tf.Session()\n\n"
        "    def show(self, feed):\n        print(self.sess.run(self.out, feed))\n\n"
        "    def fit(self):\n        self.show({self.x: [1.0]})\n\n\nModel().fit()\n"
    )
    assert "print(self.predict(**feed).numpy())" in text
    assert 'self.show({"x": [1.0]})' in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("show(1, feed)", "show(1, feed)\nshow(2, {x: [1.0], y: [2.0], far: 1.0})"),
        ("    print(i,", "    feed[x] = [3.0]\n    print(i,"),  # the caller's, too
        ("    print(i,", "    print(len(feed),"),
    ],
)
def test_what_is_done_otherwise_keeps_the_session(old: str, new: str) -> None:
    text = f"{GRAPH}{SHOW}feed = {{x: [1.0], y: [2.0]}}\nshow(0, feed)\nshow(1, feed)\n"
    assert old in text
    assert "`show` is given a feed dict" in stopped(text.replace(old, new))


def test_another_value_at_another_call_keeps_the_session() -> None:
    text = f"{GRAPH}{SHOW}show(0, {{x: [1.0], y: [2.0]}})\nshow(1, None)\n"
    assert "`show` is given a feed dict before, and another value" in stopped(text)
