"""MNIST that a class of data reads, which no graph is made in."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

DATA = """\
from tensorflow.examples.tutorials.mnist import input_data


class Digits(object):
    def __init__(self, folder):
        self.data = input_data.read_data_sets({given})

    def __call__(self, size):
        return self.data.train.next_batch(size)
"""
TRAIN = """\
import tensorflow as tf
from digits import Digits

{seed}
x = tf.placeholder(tf.float32, [None, 784])
w = tf.Variable(tf.ones([784, 2]))
y = tf.reduce_mean(tf.matmul(x, w))
data = Digits("mnist")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    images, _ = data(8)
    print(sess.run(y, {{x: images}}))
"""

ONE = """\
import tensorflow as tf
from tensorflow.examples.tutorials.mnist import input_data

x = tf.placeholder(tf.float32, [None, 784])
w = tf.Variable(tf.ones([784, 2]))
y = tf.reduce_mean(tf.matmul(x, w))
data = input_data.read_data_sets("mnist")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    size = 8
    print(sess.run(y, {{x: data.train.next_batch({size})[0]}}))
"""


def upgrade(given: str, seed: str = "") -> dict[str, FileResult]:
    files = {"digits.py": DATA.format(given=given), "train.py": TRAIN.format(seed=seed)}
    results = texts({name: text.encode() for name, text in files.items()}, Options())
    return {result.path: result for result in results}


def test_the_file_has_a_reader() -> None:
    results = upgrade("folder, one_hot=True")
    assert {r.level for r in results.values()} == {Level.NATIVE}
    after = (results["digits.py"].after or b"").decode()
    assert "self.data = read_data_sets(folder, one_hot=True)\n" in after
    assert after.count("def read_data_sets(") == 1
    assert "tensorflow" not in after


def test_it_is_told_whether_its_data_are_real() -> None:
    results = upgrade("folder, fake_data=True, seed=3")
    assert {r.level for r in results.values()} == {Level.NATIVE}
    after = (results["digits.py"].after or b"").decode()
    assert "self.data = read_data_sets(folder, fake_data=True, seed=3)\n" in after
    assert "class FakeMnist:" in after


@pytest.mark.parametrize("size", ["size, False", "size, fake_data=False", "*size", "size, **size"])
def test_batches_are_told_it_second(size: str) -> None:
    result = next(iter(texts({"a.py": ONE.format(size=size).encode()}, Options())))
    assert result.level is Level.NATIVE
    after = (result.after or b"").decode()
    assert "def next_batch(self, batch_size, fake_data=False, shuffle=True):" in after
    assert "FakeMnist" not in after


@pytest.mark.parametrize(
    ("given", "seed"),
    [("folder, dtype=tf.uint8", ""), ("folder", "tf.set_random_seed(1)"), ("folder, seed=-1", "")],
)
def test_others_stay(given: str, seed: str) -> None:
    assert upgrade(given, seed)["train.py"].level is Level.COMPAT
