"""Fed tensors are float32 where a part of them is; branches of helpers that all calls decide."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf


def weights(shape):
    initial = tf.random_normal(shape)
    return tf.Variable(initial)


x = tf.placeholder(tf.float32, [None, 3])
w = weights([3, 2])
n = tf.shape(x)[0]
"""
RUN = """\
y = z * 2.0
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {z: [[1.0, 2.0]]}))
    print(sess.run(z, {x: [[1.0, 2.0, 3.0]]}))
"""
TYPE = "tf.TensorSpec(None, tf.float32)"


@pytest.mark.parametrize(
    "made",
    [
        "z = tf.matmul(x, w) + tf.random_normal(tf.stack([n, 2]))",
        "h = tf.reshape(tf.matmul(x, w), [n, 2])\nz = 1.0 - tf.exp(h)",
        "z = tf.tile(w, [n, 1])",
        "z = tf.concat([tf.matmul(x, w), tf.zeros([n, 2])], 0)",
    ],
)
def test_a_part_tells_the_type(made: str) -> None:
    assert TYPE in after(HEAD + made + "\n" + RUN)


@pytest.mark.parametrize(
    ("made", "spec"),
    [
        ("z = tf.count_nonzero(x, 1, dtype=tf.int32)", "[None], tf.int32"),
        ("z = tf.count_nonzero(x, axis=1)", "[None], tf.int64"),
        ("z = tf.argmax(x, 1, output_type=tf.int32)", "[None], tf.int32"),
        ("z = tf.cast(x, tf.int64)", "[None, None], tf.int64"),
        ("z = tf.count_nonzero(x, 1, keepdims=True)", ""),
        ("z = tf.count_nonzero(x, n)", ""),
        ("z = tf.count_nonzero(x)", ""),
    ],
)
def test_a_call_says_type_and_rank(made: str, spec: str) -> None:
    run = RUN.replace("* 2.0", "+ tf.cast(z, tf.float32)")
    if spec:
        assert f"tf.TensorSpec({spec})" in after(HEAD + made + "\n" + run)
    else:
        assert "has a type that isn't seen" in stopped(HEAD + made + "\n" + run)


@pytest.mark.parametrize(
    "made",
    [
        "z = tf.cast(tf.tile([[n]], [1, 2]), tf.int32)",
        "z = tf.py_func(lambda a: a[:, :2], [x], tf.float64)",
        "z = tf.cast(tf.matmul(x, w), tf.float64) + tf.cast(n, tf.float64)",
    ],
)
def test_types_that_are_not_seen_keep_the_session(made: str) -> None:
    assert "has a type that isn't seen" in stopped(HEAD + made + "\n" + RUN.replace("* 2.0", "+ z"))


NOISY = """\
def noise(shape, eps=1e-20):
    u = tf.random_uniform(shape, minval=0, maxval=1)
    return -tf.log(-tf.log(u + eps) + eps)


def sample(logits, hard=False):
    y = logits + noise(tf.shape(logits))
    y = tf.nn.softmax(y / 0.5)
    if hard:
        top = tf.cast(tf.equal(y, tf.reduce_max(y, 1, keep_dims=True)), y.dtype)
        y = tf.stop_gradient(top - y) + y
    return y


def same(t):
    return tf.identity(t)


"""


@pytest.mark.parametrize(
    "made",
    ["z = tf.reshape(sample(tf.matmul(x, w)), [-1, 2])", "z = same(tf.matmul(x, w)) * 3"],
)
def test_what_a_function_draws_or_is_given_tells_the_type(made: str) -> None:
    assert TYPE in after(HEAD + NOISY + made + "\n" + RUN)


@pytest.mark.parametrize(
    ("made", "old", "new"),
    [
        # another type on one way
        ("z = sample(tf.matmul(x, w))", "    return y\n", "    return tf.cast(y, tf.float64)\n"),
        ("z = sample(tf.matmul(x, w))", "        y = tf.stop_gradient(top - y) + y\n",
         "        y = tf.cast(top, tf.float64)\n"),
        # drawn otherwise
        ("z = tf.reshape(noise([n, 2]), [-1, 2])", "maxval=1)", "maxval=1, dtype=tf.float64)"),
        # it isn't seen what it is given
        ("z = same(tf.cast(tf.tile([[n]], [1, 2]), tf.float64))", "", ""),
        # a name that is of itself alone
        ("z = sample(tf.matmul(x, w))", "    y = logits + noise(tf.shape(logits))\n",
         "    y = tf.cast(tf.shape(logits), tf.float64)\n"),
    ],
)  # fmt: skip
def test_what_a_function_may_give_otherwise_keeps_the_session(
    made: str, old: str, new: str
) -> None:
    assert not old or old in NOISY
    run = RUN.replace("z * 2.0", "z + z")
    assert "has a type" in stopped(HEAD + NOISY.replace(old, new) + made + "\n" + run)


BUILDER = """\
import numpy as np
import tensorflow as tf


def build(size=2, fixed=False):
    if fixed:
        x = tf.Variable(np.zeros((4, size), np.float32))
    else:
        x = tf.placeholder(tf.float32, [None, size])
    w = tf.Variable(tf.ones([size, 1]))
    return {"x": x, "y": tf.matmul(x, w)}


def main():
    net = build()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(net["y"], {net["x"]: [[1.0, 2.0]]}))


main()
"""


def test_a_branch_that_all_calls_decide_is_that_way() -> None:
    text = after(BUILDER)
    assert "def build(size=2" in text
    assert "    x = tf.TensorSpec([None, size], tf.float32)\n" in text
    assert "np.zeros" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("net = build()", "net = build(fixed=bool(np.random.rand() > 2))"),
        ("    if fixed:", "    fixed = size > 3\n    if fixed:"),
        ("main()\n", "main()\nprint(build)\n"),
    ],
)
def test_what_else_may_decide_it_keeps_the_session(old: str, new: str) -> None:
    place = BUILDER.rindex(old)
    stopped(BUILDER[:place] + new + BUILDER[place + len(old) :])
