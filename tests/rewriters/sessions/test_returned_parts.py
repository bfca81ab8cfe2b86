"""Methods that build an object's graph and return its parts to who calls them."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import tensorflow as tf


class Net(object):
    def __init__(self, n):
        self.n = n
        self.w = tf.Variable(tf.zeros([3, n]), name='w')

    def build(self, scale=2.0):
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.float32, [None, self.n])
        out = tf.matmul(x, self.w) * scale
        loss = 0.0
        loss += tf.reduce_mean(tf.square(out - y))
        return loss, x, y, out  # to be fed


def train():
    net = Net(2)
    loss, x, y, _ = net.build()
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        _, value = sess.run([step, loss], {x: [[1, 2, 3]], y: [[1, 2]]})
        print(value)


train()
"""
HOLDER = """\
class Holder(object):
    def __init__(self):
        self.net = Net(2)


def train"""
CALL = "    loss, x, y, _ = net.build()\n"


def changed(*pairs: tuple[str, str]) -> str:
    text = NET
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def test_the_object_keeps_what_its_method_returned() -> None:
    text = after(NET)
    assert "        self.x = tf.TensorSpec([None, 3], tf.float32)\n" in text
    assert "    net.build()\n" in text
    assert "return loss, x" not in text
    assert "input_signature=[net.x, net.y]" in text
    assert "value = train_step([[1, 2, 3]], [[1, 2]]).numpy()" in text


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        # A name that means something else in the program.
        ([("self.n = n", "self.n = n\n        self.x = 3\n        print(self.x)")], "self.build_x"),
        # An attribute that it returns as it is.
        ([("  x = tf", "  self.x = x = tf"), ("loss, x, y, out ", "loss, self.x, y, out ")], ""),
        # Of an object in another one.
        ([("net = Net(2)", "holder = Holder()"), ("net.build", "holder.net.build"),
          ("def train", HOLDER)],
         "holder.net.build()"),
        # At the module.
        ([("def train():\n    net", "if True:\n    net"), ("\n\ntrain()\n", "\n")], "net.build()"),
    ],
)  # fmt: skip
def test_what_the_object_keeps(pairs: list[tuple[str, str]], said: str) -> None:
    assert said in after(changed(*pairs))


@pytest.mark.parametrize(
    "pairs",
    [
        # It may return something else.
        [("        out = tf", "        if scale < 1:\n            return None\n        out = tf")],
        # What it is given.
        [("return loss, x, y, out", "return loss, x, y, scale")],
        # Its name is handed on.
        [("    net = Net(2)\n", "    net = Net(2)\n    print(net.build)\n")],
        # It is called where its parts have no names.
        [(CALL, "    loss, x, y, _ = list(net.build())\n")],
        # The object has no name, or loses it.
        [("net.build()", "Net(2).build()")],
        [(CALL, "    loss, x, y, net = net.build()\n")],
        # A function in it reads the name.
        [("loss += ", "f = lambda: loss\n        loss = f() + ")],
        # All attributes are asked for.
        [("        print(value)", "        print(value, sorted(vars(net)))")],
        # Two graphs of one object.
        [(CALL, CALL + "    more, u, v, _ = net.build(3.0)\n    loss = loss + more\n"),
         ("y: [[1, 2]]}", "y: [[1, 2]], u: [[1, 2, 3]], v: [[1, 2]]}")],
    ],
)  # fmt: skip
def test_what_else_methods_return_stays(pairs: list[tuple[str, str]]) -> None:
    stopped(changed(*pairs))


def test_another_reason_is_told_of_the_authors_text() -> None:
    found = stopped(changed(("        print(value)", "        print(value, sess.graph_def)")))
    assert found.split(":")[0] in ("10", "25", "26")
