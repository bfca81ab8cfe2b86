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


@pytest.mark.parametrize(
    ("given", "seed"),
    [("folder, fake_data=True", ""), ("folder", "tf.set_random_seed(1)")],
)
def test_others_stay(given: str, seed: str) -> None:
    assert upgrade(given, seed)["train.py"].level is Level.COMPAT
