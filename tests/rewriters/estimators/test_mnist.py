"""`--to keras`: MNIST by the name that contrib.learn has for it.

Numbers: fixtures/keras/mnist_files.
"""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """import tensorflow as tf
from tensorflow.contrib import learn


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features['x'], 10)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


data = DATA
labels = data.train.labels.astype('int32')
net = tf.estimator.Estimator(model_fn)
net.train(tf.estimator.inputs.numpy_input_fn({'x': data.train.images}, labels, shuffle=True))
"""
FETCHED = ', source_url="https://storage.googleapis.com/cvdf-datasets/mnist/")\n'


def upgraded(data: str, above: str = "") -> tuple[Level | None, str, str]:
    text = PROGRAM.replace("DATA", data).replace("data = ", f"{above}data = ")
    (result,) = texts({"program.py": text.encode()}, Options(to="keras"))
    left = [f.message for f in result.left if f.rule in ("TFM520", "TFM301")]
    return result.level, (result.after or b"").decode(), "".join(left)


@pytest.mark.parametrize(
    ("data", "folder"),
    [
        ("tf.contrib.learn.datasets.load_dataset('mnist')", '"MNIST-data"'),
        ("learn.datasets.load_dataset(name='mnist')", '"MNIST-data"'),
        ("learn.datasets.mnist.load_mnist()", '"MNIST-data"'),
        ("learn.datasets.mnist.load_mnist(train_dir='a')", "'a'"),
        ("learn.datasets.DATASETS['mnist']('a' + 'b')", "'a' + 'b'"),
        ("learn.datasets.DATASETS['mnist'](train_dir='a')", "'a'"),
    ],
)
def test_mnist_is_read_where_it_was_and_fetched_from_where_it_was(data: str, folder: str) -> None:
    level, after, said = upgraded(data)
    assert level is Level.NATIVE, said
    assert f"\ndata = read_data_sets({folder}{FETCHED}" in after
    assert "urllib.request.urlretrieve(" in after
    assert "contrib" not in after


def test_two_readers_of_a_file_are_one_that_fetches() -> None:
    level, after, said = upgraded(
        "learn.datasets.load_dataset('mnist')",
        "from tensorflow.examples.tutorials.mnist import input_data\n"
        "other = input_data.read_data_sets('a', one_hot=True)\n",
    )
    assert level is Level.NATIVE, said
    assert after.count("def read_data_sets(") == 1
    assert "\nother = read_data_sets('a', one_hot=True)\n" in after
    assert FETCHED in after


@pytest.mark.parametrize(
    ("data", "above"),
    [
        ("learn.datasets.load_dataset('dbpedia')", ""),
        ("learn.datasets.load_dataset('mnist', 'large')", ""),
        ("learn.datasets.load_dataset(name)", "name = 'mnist'\n"),
        ("learn.datasets.DATASETS['boston']()", ""),
        ("learn.datasets.DATASETS['mnist'](*['a'])", ""),
        ("learn.datasets.DATASETS['mnist']('a', 1)", ""),
        ("learn.datasets.load_dataset('mnist')", "class Mnist:\n    pass\n\n\n"),
        ("learn.datasets.load_dataset('mnist')", "read_data_sets = 3\n"),
    ],
)
def test_other_data_stay(data: str, above: str) -> None:
    assert upgraded(data, above)[0] is Level.COMPAT
