"""Lists of the variables of a function, some of which a branch makes."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, split):
        self.split = split
        self.s = tf.placeholder(tf.float32, [None, 3])
        self._build()
        new, old = tf.trainable_variables('new'), tf.global_variables('old')
        self.copy = [tf.assign(o, n) for o, n in zip(old, new)]
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def _build(self):
        def layers(s):
            w1 = tf.get_variable('w1', [3, 4])
            h = tf.nn.relu(tf.matmul(s, w1))
            if self.split:
                with tf.variable_scope('state'):
                    w2 = tf.get_variable('w2', [4, 1])
                    v = tf.matmul(h, w2)
                with tf.variable_scope('gain'):
                    w2 = tf.get_variable('w2', [4, 2])
                    out = v + tf.matmul(h, w2)
            else:
                with tf.variable_scope('all'):
                    w2 = tf.get_variable('w2', [4, 2])
                    out = tf.matmul(h, w2)
            return out

        with tf.variable_scope('new'):
            self.q = layers(self.s)
        with tf.variable_scope('old'):
            self.q_ = layers(self.s)

    def run(self, s):
        self.sess.run(self.copy)
        return self.sess.run([self.q, self.q_], {self.s: s})


print(Net(True).run(np.ones([2, 3])))
"""


def test_both_ways_under_one_name() -> None:
    text = after(PROGRAM)
    assert "apply.variables = [w1, *([w2, gain_w2] if self.split else [w2])]\n" in text
    assert "new, old = self.q_layer.variables, self.q__layer.variables\n" in text


def test_one_way() -> None:
    start, end = PROGRAM.index("            else:\n"), PROGRAM.index("            return out\n")
    one = PROGRAM[:start] + "            else:\n                out = h\n" + PROGRAM[end:]
    assert "apply.variables = [w1, *([w2, gain_w2] if self.split else [])]\n" in after(one)


def test_one_variable_on_both_ways() -> None:
    source = PROGRAM.replace(
        "    w2 = tf.get_variable('w2', [4, 2])\n                    out = v", "    out = v"
    )
    assert "apply.variables = [w1, w2]\n" in after(source)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self._build()\n", "self._build()\n        self.split = False\n"),
        ("            if self.split:", "            w2 = w1\n            if self.split:"),
        ("            else:\n", "            elif len(self.name) > 3:\n"),
        ("            if self.split:", "            if np.random.rand() > 0.5:"),
    ],
)
def test_what_cannot_be_told_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert stopped(PROGRAM.replace(old, new))


def test_names_of_checkpoints_are_not_told() -> None:
    """The places of what follows hang on the branch."""
    from migrate.engine.options import Options
    from migrate.engine.runner import texts

    saved = PROGRAM.replace(
        "        self.sess = ", "        self.saver = tf.train.Saver()\n        self.sess = "
    )
    saved = saved.replace(
        "        return self.sess",
        "        self.saver.save(self.sess, 'm')\n        return self.sess",
    )
    (result,) = texts({"program.py": saved.encode()}, Options())
    (section,) = result.names
    assert "q_layer" in section["unknown"]
    assert not any("/w2" in name for name in section["names"])
