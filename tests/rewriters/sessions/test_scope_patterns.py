"""Scopes whose names are computed: what they may be called, beside summaries of known names."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from migrate.programs.graph.scoping import scope_patterns

PROGRAM = """
import numpy as np
import tensorflow as tf


def linear(x, size, scope=None, with_w=False):
    with tf.variable_scope(scope or "Linear"):
        w = tf.get_variable("w", [4, size], initializer=tf.constant_initializer(0.1))
        if with_w:
            return tf.matmul(x, w), w
        else:
            return tf.matmul(x, w)


class Net:
    def __init__(self, sess):
        self.sess = sess

    def logits(self, x, reuse=False):
        with tf.variable_scope("net", reuse=reuse):
            return linear(tf.nn.relu(linear(x, 4, scope="h1")), 1, scope="h2")

    def build(self):
        self.x = tf.placeholder(tf.float32, [None, 4])
        self.loss = tf.reduce_mean(self.logits(self.x) ** 2)
        self.again = tf.reduce_mean(self.logits(self.x + 1, reuse=True))
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
        self.summary = tf.summary.scalar("SUMMARY", self.loss)

    def train(self):
        tf.global_variables_initializer().run()
        self.saver = tf.train.Saver()
        writer = tf.summary.FileWriter("logs")
        for i in range(3):
            _, s = self.sess.run([self.step, self.summary], {self.x: np.ones([2, 4])})
            writer.add_summary(s, i)
            self.saver.save(self.sess, "logs/model", global_step=i)


with tf.Session() as sess:
    net = Net(sess)
    net.build()
    net.train()
"""


def upgraded(text: str) -> Any:
    (result,) = texts({"program.py": text.encode()}, Options())
    return result


def test_a_summary_beside_scopes_that_calls_name() -> None:
    result = upgraded(PROGRAM.replace("SUMMARY", "loss"))
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    # What all calls decide, by a default, goes with its parameter.
    assert "with_w" not in text
    # A Saver that the method makes that runs the graph.
    assert "            self.saver.save(checkpoint_number=i)\n" in text
    assert text.count("self.saver = ") == 1


@pytest.mark.parametrize("name", ["h1", "H2", "Linear", "linear"])
def test_a_summary_that_may_be_called_as_a_scope_is(name: str) -> None:
    result = upgraded(
        PROGRAM.replace("SUMMARY", name)
        .replace('1, scope="h2")', '1, scope=None if x is y else "h2")')
        .replace("import tensorflow as tf\n", "import tensorflow as tf\n\ny = None\n")
    )
    assert result.level is Level.COMPAT
    assert any("can't be told" in finding.message for finding in result.left)


@pytest.mark.parametrize(
    ("written", "fits", "other"),
    [
        ("'a.b'", "a.b", "axb"),
        ("'conv%d' % i", "conv12", "pool1"),
        ("'{}_{{x}}'.format(i)", "a_{x}", "a_x"),
        ("f'block{i}/a'", "block1/a", "block1/b"),
        ("'a' + name", "abc", "bca"),
        ("'a' if flag else None", "a", "b"),
        ("None or 'b'", "b", "a"),
    ],
)
def test_what_a_computed_name_may_be(written: str, fits: str, other: str) -> None:
    node = ast.parse(written, mode="eval").body
    found = scope_patterns.of(None, node, ast.Module([], []))
    assert any(re.fullmatch(one, fits) for one in found)
    assert not any(re.fullmatch(one, other) for one in found)


HELD = PROGRAM.replace(
    "class Net:",
    """def score(x, reuse=False, name="net"):
    with tf.variable_scope(name, reuse=reuse):
        return linear(tf.nn.relu(linear(x, 4, scope="h1")), 1, scope="h2")


class Net:""",
)
HELD = HELD[: HELD.index("    def logits")] + HELD[HELD.index("    def build") :]
HELD = (
    HELD.replace("self.sess = sess", "self.sess = sess\n        self.score = score")
    .replace("self.logits(self.x)", 'self.score(self.x, name="one")')
    .replace("self.logits(self.x + 1, reuse=True)", 'self.score(self.x + 1, True, "one")')
)


def test_a_function_that_an_attribute_holds() -> None:
    result = upgraded(HELD.replace("SUMMARY", "loss"))
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert upgraded(HELD.replace("SUMMARY", "one")).level is Level.COMPAT
