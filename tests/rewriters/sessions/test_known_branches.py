"""Branches that the only call of a builder decides, and parts that it keeps without a name."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

BUILD = """\
import tensorflow as tf


def build({parameters}):
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.Variable(tf.ones([2, 1]))
    out = tf.matmul(x, w)
    spec = {{"x": x, "out": out}}
    if {test}:
        # the mean of the outputs
        loss = tf.reduce_mean(out)

        spec["train_op"] = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return spec


spec = build({arguments})
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(spec["train_op"], {{spec["x"]: [[1.0, 2.0]]}})
"""


def upgrade(parameters: str, test: str, arguments: str) -> FileResult:
    source = BUILD.format(parameters=parameters, test=test, arguments=arguments)
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize(
    ("parameters", "test", "arguments", "head", "call"),
    [
        ("training, n", "training", "True, 2", "def build(n):", "build(2)"),
        ("n, training", "training", "2, training=True", "def build(n):", "build(2)"),
        ("n, mode='train'", "mode == 'train'", "2", "def build(n):", "build(2)"),
        ("n, frozen", "not frozen", "2, False", "def build(n):", "build(2)"),
        # Nothing would be left between the brackets.
        ("training", "training", "True", "def build(training):", "build(True)"),
    ],
)
def test_the_branch_stands_for_the_condition(
    parameters: str, test: str, arguments: str, head: str, call: str
) -> None:
    result = upgrade(parameters, test, arguments)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = str(result.after, "utf-8")
    assert f"{head}\n" in text
    assert f"train_step = {call}\n" in text
    assert "if " not in text
    assert "# the mean of the outputs\n" in text


@pytest.mark.parametrize(
    ("test", "arguments"),
    [
        ("training", "2, len('a') > 0"),
        ("training and n > 1", "2, True"),
        ("training", "2, *[True]"),
    ],
)
def test_what_isnt_known_keeps_the_session(test: str, arguments: str) -> None:
    assert upgrade("n, training", test, arguments).level is Level.COMPAT


def test_a_builder_that_is_called_twice_keeps_the_session() -> None:
    source = BUILD.format(parameters="n, training", test="training", arguments="2, True")
    (result,) = texts({"program.py": (source + "other = build(2, False)\n").encode()}, Options())
    assert result.level is Level.COMPAT


LINEAR = """\
import numpy as np
import tensorflow as tf


def linear(x, scope, with_w=False):
    with tf.variable_scope(scope):
        w = tf.get_variable("w", [3, 3])
        y = tf.matmul(x, w)
        if with_w:
            return y, w
        else:
            # what a layer gives
            return tf.nn.relu(y)


x = tf.placeholder(tf.float32, [None, 3])
"""
LINEAR_RUN = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: np.ones([2, 3])}))
"""


def test_calls_that_agree_decide_what_a_function_returns() -> None:
    calls = "y = linear(linear(x, 'a'), 'b', with_w=False)\n"
    text = after(LINEAR + calls + LINEAR_RUN)
    assert "def linear(scope):" in text
    assert "        # what a layer gives\n        return tf.nn.relu(y)\n" in text
    assert "linear('b')" in text


def test_a_function_may_be_called_as_one_of_tensorflow_is() -> None:
    named = LINEAR.replace("def linear", "def matmul") + "y = matmul(x, 'a')\n" + LINEAR_RUN
    text = after(named)
    assert "def matmul(scope):" in text
    assert "with_w" not in text


def test_what_nothing_asks_for_is_no_way() -> None:
    early = LINEAR.partition("        if with_w")[0]
    early += "        if not with_w:\n            return y\n        y = tf.nn.relu(y)\n"
    early += "    return y\n\n\nx = tf.placeholder(tf.float32, [None, 3])\n"
    text = after(early + "y = linear(x, 'a', True)\n" + LINEAR_RUN)
    assert "with_w" not in text


@pytest.mark.parametrize(
    "calls",
    [
        "y = linear(linear(x, 'a'), 'b', with_w=True)[0]\n",
        "f = linear\ny = linear(f(x, 'a'), 'b')\n",
        "t = False\ny = linear(x, 'a', t)\n",
    ],
)
def test_calls_that_don_t_agree_keep_the_session(calls: str) -> None:
    assert "returns in a branch" in stopped(LINEAR + calls + LINEAR_RUN)


ONE_LINE = """\
import tensorflow as tf


def layer(x, n, both=False):
    h = tf.layers.dense(x, n)
    {branch}


x = tf.placeholder(tf.float32, [None, 2])
y = layer(x, 3{argument})
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {{x: [[1.0, 2.0]]}}))
"""


@pytest.mark.parametrize(
    ("branch", "argument", "gives"),
    [
        ("if both: return h, x\n    else: return h", "", "return h_layer(x)"),
        ("if both: return h + x\n    else: return h", ", True", "return h + x"),
        ("if not both: return h * 2.0\n    else:\n        return h", "", "return h * 2.0"),
    ],
)
def test_a_branch_on_one_line(branch: str, argument: str, gives: str) -> None:
    text = after(ONE_LINE.format(branch=branch, argument=argument))
    assert f"        {gives}\n" in text
    assert "both" not in text.replace("both=False", "")


def test_a_comment_in_a_branch_on_one_line_keeps_it() -> None:
    branch = "if both: return h, x  # two\n    else: return h"
    text = after(ONE_LINE.format(branch=branch, argument=""))
    assert "        if both: outputs = h, x  # two\n        else: outputs = h\n" in text
