"""Functions whose variables are shaped by their input: what starts these, and helpers for them."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

{helper}
def fc(x, n):
    d = x.get_shape().as_list()[1]
    {w}
    return tf.matmul(x, w)


x = tf.placeholder(tf.float32, [None, 3])
y = fc(tf.nn.relu(fc(x, 4)), 2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1., 2., 3.]]}}))
"""
HELPER = """\
def weights(shape):
    initial = tf.random_normal(shape, stddev=0.1)
    return tf.Variable(initial)


"""


def upgrade(w: str, helper: str = "") -> FileResult:
    source = PROGRAM.format(w=w, helper=helper)
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize(
    ("w", "weight"),
    [
        ("w = tf.Variable(tf.ones([d, n]))", "shape=[d, self.n], initializer={}Ones()"),
        (
            "w = tf.Variable(tf.truncated_normal([d, n]))",
            "shape=[d, self.n], initializer={}TruncatedNormal(stddev=1.0)",
        ),
        (
            "w = tf.get_variable('w', initializer=tf.constant(0.5, shape=[d, n]))",
            "shape=[d, self.n], initializer={}Constant(0.5)",
        ),
        (
            "s = [d, n]\n    w = tf.Variable(tf.random_uniform(s))",
            "shape=s, initializer={}RandomUniform(minval=0.0, maxval=1.0)",
        ),
    ],
)
def test_a_first_value_becomes_an_initializer(w: str, weight: str) -> None:
    result = upgrade(w)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = " ".join(result.after.decode().split())
    assert weight.format("tf.keras.initializers.") in text


def test_a_helper_that_makes_the_variable_is_written_in_place() -> None:
    result = upgrade("w = weights([d, n])", HELPER)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "def weights" not in text
    assert "RandomNormal(stddev=0.1)" in text


@pytest.mark.parametrize(
    "w",
    [
        "w = tf.Variable(x[:3])",
        "w = tf.Variable(tf.random_normal([d, n]) * x[0, 0])",
    ],
)
def test_another_value_keeps_the_session(w: str) -> None:
    assert upgrade(w).level is Level.COMPAT


@pytest.mark.parametrize(
    "w",
    [
        "w = tf.Variable(tf.ones([d, n]) + 2.)",
        "first = tf.ones([d, n])\n    w = tf.Variable(first) + first",
    ],
)
def test_the_size_of_another_value_is_an_argument(w: str) -> None:
    result = upgrade(w)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "get_shape" not in text
    assert "tf.ones([d, n])" in text


COMMENTED = """\
import tensorflow as tf


def net(x):
    w = tf.Variable(tf.ones([3, 2]))
    # the logits
    logits = tf.matmul(x, w)
    # what they stand for
    return {}  # in all


x = tf.placeholder(tf.float32, [None, 3])
y = net(x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1., 2., 3.]]}}))"""


@pytest.mark.parametrize("result", ["logits", "tf.nn.relu(logits)"])
def test_comments_of_a_return_stay_and_so_does_the_end_of_the_text(result: str) -> None:
    (upgraded,) = texts({"program.py": COMMENTED.format(result).encode()}, Options())
    assert upgraded.level is Level.NATIVE
    assert upgraded.after is not None
    text = upgraded.after.decode()
    for comment in ("        # the logits\n", "        # what they stand for\n", "  # in all\n"):
        assert comment in text
    assert text.endswith(")")
