"""``tf.contrib.sparsemax``: softmax with zeros (https://arxiv.org/abs/1602.02068)."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["sparsemax", "sparsemax_loss"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.sparsemax")


def sparsemax(logits: Any, name: str | None = None) -> Any:
    """The point of the simplex that is nearest to each row.

    Args:
      logits: A float tensor (batch, num_classes).
      name: The name scope; by default "sparsemax".

    Returns:
      (batch, num_classes): not negative, each row sums to 1; NaN where a row has NaN or inf.
    """
    with tf.name_scope(name, "sparsemax", [logits]):
        z = tf.convert_to_tensor(logits, name="logits")
        rows, size = tf.shape(z)[0], tf.shape(z)[1]
        ordered, _ = tf.nn.top_k(z, k=size)
        sums = tf.cumsum(ordered, axis=1)
        k = tf.range(1, tf.cast(size, z.dtype) + 1, dtype=z.dtype)
        count = tf.reduce_sum(tf.cast(1 + k * ordered > sums, tf.int32), axis=1)
        at = tf.stack([tf.range(rows), tf.maximum(count, 1) - 1], axis=1)
        threshold = (tf.gather_nd(sums, at) - 1) / tf.cast(count, z.dtype)
        found = tf.maximum(tf.cast(0, z.dtype), z - threshold[:, tf.newaxis])
        bad = tf.logical_or(tf.equal(count, 0), tf.math.is_nan(sums[:, -1]))
        return tf.where(bad, tf.fill([rows, size], tf.cast(float("nan"), z.dtype)), found)


def sparsemax_loss(logits: Any, sparsemax: Any, labels: Any, name: str | None = None) -> Any:
    """The loss whose gradient by the logits is ``sparsemax(logits) - labels``.

    Args:
      logits: A float tensor (batch, num_classes).
      sparsemax: What `sparsemax` gives for them.
      labels: Probabilities (batch, num_classes).
      name: The name scope; by default "sparsemax_loss".

    Returns:
      The losses (batch).
    """
    with tf.name_scope(name, "sparsemax_loss", [logits, sparsemax, labels]):
        z = tf.convert_to_tensor(logits, name="logits")
        p = tf.convert_to_tensor(sparsemax, name="sparsemax")
        q = tf.convert_to_tensor(labels, name="labels")
        # Where p is 0, z may be minus infinity.
        support = tf.logical_or(p > 0, tf.math.is_nan(p))
        chosen = tf.where(support, p * (z - 0.5 * p), tf.zeros_like(p))
        missed = q * (0.5 * q - z)
        nowhere = tf.logical_and(tf.equal(q, 0), tf.math.is_inf(z))
        return tf.reduce_sum(chosen + tf.where(nowhere, tf.zeros_like(z), missed), axis=1)
