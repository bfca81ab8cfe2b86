"""``tensorflow.examples.tutorials.mnist.mnist``: the tutorial's network with two hidden layers.

TF 1.15 no longer shipped this module; programs of the older tutorials import it.
"""

from __future__ import annotations

import math
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "IMAGE_PIXELS",
    "IMAGE_SIZE",
    "NUM_CLASSES",
    "evaluation",
    "inference",
    "loss",
    "training",
]

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def _linear(inputs: Any, rows: int, columns: int) -> Any:
    deviation = 1.0 / math.sqrt(float(rows))
    weights = tf.Variable(tf.truncated_normal([rows, columns], stddev=deviation), name="weights")
    biases = tf.Variable(tf.zeros([columns]), name="biases")
    return tf.matmul(inputs, weights) + biases


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    """The logits: two hidden layers with relu, then a linear one.

    Args:
      images: float32 (batch, 784).
      hidden1_units: The size of the first hidden layer.
      hidden2_units: The size of the second.

    Returns:
      float32 (batch, 10). Variables ``hidden1/weights``, ``hidden1/biases``, ``hidden2/…``,
      ``softmax_linear/…``.
    """
    with tf.name_scope("hidden1"):
        hidden1 = tf.nn.relu(_linear(images, IMAGE_PIXELS, hidden1_units))
    with tf.name_scope("hidden2"):
        hidden2 = tf.nn.relu(_linear(hidden1, hidden1_units, hidden2_units))
    with tf.name_scope("softmax_linear"):
        return _linear(hidden2, hidden2_units, NUM_CLASSES)


def loss(logits: Any, labels: Any) -> Any:
    """The mean cross entropy.

    Args:
      logits: float32 (batch, 10).
      labels: Integers (batch).

    Returns:
      A scalar.
    """
    return tf.losses.sparse_softmax_cross_entropy(labels=tf.cast(labels, tf.int64), logits=logits)


def training(loss: Any, learning_rate: float) -> Any:
    """A step of gradient descent, with a summary of the loss.

    Args:
      loss: A scalar.
      learning_rate: The learning rate.

    Returns:
      The train operation, which counts in the variable ``global_step``.
    """
    tf.summary.scalar("loss", loss)
    optimizer = tf.train.GradientDescentOptimizer(learning_rate)
    global_step = tf.Variable(0, name="global_step", trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits: Any, labels: Any) -> Any:
    """How many examples of the batch are right.

    Args:
      logits: float32 (batch, 10).
      labels: Integers (batch).

    Returns:
      An int32 scalar.
    """
    correct = tf.nn.in_top_k(logits, labels, 1)
    return tf.reduce_sum(tf.cast(correct, tf.int32))
