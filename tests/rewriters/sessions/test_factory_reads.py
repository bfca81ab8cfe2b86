"""What a function that makes variables read when it was called, and its inner one reads later."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

scale, seen = 2.0, [1.0]
TOP

def scaled(t):
BODY
    w = tf.Variable(1.0)
    return t * RESULT * w


x = tf.placeholder(tf.float32, [None, 3])
CALLS
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([y, z], {x: [[1.0, 2.0, 3.0]]}))
"""
TWICE = "y = scaled(x)\nz = scaled(y)"


def program(body: str, result: str, calls: str = TWICE, top: str = "") -> str:
    text = PROGRAM.replace("BODY", body).replace("RESULT", result)
    return text.replace("CALLS", calls).replace("TOP", top)


@pytest.mark.parametrize(
    ("body", "result", "calls"),
    [
        ("", "scale", TWICE),
        ("", "scale", f"scale = 3.0\n{TWICE}"),
        ("    n = len(seen)", "float(n)", TWICE),
        ("    mine = [1.0]\n    mine.append(2.0)", "mine[0]", TWICE),
        ("    scale = 4.0", "scale", f"{TWICE}\nscale = 3.0"),
        ("", "tf.abs(t)", f"{TWICE}\nz = tf.add(y, z)"),  # which adds nothing to `tf`
        ("    global scale\n    scale = scale + 1.0\n    n = scale", "n", TWICE),
    ],
)
def test_what_stays_what_it_was(body: str, result: str, calls: str) -> None:
    assert "        return t * " in after(program(body, result, calls))


@pytest.mark.parametrize(
    ("body", "result", "calls"),
    [
        ("", "scale", "y = scaled(x)\nscale = 3.0\nz = scaled(y)"),
        ("", "scale", "y = scaled(x)\nz = scaled(y)\nscale = 3.0"),
        ("", "scale", "for scale in [2.0, 3.0]:\n    y = scaled(x)\n    z = scaled(y)"),
        ("    global scale\n    scale = scale + 1.0", "scale", TWICE),
        ("    seen.append(2.0)", "float(len(seen))", TWICE),
        ("    seen[0] = 2.0 * seen[0]", "seen[0]", TWICE),
    ],
)
def test_what_changes_keeps_the_session(body: str, result: str, calls: str) -> None:
    assert stopped(program(body, result, calls))


NET = """\
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.scale = 2.0
        self.y = self.scaled(self.x)
        CHANGE
        self.z = self.scaled(self.y)

    def scaled(self, t):
        w = tf.Variable(1.0)
        return t * self.scale * w


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([net.y, net.z], {net.x: [[1.0, 2.0, 3.0]]}))
"""


def test_an_attribute_that_changes_between_calls() -> None:
    assert "return t * self.scale * w\n" in after(NET.replace("CHANGE", "print('half')"))
    assert "changes later" in stopped(NET.replace("CHANGE", "self.scale = 3.0"))
    assert "changes later" in stopped(NET.replace("CHANGE", "self.scale += 1.0"))


def test_an_attribute_that_another_method_sets_or_the_method_itself_changes() -> None:
    methods = "self.first()\n        self.second()"
    more = (
        "    def first(self):\n        self.y = self.scaled(self.x)\n\n"
        "    def second(self):\n        self.scale = 3.0\n        self.z = self.scaled(self.y)\n\n"
    )
    start, end = NET.index("        self.y = "), NET.index("    def scaled")
    program = NET[:start] + f"        {methods}\n\n" + more + NET[end:]
    assert "changes later" in stopped(program)
    after(program.replace("        self.scale = 3.0\n", ""))

    listed = NET.replace("self.scale = 2.0", "self.scale = [2.0]").replace("CHANGE", "pass")
    listed = listed.replace("* self.scale", "* len(self.scale)")
    assert "return t * len(self.scale) * w\n" in after(listed)
    grown = listed.replace("        w = ", "        self.scale.append(1.0)\n        w = ")
    assert "changes later" in stopped(grown)


def test_a_dict_that_changes_between_calls() -> None:
    top = "settings = {'n': 2.0}"
    text = after(program("", "settings['n']", top=top))
    assert "return t * settings['n'] * w" in text
    calls = "y = scaled(x)\nsettings['n'] = 3.0\nz = scaled(y)"
    assert "changes later" in stopped(program("", "settings['n']", calls, top))


BEGINS = """\
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS


class Net:
    def __init__(self, gray):
        if gray:
            self.data = self.load()
            self.depth = self.data[0]
        else:
            self.depth = 3
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.y = self.scaled(self.x)

    def load(self):
        return [1]

    def scaled(self, t):
        w = tf.Variable(1.0)
        return t * float(self.depth) * w

    def run(self):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run(self.y, {self.x: [[1.0, 2.0, 3.0]]}))


def main(_):
    FLAGS.depth = 3
    Net(FLAGS.depth == 1).run()


tf.app.run()
"""


def test_an_attribute_that_is_set_before_it_is_read() -> None:
    """In branches, beside calls of methods that don't read it; flags have attributes of theirs."""
    assert "return t * float(self.depth) * w" in after(BEGINS)
    assert "changes later" in stopped(BEGINS.replace("return [1]", "return [self.depth]"))
    assert "changes later" in stopped(BEGINS.replace("FLAGS.depth = 3", "net.depth = 3"))
