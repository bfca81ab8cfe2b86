"""`--to keras`: what texts become, and model_fns that branches choose."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = """import sys
import numpy as np
import tensorflow as tf


def one(features, labels, mode):
    logits = tf.layers.dense({net}, 2)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def two(features, labels, mode):
    logits = tf.layers.dense(tf.cast(features, tf.float32), 2, use_bias=False)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


{choice}
net.train(lambda: tf.data.Dataset.from_tensors(([[1, 0, 2]], [1])).repeat(), steps=4)
"""
CAST = "tf.cast(features, tf.float32)"
ONE = "net = tf.estimator.Estimator(one)"


def program(choice: str = ONE, net: str = CAST) -> str:
    return PROGRAM.replace("{choice}", choice).replace("{net}", net)


MADE = "net = tf.estimator.Estimator(model_fn=chosen)"


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (f"chosen = one\nif sys.argv[1:]:\n    chosen = two\n{MADE}",
         "if sys.argv[1:]:\n    net = Two()\nelse:\n    net = One()\n"),
        (f"if sys.argv[1:]:\n    chosen = two\nelse:\n    chosen = one\n{MADE}",
         "if sys.argv[1:]:\n    net = Two()\nelse:\n    net = One()\n"),
        (f"if sys.argv[2:]:\n    chosen = two\nelif sys.argv[1:]:\n    chosen = one\nelse:\n"
         f"    chosen = two\n{MADE}",
         "if sys.argv[2:]:\n    net = Two()\nelif sys.argv[1:]:\n    net = One()\nelse:\n"),
    ],
)  # fmt: skip
def test_branches_choose_a_model(choice: str, said: str) -> None:
    assert said in after(program(choice))


@pytest.mark.parametrize(
    "choice",
    [
        f"chosen = one\nif sys.argv[1:]:\n    chosen = two\n    print(1)\n{MADE}",
        f"chosen = one\nif sys.argv[1:]:\n    chosen = two\nsys.argv.pop()\n{MADE}",
        f"chosen = one\nif sys.argv[1:]:\n    chosen = two\n{MADE}\nprint(chosen)",
        f"chosen = one\nif sys.argv[1:]:\n    chosen = len\n{MADE}",
    ],
)
def test_other_choices_stay(choice: str) -> None:
    assert "the model_fn isn't seen" in stopped(program(choice))[1]


def test_a_bag_of_words() -> None:
    bag = "tf.contrib.layers.bow_encoder(features, 5, 3)"
    text = program().replace(f"dense({CAST}, 2)", "dense(bag, 2)", 1)
    text = text.replace("    logits", f"    bag = {bag}\n    logits", 1)
    new = after(text)
    assert "tf.nn.safe_embedding_lookup_sparse(self.embeddings.value, tf.sparse.from_dense(" in new
    assert "self.add_weight(shape=[5, 3]" in new
    other = text.replace("5, 3)", "5, 3, False)", 1)
    assert "bow_encoder in a model_fn isn't followed" in stopped(other)[1]


LEARN = "tf.contrib.learn.preprocessing."


def test_texts_have_a_class_in_the_file() -> None:
    words = f"words = {LEARN}VocabularyProcessor(9, min_frequency=2)\n"
    new = after(program(f"{words}print(list(words.fit_transform(['a b'])))\n{ONE}"))
    assert "class VocabularyProcessor:" in new
    assert "words = VocabularyProcessor(9, min_frequency=2)" in new
    new = after(program(f"letters = {LEARN}ByteProcessor(9)\nprint(letters)\n{ONE}"))
    assert "class ByteProcessor:" in new
    assert "contrib" not in new


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (f"x = {LEARN}VocabularyProcessor(9, vocabulary=sys.argv)\n", "`vocabulary` of a Vocab"),
        (f"x = {LEARN}ByteProcessor(9).reverse([])\n", "how a ByteProcessor"),
        ("from tensorflow.contrib.learn.python.learn.preprocessing import VocabularyProcessor\n"
         "x = VocabularyProcessor(9)\n", "how the VocabularyProcessor"),
    ],
)  # fmt: skip
def test_other_processors_stay(made: str, reason: str) -> None:
    assert reason in stopped(program(made + ONE))[1]
