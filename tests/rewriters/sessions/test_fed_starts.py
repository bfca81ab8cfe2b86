"""Variables that start with what is fed when their initializer runs."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import tensorflow as tf

start = tf.placeholder(tf.float32, [2])
w = tf.Variable(start)
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    return str(result.after, "utf-8")


def test_the_variable_is_assigned_what_was_fed() -> None:
    text = native(
        f"{HEAD}with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer(), {start: [1, 2]})\n"
        "    print(sess.run(w))\n"
    )
    assert "w = tf.Variable(tf.zeros([2]))\n" in text
    assert "\nw.assign([1, 2])\nprint(w.numpy())\n" in text
    assert "start" not in text


def test_a_placeholder_that_runs_are_fed_too_stays() -> None:
    text = native(
        f"{HEAD}double = w * start\nwith tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer(), feed_dict={start: [1, 2]})\n"
        "    print(sess.run(double, {start: [3, 4]}))\n"
    )
    assert "start = tf.TensorSpec([2], tf.float32)\n" in text
    assert "w.assign([1, 2])\n" in text


def test_an_objects_variable_is_its_own() -> None:
    text = native(
        "import tensorflow as tf\n\n\nclass Model(object):\n    def __init__(self):\n"
        "        self.start = tf.placeholder(tf.int32, [2])\n"
        "        self.w = tf.Variable(self.start, trainable=False)\n"
        "        self.double = self.w * 2\n\n\nmodel = Model()\n"
        "with tf.Session() as sess:\n"
        "    sess.run(model.w.initializer, {model.start: [1, 2]})\n"
        "    print(sess.run(model.double))\n"
    )
    assert "self.w = tf.Variable(tf.zeros([2], tf.int32), trainable=False)\n" in text
    assert "model.w.assign([1, 2])\n" in text


RUN = "sess.run(tf.global_variables_initializer(), {start: [1, 2]})\n"


@pytest.mark.parametrize(
    "body",
    [
        f"sess = tf.Session()\nfor k in range(2):\n    {RUN}    print(sess.run(w))\n",
        # What starts with it is fed, too.
        f"v = tf.Variable(w.initialized_value())\nsess = tf.Session()\n{RUN}print(sess.run(v))\n",
        "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\nprint(sess.run(w))\n",
        f"feed = {{start: [1, 2]}}\nsess = tf.Session()\n{RUN.replace('{start: [1, 2]}', 'feed')}"
        "print(sess.run(w))\n",
    ],
)
def test_what_isnt_loaded_once_keeps_its_session(body: str) -> None:
    assert upgrade(HEAD + body).level is Level.COMPAT


def test_a_variable_in_no_collection_needs_its_own_initializer() -> None:
    head = HEAD.replace("tf.Variable(start)", "tf.Variable(start, collections=[])")
    text = native(
        f"{head}with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
        "    sess.run(w.initializer, {start: [1, 2]})\n    print(sess.run(w))\n"
    )
    assert "w = tf.Variable(tf.zeros([2]))\n" in text
    body = f"with tf.Session() as sess:\n    {RUN}    print(sess.run(w))\n"
    assert upgrade(head + body).level is Level.COMPAT
    listed = "saver = tf.train.Saver()\n" + body.replace(
        "tf.global_variables_initializer()", "w.initializer"
    )
    assert upgrade(head + listed).level is Level.COMPAT


IDLE = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
training = tf.placeholder(tf.bool)
w = tf.Variable({start})
y = tf.cond(training, lambda: tf.matmul(x, w), lambda: x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer(), {feed})
    print(sess.run(y, {{x: [[1.0, 2.0]], training: True}}))
"""


@pytest.mark.parametrize("feed", ["{training: True}", "feed_dict={training: True}"])
def test_what_no_variable_starts_with_isnt_fed(feed: str) -> None:
    text = after(IDLE.format(start="tf.ones([2, 2])", feed=feed))
    assert "{training: True}" not in text


def test_what_is_computed_to_be_fed_keeps_the_session() -> None:
    odd = IDLE.format(start="tf.ones([2, 2])", feed="{training: np.random.rand() > 0.5}")
    assert "variables start with what is fed" in stopped(odd)
