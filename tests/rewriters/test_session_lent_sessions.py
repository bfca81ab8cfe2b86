"""Methods that nobody calls and that want a session."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.test_sessions import after, stopped

HEAD = "import numpy as np\nimport tensorflow as tf\n\n\n"
LENT = """\
class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.Variable(tf.ones([2, 1]))
        self.b = tf.Variable(tf.ones([1]))
        self.y = tf.matmul(self.x, self.w) + self.b
        self.params = [self.w, self.b]

    def save(self, sess, path):
        np.savez(path, *{run})


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.y, {{net.x: np.ones((2, 2))}}))
"""


def test_a_method_that_nobody_calls_runs_what_it_is_given() -> None:
    source = HEAD + LENT.format(run="sess.run(self.params)")
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert (
        "    def save(self, path):\n        np.savez(path, *[v.numpy() for v in self.params])\n"
        in (result.after.decode())
    )
    # What else it does with it isn't known.
    source = HEAD + LENT.format(run="sess.run(sess.of(self.params))")
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT


def test_what_is_given_something_else_is_given_it_still() -> None:
    (result,) = texts(
        {"program.py": (HEAD + LENT.format(run="sess.run(path)")).encode()}, Options()
    )
    assert result.after is not None
    assert "    def save(self, sess, path):\n" in result.after.decode()
    source = HEAD + LENT.format(run="sess.run(self.params) or sess")
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT


def test_a_name_that_something_else_may_call_stays() -> None:
    source = HEAD + LENT.format(run="sess.run(self.params)") + "getattr(net, 'save')\n"
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT


SAVERS = """\
import tensorflow as tf


class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.Variable(tf.ones([2, 1]))
        self.y = tf.matmul(self.x, self.w)

    def run(self, sess, x):
        return sess.run(self.y, {self.x: x})

    def save(self, sess, path):
        saver = tf.train.Saver()
        saver.save(sess, save_path=path)

    def restore(self, sess, path):
        tf.train.Saver().restore(sess, path)


model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(model.run(sess, [[1.0, 2.0]]))
"""


def test_a_saver_of_its_own_is_given_one_too() -> None:
    text = after(SAVERS)
    assert "def save(self, path):" in text
    assert "def restore(self, path):" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        saver.save(sess, save", "        print(sess)\n        saver.save(sess, save"),
        ("print(model.run", "print(path.save)\n    print(model.run"),
    ],
)
def test_what_is_no_saver_of_its_own_keeps_the_session(old: str, new: str) -> None:
    assert old in SAVERS
    assert "isn't seen" in stopped(SAVERS.replace(old, new))
