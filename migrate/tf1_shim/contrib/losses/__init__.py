"""``tf.contrib.losses``: losses with the predictions first, on top of ``tf.losses``."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "absolute_difference",
    "add_loss",
    "compute_weighted_loss",
    "cosine_distance",
    "get_losses",
    "get_regularization_losses",
    "get_total_loss",
    "hinge_loss",
    "log_loss",
    "mean_pairwise_squared_error",
    "mean_squared_error",
    "metric_learning",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]

__getattr__ = _lazy.attributes(__name__, ("metric_learning",), "tf.contrib.losses")

get_regularization_losses = tf.losses.get_regularization_losses


def add_loss(loss: Any, loss_collection: str | None = tf.GraphKeys.LOSSES) -> None:
    """Add a loss to a collection, LOSSES by default."""
    if loss_collection:
        tf.add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = tf.GraphKeys.LOSSES) -> list[Any]:
    """The losses of a collection, filtered by scope."""
    found: list[Any] = tf.get_collection(loss_collection, scope)
    return found


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss") -> Any:
    """The sum of LOSSES, and of REGULARIZATION_LOSSES if asked for."""
    losses = get_losses()
    if add_regularization_losses:
        losses = losses + get_regularization_losses()
    return tf.add_n(losses, name=name)


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> Any:
    """The weighted losses' sum over the count of non-zero weights, added to LOSSES.

    Args:
      losses: A tensor (batch, …).
      weights: A scalar, (batch) or the losses' shape.
      scope: The name scope; by default "weighted_loss".

    Returns:
      A scalar.
    """
    with tf.name_scope(scope, "weighted_loss", [losses, weights]):
        losses = tf.cast(tf.convert_to_tensor(losses), tf.float32)
        weights = tf.cast(tf.convert_to_tensor(weights), tf.float32)
        rank = losses.shape.rank
        for _ in range(rank - (weights.shape.rank or 0)):
            weights = tf.expand_dims(weights, -1) if weights.shape.rank else weights
        whole = weights * tf.ones_like(losses)
        present = tf.reduce_sum(tf.cast(tf.not_equal(whole, 0.0), tf.float32))
        loss = tf.div_no_nan(tf.reduce_sum(losses * weights), present, name="value")
        add_loss(loss)
        return loss


def _required(labels: Any, name: str) -> None:
    if labels is None:
        raise ValueError(f"{name} cannot be None.")


def absolute_difference(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """The mean of ``|predictions - labels|``: see `compute_weighted_loss`."""
    _required(labels, "labels")
    with tf.name_scope(scope, "absolute_difference", [predictions, labels, weights]) as scope:
        gap = tf.abs(tf.subtract(tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32)))
        return compute_weighted_loss(gap, weights, scope)


def mean_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """The mean of ``(predictions - labels) ** 2``: see `compute_weighted_loss`."""
    _required(labels, "labels")
    with tf.name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as scope:
        gap = tf.subtract(tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32))
        return compute_weighted_loss(tf.square(gap), weights, scope)


def log_loss(
    predictions: Any,
    labels: Any = None,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
) -> Any:
    """The mean logarithmic loss of probabilities: see `compute_weighted_loss`.

    Args:
      predictions: Probabilities.
      labels: Labels of the same shape.
      weights: The weights.
      epsilon: Added inside of the logarithms.
      scope: The name scope.

    Returns:
      A scalar.
    """
    _required(labels, "labels")
    with tf.name_scope(scope, "log_loss", [predictions, labels, weights]) as scope:
        predictions, labels = tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32)
        losses = -tf.multiply(labels, tf.log(predictions + epsilon)) - tf.multiply(
            (1 - labels), tf.log(1 - predictions + epsilon)
        )
        return compute_weighted_loss(losses, weights, scope)


def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Any:
    """The hinge losses ``max(0, 1 - labels * logits)``, one for each entry, in no collection.

    Args:
      logits: The logits.
      labels: 0 or 1, of the same shape.
      scope: The name scope.

    Returns:
      A tensor of the logits' shape.
    """
    with tf.name_scope(scope, "hinge_loss", [logits, labels]):
        labels = tf.cast(labels, tf.float32)
        signs = tf.subtract(2 * labels, tf.ones_like(labels))
        return tf.nn.relu(tf.subtract(tf.ones_like(labels), tf.multiply(signs, logits)))


def cosine_distance(
    predictions: Any,
    labels: Any = None,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    dim: int | None = None,
) -> Any:
    """``1 - sum(predictions * labels)`` of vectors of length one: see `compute_weighted_loss`.

    Args:
      predictions: The predictions.
      labels: The labels.
      axis: The axis of the vectors.
      weights: The weights.
      scope: The name scope.
      dim: The older name of ``axis``.

    Returns:
      A scalar.
    """
    _required(labels, "labels")
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with tf.name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
        predictions, labels = tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32)
        losses = 1 - tf.reduce_sum(tf.multiply(predictions, labels), axis=[axis])
        return compute_weighted_loss(losses, weights, scope)


def sigmoid_cross_entropy(
    logits: Any,
    multi_class_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Any:
    """The mean sigmoid cross entropy: see `compute_weighted_loss`.

    Args:
      logits: The logits.
      multi_class_labels: Labels of the same shape.
      weights: The weights.
      label_smoothing: How far to move the labels towards 1/2.
      scope: The name scope.

    Returns:
      A scalar.
    """
    with tf.name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels]) as scope:
        labels = tf.cast(multi_class_labels, logits.dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        return compute_weighted_loss(losses, weights, scope)


def softmax_cross_entropy(
    logits: Any,
    onehot_labels: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
) -> Any:
    """The mean softmax cross entropy: see `compute_weighted_loss`.

    Args:
      logits: (batch, classes).
      onehot_labels: Labels of the same shape.
      weights: A scalar or (batch).
      label_smoothing: How far to move the labels towards 1/classes.
      scope: The name scope.

    Returns:
      A scalar.
    """
    with tf.name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels]) as scope:
        labels = tf.cast(onehot_labels, logits.dtype)
        if label_smoothing > 0:
            classes = tf.cast(tf.shape(labels)[1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        losses = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        return compute_weighted_loss(losses, weights, scope)


def sparse_softmax_cross_entropy(
    logits: Any, labels: Any, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """The mean softmax cross entropy of class numbers: see `compute_weighted_loss`.

    Args:
      logits: (batch, classes).
      labels: Integers (batch) or (batch, 1).
      weights: A scalar or (batch).
      scope: The name scope.

    Returns:
      A scalar.
    """
    with tf.name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels]) as scope:
        labels = tf.reshape(labels, shape=[tf.shape(labels)[0]])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        return compute_weighted_loss(losses, weights, scope)


def mean_pairwise_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Any:
    """How far the differences within predictions are from those within labels, as in TF1's contrib.

    For each example the mean over all pairs of elements, an element with itself included, of
    ``((p_i - p_j) - (l_i - l_j)) ** 2``. ``tf.losses`` leaves the pairs of one element out.

    Args:
      predictions: (batch, …), of a known rank.
      labels: Of the predictions' shape.
      weights: A scalar, or (batch), or a rank up to the predictions'.
      scope: The name scope.

    Returns:
      A scalar: the sum over the batch, each example by its weight. It joins the collection LOSSES.

    Raises:
      ValueError: If there are no labels, a rank is unknown or the shapes differ.
    """
    _required(labels, "labels")
    with tf.name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        predictions = tf.cast(tf.convert_to_tensor(predictions), tf.float32)
        labels = tf.cast(tf.convert_to_tensor(labels), tf.float32)
        weights = tf.cast(tf.convert_to_tensor(weights), tf.float32)
        predictions.shape.assert_is_compatible_with(labels.shape)
        gap = predictions - labels
        if gap.shape.rank is None or weights.shape.rank is None:
            raise ValueError(
                "mean_pairwise_squared_error needs known ranks. Received: predictions of shape "
                f"{gap.shape}, weights of shape {weights.shape}"
            )
        inner = list(range(1, gap.shape.rank))
        present = tf.ones([tf.shape(gap)[0]]) * _present(gap, weights)
        squares = tf.div_no_nan(tf.reduce_sum(tf.square(gap), inner), present, name="value")
        sums = tf.square(tf.reduce_sum(gap, inner))
        means = tf.div_no_nan(sums, tf.square(present), name="value")
        each = 2.0 * squares - 2.0 * means
        each = tf.reduce_sum(each, list(range(min(1, weights.shape.rank), 1)))
        total = tf.reduce_sum(each * weights)
        loss = tf.where(tf.reduce_sum(present) > 0, total, tf.zeros_like(total), name="value")
        add_loss(loss)
        return loss


def _present(values: Any, weights: Any) -> Any:
    """How many elements of each example have a weight, as TF1's contrib counts them."""
    rank = weights.shape.rank
    counted = tf.cast(tf.not_equal(weights, 0.0), tf.float32)
    each = tf.reduce_sum(counted, list(range(1, rank))) if rank > 1 else counted
    first = max(rank, 1)
    return each * tf.cast(tf.reduce_prod(tf.shape(values)[first:]), tf.float32)
