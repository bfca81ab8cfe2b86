"""Functions that are given objects of two classes, and methods with a session that nobody calls."""

from __future__ import annotations

import pytest

from tests.rewriters.test_sessions import after, stopped

CLASSES = """\
import numpy as np
import tensorflow as tf


class A:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None])
        self.w = tf.Variable(2.0)
        self.y = self.x * self.w

    def keep(self, sess, path):
        np.save(path, sess.run([self.w]))

    def show(self, sess, x):
        return self.y.eval(session=sess, feed_dict={self.x: x})


class B:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None])
        self.w = tf.Variable(3.0)
        self.y = self.x + self.w


"""
FUNCTION = """\
def test(sess, model):
    return sess.run(model.y, {model.x: [1.0, 2.0]})


a, b = A(), B()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(test(sess, a))
    print(test(sess, b))
"""
METHOD = """\
class Tester:
    def __init__(self, sess):
        self.sess = sess

    def test(self, model):
        return self.sess.run(model.y, {model.x: [1.0, 2.0]})


a, b = A(), B()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tester = Tester(sess)
    print(tester.test(a))
    print(tester.test(b))
"""


@pytest.mark.parametrize("tail", [FUNCTION, METHOD])
def test_objects_of_two_classes(tail: str) -> None:
    assert "`test` is given objects of two classes" in stopped(CLASSES + tail)


@pytest.mark.parametrize("tail", [FUNCTION, METHOD])
def test_one_object_twice(tail: str) -> None:
    last = tail.replace("test(sess, b)", "test(sess, a)").replace(
        "tester.test(b)", "tester.test(a)"
    )
    text = after(CLASSES + last.replace("a, b = A(), B()", "a = A()"))
    assert text.count("model.compute_y([1.0, 2.0]).numpy()") == 1


def test_sessions_of_methods_that_nobody_calls() -> None:
    text = after(
        CLASSES
        + FUNCTION.replace("    print(test(sess, b))\n", "").replace(", b = A(), B()", " = A()")
    )
    assert "    def keep(self, path):\n        np.save(path, [self.w.numpy()])\n" in text
    assert "    def show(self, x):\n        return self.compute_y(x).numpy()\n" in text


def test_a_method_that_something_may_call() -> None:
    program = CLASSES + FUNCTION.replace("    print(test(sess, b))\n", "").replace(
        ", b = A(), B()", " = A()"
    )
    later = "def later(model, s):\n    return model.show(s, [1.0])\n\n\na = A()"
    assert "`sess.run`" in stopped(
        program.replace("a = A()", "print([n for n in ['keep', 'show']])\na = A()")
    )
    assert "another session" in stopped(program.replace("a = A()", later))


KEPT = """\
class Tester:
    def __init__(self, sess, model):
        self.sess, self.model = sess, model

    def test(self):
        return self.sess.run(self.model.y, {self.model.x: [1.0, 2.0]})


sess = tf.Session()
a, b = A(), B()
one, two = Tester(sess, a), Tester(sess, b)
sess.run(tf.global_variables_initializer())
print(one.test(), two.test())
"""
CHOSEN = """\
def main(flag):
    MADE
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(model.y, {model.x: [1.0, 2.0]}))


main(True)
"""


def test_objects_that_are_given_objects_of_two_classes() -> None:
    assert "`Tester` is given objects of two classes" in stopped(CLASSES + KEPT)


@pytest.mark.parametrize(
    "made",
    [
        "model = A() if flag else B()",
        "if flag:\n        model = A()\n    else:\n        model = B()",
    ],
)
def test_an_object_of_one_class_or_another(made: str) -> None:
    assert stopped(CLASSES + CHOSEN.replace("MADE", made))
