"""Objects that are made for a second session, after another one of their class was trained."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import numpy as np
import tensorflow as tf

LIST = []


class Net:
    def __init__(self, param=None):
        self.x = tf.placeholder(tf.float32, [None, 3])
        if param is None:
            self.w = tf.Variable(tf.truncated_normal([3, 1]))
        else:
            self.w = tf.Variable(param[0])
        self.params = [self.w]
        self.out = tf.matmul(self.x, self.w)
        self.loss = tf.reduce_mean(tf.square(self.out))
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss, None, self.params)

    def weights(self, sess):
        return sess.run(self.params)


def evaluate(sess, model, data):
    found = sess.run(model.out, {model.x: data})
    return sorted(found.tolist(), key=lambda v: v[0])


def main():
    net = Net()
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(net.train, {net.x: np.ones([2, 3])})
        best = net.weights(sess)
    print(evaluate(sess, net, np.ones([2, 3])))
    sess.close()
    again = Net(best)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    print(evaluate(sess, again, np.ones([2, 3])))
    print(sess.run([again.train, again.loss], {again.x: np.ones([2, 3])})[1])
    print(again.weights(sess))


main()
"""
MADE = "    again = Net(best)\n"


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def test_the_second_session_runs_the_new_object() -> None:
    text = native(PROGRAM)
    assert "    again = Net(best)\n    print(evaluate(again, np.ones([2, 3])))\n" in text
    assert "assign" not in text
    assert "def evaluate(model, data):\n    found = model.predict(data).numpy()\n" in text


def test_a_name_that_is_bound_anew() -> None:
    head, tail = PROGRAM.split(MADE)
    text = native(head + "    net = Net(best)\n" + tail.replace("again", "net"))
    assert "    net = Net(best)\n    print(evaluate(net, np.ones([2, 3])))\n" in text


def test_at_module_level() -> None:
    head, body = PROGRAM.split("def main():\n")
    lines = [line[4:] for line in body.split("\n\n\n")[0].splitlines()]
    assert "again = Net(best)\nprint(" in native(head + "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print(again.weights(sess))", "print(net.weights(sess))"),
        ("print(again.weights(sess))", "print(sess.run(net.w))"),
        ("print(again.weights(sess))", "print(evaluate(sess, net, np.ones([2, 3])))"),
        ("    sess.close()\n", "    sess.close()\n    kept = net.w\n"),
        ("    sess.close()\n", "    sess.close()\n    LIST.append(net)\n"),
        ("    sess.close()\n", "    sess.close()\n    again = net\n"),
        (MADE, ""),
        (
            "        self.params = [self.w]\n",
            "        LIST.append(self)\n        self.params = [self.w]\n",
        ),
        ("return sess.run(self.params)", "return sess.run(tf.trainable_variables())"),
        ("    found = sess", "    global last\n    last = model\n    found = sess"),
    ],
)
def test_what_the_first_session_trained_is_read_again(old: str, new: str) -> None:
    assert old in PROGRAM
    source = PROGRAM.replace(old, new)
    if new == "":
        source = source.replace(
            "    net = Net()\n", "    net = Net()\n    again = Net()\n"
        ).replace(
            "        best = ",
            "        sess.run(again.train, {again.x: np.ones([2, 3])})\n        best = ",
        )
    assert upgrade(source).level is Level.COMPAT


def test_objects_that_find_the_same_variables() -> None:
    shared = PROGRAM.replace(
        "            self.w = tf.Variable(tf.truncated_normal([3, 1]))\n",
        "            with tf.variable_scope('net', reuse=tf.AUTO_REUSE):\n"
        "                self.w = tf.get_variable('w', [3, 1])\n",
    ).replace("Net(best)", "Net()")
    assert upgrade(shared).level is Level.COMPAT


def test_an_object_that_is_made_in_a_loop() -> None:
    looped = PROGRAM.replace(MADE, "    for k in range(2):\n        again = Net(best)\n")
    assert upgrade(looped).level is Level.COMPAT
