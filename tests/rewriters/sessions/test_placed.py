"""Ops on several devices: each function and each block keeps them, or the program its session."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
with tf.device('/gpu:0'):
    y = x * 2.
{more}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1., 2.]]}}))
    {run}
"""


def upgraded(more: str, run: str = "print(sess.run(z, {x: [[1., 2.]]}))") -> tuple[Level, str, str]:
    text = PROGRAM.format(more=more, run=run)
    (result,) = texts({"program.py": text.encode()}, Options())
    assert result.after is not None
    return result.level, result.after.decode(), " ".join(f.message for f in result.left)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (  # a block that ends what the other one began
            "with tf.device('/gpu:1'):\n    z = y + 1.",
            "    y = compute_y(x)\n    with tf.device('/gpu:1'):\n        return y + 1.\n",
        ),
        (  # one inside another one, as TensorFlow merges them
            "with tf.device('/gpu:1'), tf.name_scope('n'):\n"
            "    with tf.device('/gpu:2'):\n        z = y + 1.",
            "    with tf.device('/gpu:1'), tf.device('/gpu:2'):\n        return y + 1.\n",
        ),
        (  # statements outside of any, between two that are in one
            "with tf.device('/cpu:1'):\n    u = y + 1.\nv = u + 1.\n"
            "with tf.device('/cpu:1'):\n    w = v + 1.\n    z = w + u",
            "    with tf.device('/cpu:1'):\n        u = y + 1.\n    v = u + 1.\n"
            "    with tf.device('/cpu:1'):\n        w = v + 1.\n        return w + u\n",
        ),
        (  # a variable, and a string that goes over two lines
            "with tf.device('/gpu:1'):\n    w = tf.Variable(1.)\n    # one more\n"
            "    z = tf.add(y, w, name='''a\n  b''' and 'z')\n",
            "with tf.device('/gpu:1'):\n    w = tf.Variable(1.)\n",
        ),
        (  # a helper's own
            "def moved(t):\n    with tf.device('/gpu:1'):\n        return t + 1.\nz = moved(y)",
            "    with tf.device('/gpu:1'):\n        return t + 1.\n",
        ),
        (  # of a function that another run shares
            "with tf.device('/device:GPU:1'):\n    z = y + 1.\n    total = tf.reduce_sum(z)\n"
            "print('built')",
            "    with tf.device('/device:GPU:1'):\n        return y + 1.\n",
        ),
    ],
)
def test_each_keeps_its_device(more: str, expected: str) -> None:
    level, text, left = upgraded(more)
    assert level is Level.NATIVE, left
    assert expected in text
    assert "with tf.device('/gpu:0'):\n        return x * 2." in text


@pytest.mark.parametrize(
    ("more", "run"),
    [
        (  # gradients are somewhere, too
            "w = tf.Variable([1., 2.])\nwith tf.device('/gpu:1'):\n    z = y * w\n"
            "train = tf.train.GradientDescentOptimizer(0.1).minimize(z)",
            "sess.run(train, {x: [[1., 2.]]})",
        ),
        (  # layers are made before they are called
            "with tf.device('/gpu:1'):\n    z = tf.layers.dense(y, 1)",
            "print(sess.run(z, {x: [[1., 2.]]}))",
        ),
        (  # variables of a function
            "def net(t):\n    w = tf.Variable([1., 2.])\n    return t * w\n"
            "with tf.device('/gpu:1'):\n    z = net(y)",
            "print(sess.run(z, {x: [[1., 2.]]}))",
        ),
        (  # an object's
            "class Net(object):\n    def __init__(self):\n        with tf.device('/gpu:1'):\n"
            "            self.x = tf.placeholder(tf.float32)\n            self.z = self.x + 1.\n"
            "net = Net()",
            "print(sess.run(net.z, {net.x: [[1., 2.]]}))",
        ),
        (  # what says where isn't read in a function
            "where = '/gpu:1'\nwith tf.device(where):\n    z = y + 1.\nwhere = '/gpu:2'",
            "print(sess.run(z, {x: [[1., 2.]]}))",
        ),
        (  # an op of the run's own
            "z = y",
            "with tf.device('/gpu:1'):\n        print(sess.run(tf.add(y, 1.), {x: [[1., 2.]]}))",
        ),
        ("with tf.device('/tpu:1'):\n    z = y + 1.", "print(sess.run(z, {x: [[1., 2.]]}))"),
        (
            "with tf.device('/job:ps/task:0/cpu:0'):\n    z = y + 1.",
            "print(sess.run(z, {x: [[1., 2.]]}))",
        ),
    ],
)
def test_what_would_be_somewhere_else_keeps_its_session(more: str, run: str) -> None:
    level, _, left = upgraded(more, run)
    assert level is Level.COMPAT
    assert "ops are put on" in left


def test_one_gpu_beside_the_cpu_is_as_before() -> None:
    """TF 2 takes the first GPU: one other than that is said, and has no block."""
    text = PROGRAM.format(more="with tf.device('/cpu:0'):\n    z = y + 1.", run="pass")
    (result,) = texts({"program.py": text.encode()}, Options())
    assert result.after is not None
    assert result.level is Level.NATIVE
    assert "tf.device" not in result.after.decode()
