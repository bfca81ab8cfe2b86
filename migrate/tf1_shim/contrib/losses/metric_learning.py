"""``tf.contrib.losses.metric_learning``: losses of embeddings, by which of them belong together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "contrastive_loss",
    "lifted_struct_loss",
    "npairs_loss",
    "npairs_loss_multilabel",
    "triplet_semihard_loss",
]

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.losses.metric_learning",
    {"cluster_loss": "its search for medoids is not in the shim: use triplet_semihard_loss"},
)


def _squared_distances(embeddings: Any) -> Any:
    """(n, n), of the rows; zero on the diagonal, without a gradient where it is zero."""
    squares = tf.reduce_sum(tf.square(embeddings), axis=1)
    found = squares[:, None] + squares[None, :]
    found = tf.maximum(found - 2.0 * tf.matmul(embeddings, embeddings, transpose_b=True), 0.0)
    apart = tf.cast(found > 0.0, tf.float32)
    return found * apart * (1.0 - tf.eye(tf.shape(embeddings)[0]))


def _distances(embeddings: Any) -> Any:
    squared = _squared_distances(embeddings)
    apart = tf.cast(squared > 0.0, tf.float32)
    return tf.sqrt(squared + (1.0 - apart) * 1e-16) * apart


def _masked_max(values: Any, mask: Any) -> Any:
    """The largest of the last axis where the mask is one; the smallest of all where it is none."""
    least = tf.reduce_min(values, axis=-1, keepdims=True)
    return tf.reduce_max((values - least) * mask, axis=-1, keepdims=True) + least


def _masked_min(values: Any, mask: Any) -> Any:
    return -_masked_max(-values, mask)


def _same(labels: Any) -> Any:
    """(n, n): whether two rows have one label."""
    labels = tf.convert_to_tensor(labels)
    if labels.shape.rank != 1:
        raise ValueError(f"labels must be (batch). Received: {labels.shape}")
    return tf.equal(labels[:, None], labels[None, :])


def contrastive_loss(
    labels: Any, embeddings_anchor: Any, embeddings_positive: Any, margin: float = 1.0
) -> Any:
    """Pairs that belong together are drawn together, others pushed apart up to a margin.

    Source: Hadsell, Chopra, LeCun, "Dimensionality Reduction by Learning an Invariant Mapping",
    2006.

    Args:
      labels: (batch), 1 for a pair that belongs together, else 0.
      embeddings_anchor: (batch, size), of length one.
      embeddings_positive: (batch, size), of length one.
      margin: The distance from which on others don't count.

    Returns:
      A scalar.
    """
    gaps = tf.squared_difference(embeddings_anchor, embeddings_positive)
    distances = tf.sqrt(tf.reduce_sum(gaps, axis=1))
    together = tf.cast(labels, distances.dtype)
    apart = tf.square(tf.maximum(margin - distances, 0.0))
    each = together * tf.square(distances) + (1.0 - together) * apart
    return tf.reduce_mean(each, name="contrastive_loss")


def triplet_semihard_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> Any:
    """Of anchor, positive and the nearest negative that is farther than the positive.

    Where there is no such negative the farthest one counts. Source: arXiv:1503.03832.

    Args:
      labels: (batch), the classes.
      embeddings: (batch, size), of length one.
      margin: By how much a negative should be farther than a positive, in squares.

    Returns:
      A scalar, the mean over all pairs of anchor and positive.
    """
    same = _same(labels)
    squared = _squared_distances(embeddings)
    others = tf.cast(tf.logical_not(same), tf.float32)
    farther = tf.cast(squared[:, None, :] > squared[:, :, None], tf.float32) * others[:, None, :]
    # (anchor, positive, negative)
    every = tf.broadcast_to(squared[:, None, :], tf.shape(farther))
    nearest = _masked_min(every, farther)[:, :, 0]
    farthest = _masked_max(squared, others) * tf.ones_like(squared)
    negatives = tf.where(tf.reduce_sum(farther, axis=2) > 0.0, nearest, farthest)
    positives = tf.cast(same, tf.float32) - tf.eye(tf.shape(squared)[0])
    losses = tf.maximum((margin + squared - negatives) * positives, 0.0)
    return tf.truediv(tf.reduce_sum(losses), tf.reduce_sum(positives), name="triplet_semihard_loss")


def lifted_struct_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> Any:
    """Each pair of one class against all pairs of others that either of the two is in.

    Source: arXiv:1511.06452.

    Args:
      labels: (batch), the classes.
      embeddings: (batch, size), not of length one.
      margin: The distance that others should have.

    Returns:
      A scalar, the mean over all pairs of one class.
    """
    same = _same(labels)
    distances = _distances(embeddings)
    others = tf.cast(tf.logical_not(same), tf.float32)
    gaps = margin - distances
    largest = _masked_max(gaps, others)
    shift = tf.maximum(largest, tf.transpose(largest))
    # The sum over the negatives of either, after the largest for the sake of the exponential.
    sums = tf.reduce_sum(tf.exp(gaps[:, None, :] - shift[:, :, None]) * others[:, None, :], axis=2)
    each = shift + tf.log(sums + tf.transpose(sums)) + distances
    positives = tf.cast(same, tf.float32) - tf.eye(tf.shape(distances)[0])
    total = tf.reduce_sum(tf.square(tf.maximum(each * positives, 0.0)))
    return tf.truediv(0.25 * total, tf.reduce_sum(positives) / 2.0, name="liftedstruct_loss")


def _npairs(
    shared: Any, anchors: Any, positives: Any, reg_lambda: float, print_losses: bool
) -> Any:
    lengths = [tf.reduce_mean(tf.reduce_sum(tf.square(x), 1)) for x in (anchors, positives)]
    penalty = tf.multiply(0.25 * reg_lambda, lengths[0] + lengths[1], name="l2loss")
    logits = tf.matmul(anchors, positives, transpose_b=True)
    targets = shared / tf.reduce_sum(shared, 1, keepdims=True)
    entropy = tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=targets)
    entropy = tf.reduce_mean(entropy, name="xentropy")
    if print_losses:
        entropy = tf.Print(entropy, ["cross entropy:", entropy, "l2loss:", penalty])
    return penalty + entropy


def npairs_loss(
    labels: Any,
    embeddings_anchor: Any,
    embeddings_positive: Any,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Any:
    """The cross entropy of finding an anchor's positive among all, and a penalty of length.

    Source: Sohn, "Improved Deep Metric Learning with Multi-class N-pair Loss Objective", 2016.

    Args:
      labels: (pairs), the class of each pair.
      embeddings_anchor: (pairs, size), not of length one.
      embeddings_positive: (pairs, size), not of length one.
      reg_lambda: The weight of the penalty.
      print_losses: Whether to print both parts to stderr in each step.

    Returns:
      A scalar.
    """
    shared = tf.cast(_same(labels), tf.float32)
    return _npairs(shared, embeddings_anchor, embeddings_positive, reg_lambda, print_losses)


def npairs_loss_multilabel(
    sparse_labels: Sequence[Any],
    embeddings_anchor: Any,
    embeddings_positive: Any,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Any:
    """`npairs_loss` of pairs with several classes: what two share is the weight of their pair.

    Args:
      sparse_labels: For each pair a ``tf.SparseTensor`` (classes) of zeros and ones.
      embeddings_anchor: (pairs, size), not of length one.
      embeddings_positive: (pairs, size), not of length one.
      reg_lambda: The weight of the penalty.
      print_losses: Whether to print both parts to stderr in each step.

    Returns:
      A scalar.

    Raises:
      TypeError: If a label is no ``tf.SparseTensor``.
    """
    for given in sparse_labels:
        if not isinstance(given, tf.SparseTensor):
            raise TypeError(f"Each pair's labels must be a tf.SparseTensor. Received: {given!r}")
    with tf.name_scope("NpairsLossMultiLabel"):
        dense = tf.stack([tf.sparse.to_dense(one) for one in sparse_labels])
        dense = tf.cast(dense, tf.float32)
        shared = tf.matmul(dense, dense, transpose_b=True)
        return _npairs(shared, embeddings_anchor, embeddings_positive, reg_lambda, print_losses)
