"""Functions that are given objects of two classes, and methods with a session that nobody calls."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

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


def test_a_function_that_is_the_same_for_both_classes() -> None:
    text = after(CLASSES + FUNCTION)
    assert "def test(model):\n    return model.compute_y([1.0, 2.0]).numpy()\n" in text
    assert text.count("def test(") == 1
    assert text.endswith("a, b = A(), B()\nprint(test(a))\nprint(test(b))\n")


def test_a_function_that_calls_one() -> None:
    outer = (
        "def outer(sess, model, n=2):\n    for i in range(n):\n        print(test(sess, model))\n"
    )
    text = after(
        CLASSES
        + FUNCTION.replace("\n\n\na, b", f"\n\n\n{outer}\n\na, b")
        .replace("print(test(sess, a))", "outer(sess, a)")
        .replace("print(test(sess, b))", "outer(sess, b, n=3)\n    outer(sess, a)")
    )
    assert "def outer(model, n=2):\n    for i in range(n):\n        print(test(model))\n" in text
    assert text.endswith("outer(a)\nouter(b, n=3)\nouter(a)\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # More than one value, Python's value, a variable.
        ("self.y = self.x + self.w", "self.y = [self.x + self.w, self.w * self.x]"),
        ("self.y = self.x + self.w", "self.y = 3.0"),
        ("self.y = self.x + self.w", "self.y = self.w"),
        # What is fed has no default here.
        (
            "self.y = self.x + self.w",
            "self.t = tf.placeholder(tf.float32)\n        self.y = self.t",
        ),
    ],
)
def test_a_function_that_would_be_another_one(old: str, new: str) -> None:
    head, tail = CLASSES.split("class B:")
    assert old in tail
    assert stopped(head + "class B:" + tail.replace(old, new) + FUNCTION)


ORDER = """\
class A:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None])
        self.t = tf.placeholder(tf.float32, [None])
        self.y = self.x - self.t


class B:
    def __init__(self):
        self.t = tf.placeholder(tf.float32, [None])
        self.x = tf.placeholder(tf.float32, [None])
        self.y = self.x - self.t


"""


def test_parameters_in_another_order() -> None:
    program = "import tensorflow as tf\n\n\n" + ORDER
    program += FUNCTION.replace(
        "{model.x: [1.0, 2.0]}", "{model.x: [1.0, 2.0], model.t: [3.0, 4.0]}"
    )
    program = program.replace("sess.run(tf.global_variables_initializer())", "pass")
    assert "`test` is given objects of two classes" in stopped(program)
    same = program.replace(ORDER[ORDER.index("class B") :], "").replace(
        "\n\ndef test(", "\n\n" + ORDER[: ORDER.index("class B")].replace("A:", "B:") + "def test("
    )
    assert "class B" in same
    assert "model.compute_y([1.0, 2.0], [3.0, 4.0])" in after(same)


def test_a_method_that_is_given_objects_of_two_classes() -> None:
    assert "`test` is given objects of two classes" in stopped(CLASSES + METHOD)


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
    later = "def later(model, s):\n    return model.show(s, [1.0]), s\n\n\na = A()"
    assert "`sess.run`" in stopped(
        program.replace("a = A()", "print([n for n in ['keep', 'show']])\na = A()")
    )
    assert "another session" in stopped(program.replace("a = A()", later))
    text = after(program.replace("a = A()", later.replace(", s\n", "\n")))
    assert "def later(model):\n    return model.show([1.0])\n" in text


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
