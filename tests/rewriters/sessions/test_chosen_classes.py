"""A loop that makes an object of one class of a list: a program for each of them."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

NET = """\
import tensorflow as tf


def dense(x, n, name, with_w=False):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [x.get_shape()[-1], n], initializer=tf.ones_initializer())
        h = tf.matmul(x, w)
        if with_w:
            return h, w
        else:
            return h
"""
CLASS = """\
import tensorflow as tf

from net import *


class {name}(object):
    kind = "{kind}"

    def __init__(self, sess, rate):
        self.sess = sess
        self.rate = rate

    def build(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.y = tf.placeholder(tf.float32, [None, 1])
        h = dense(self.x, 1, "net")
        self.loss = tf.reduce_mean({loss})
        self.step = tf.train.GradientDescentOptimizer(self.rate).minimize(self.loss)

    def train(self, n):
        tf.global_variables_initializer().run()
        for i in range(n):
            feed = {{self.x: [[1.0, 2.0, i]], self.y: [[0.5]]}}
            print(self.sess.run([self.loss, self.step], feed)[0])
"""
MAIN = """\
import sys

from first import First
from second import Second

import tensorflow as tf


def main():
    models = [First,
              Second]  # all of them
    with tf.Session() as sess:
        model = None
        for cls in models:
            if sys.argv[1] == cls.kind:
                model = cls(sess,
                            rate=0.01)
        if model is None:
            raise Exception("no model " + sys.argv[1])
        model.build()
        model.train(3)


if __name__ == "__main__":
    main()
"""
FIRST = CLASS.format(name="First", kind="first", loss="tf.square(h - self.y)")
SECOND = CLASS.format(name="Second", kind="second", loss="tf.abs(h - self.y)")


def upgraded(**changed: str) -> dict[str, tuple[Level | None, str, list[str]]]:
    files = {"net": NET, "first": FIRST, "second": SECOND, "main": MAIN, **changed}
    results = texts({f"{n}.py": text.encode() for n, text in files.items()}, Options())
    return {
        r.path.removesuffix(".py"): (
            r.level,
            (r.after or b"").decode(),
            [f.message for f in r.left],
        )
        for r in results
    }


def test_the_loop_stays_and_each_class_is_followed() -> None:
    done = upgraded()
    assert {level for level, _, _ in done.values()} == {Level.NATIVE}
    assert done["main"][1] == MAIN.replace("    with tf.Session() as sess:\n", "").replace(
        "        model.", "    model."
    ).replace("        model = None", "    model = None").replace(
        "        for cls in models:", "    for cls in models:"
    ).replace("            if sys", "        if sys").replace(
        "                model = cls(sess,\n                            rate=0.01)",
        "            model = cls(rate=0.01)",
    ).replace(
        "        if model is None:\n            raise", "    if model is None:\n        raise"
    )
    assert "if with_w" not in done["net"][1]
    assert "tf.abs(h - y)" in done["second"][1]


@pytest.mark.parametrize(
    "changed",
    [
        {"second": SECOND.replace('"second"', '"first"')},  # two objects in one graph
        {"second": SECOND.replace('kind = "second"', 'kind = "sec" + "ond"')},
        {
            "main": MAIN.replace(
                "        model.build", "        First.kind = 'x'\n        model.build"
            )
        },
        {"main": MAIN.replace("        model.build", "        print(cls)\n        model.build")},
        {"main": MAIN.replace("        model.build", "        print(models)\n        model.build")},
        {"main": MAIN.replace("== cls.kind", "in cls.kind")},
        {"main": MAIN.replace("if sys.argv[1] == cls.kind:", "if cls.kind == name():")},
    ],
)
def test_what_else_a_loop_does_keeps_the_session(changed: dict[str, str]) -> None:
    done = upgraded(**changed)
    assert done["main"][0] is Level.COMPAT
    assert any("class" in message for message in done["main"][2])


def test_classes_whose_programs_differ_keep_the_session() -> None:
    run = "print(sess.run(model.loss, {model.x: [[1.0, 2.0, 3.0]], model.y: [[0.5]]}))"
    main = MAIN.replace("model.train(3)", f"model.train(3)\n        {run}")
    assert "print(model.compute_loss(" in upgraded(main=main)["main"][1]
    done = upgraded(main=main, second=SECOND.replace("tf.abs(h - self.y)", "tf.abs(h)"))
    assert done["main"][0] is Level.COMPAT
    assert any("come out differently" in message for message in done["main"][2])
