"""Variables that start with draws of one seed: each op of a graph begins it anew."""

from __future__ import annotations

import subprocess
import sys

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

RUN = """
x = tf.placeholder(tf.float32, [None, 2])
y = tf.matmul(tf.matmul(x, w1), w2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    found = sess.run(y, {x: [[0.7, 0.9]]})
"""
FORWARD = 3.957578  # TF 1.15.5, of the two variables below
TWO = """
w1 = tf.Variable(tf.random_normal([2, 3], stddev=1, seed=1))
w2 = tf.Variable(tf.random_normal([3, 1], stddev=1, seed=1))
"""
HELPER = """
def weight(shape):
    return tf.Variable(tf.random_normal(shape, 0.0, 1.0, tf.float32, 1))

w1, w2 = weight([2, 3]), weight([3, 1])
"""
KEPT = """
class Net:
    def __init__(self):
        initial = tf.random_normal([2, 3], seed=1)
        self.w1 = tf.Variable(initial)
        with tf.variable_scope("b"):
            self.w2 = tf.get_variable("w2", initializer=tf.random_normal([3, 1], seed=1))

net = Net()
w1, w2 = net.w1, net.w2
"""


def written(start: str) -> str:
    (result,) = texts({"program.py": f"import tensorflow as tf\n{start}{RUN}".encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def test_equal_seeds_start_alike() -> None:
    # A process of their own: a seed that some other test has set, or draws of it, would count.
    printed = "".join(f"{written(start)}print(found.item())\n" for start in (TWO, HELPER, KEPT))
    run = subprocess.run(
        [sys.executable, "-c", printed], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    assert [float(line) for line in run.stdout.split()] == pytest.approx([FORWARD] * 3, rel=1e-6)


def test_only_what_would_go_on_is_a_function() -> None:
    text = written(TWO)
    assert "w1 = tf.Variable(tf.random.normal([2, 3], stddev=1, seed=1))\n" in text
    assert "w2 = tf.Variable(tf.function(tf.random.normal)([3, 1], stddev=1, seed=1))\n" in text
    other = written(TWO.replace("[3, 1], stddev=1, seed=1", "[3, 1], stddev=1, seed=2"))
    assert "tf.function(tf.random" not in other
    assert "tf.function(tf.random" not in written(TWO.replace(", seed=1", ", seed=None"))
