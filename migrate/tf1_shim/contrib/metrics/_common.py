"""What the streaming metrics share: their variables, squeezing, weights, collections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

#: What keeps denominators and the outer thresholds away from the borders.
EPSILON = 1e-7

Metric = tuple[Any, Any]


def graph_only(name: str) -> None:
    """Refuse to build a streaming metric where there is no graph to build it in.

    Raises:
      RuntimeError: If TensorFlow executes eagerly.
    """
    if tf.executing_eagerly():
        raise RuntimeError(
            f"tf.contrib.metrics.{name} needs a graph, and TensorFlow is executing eagerly: use "
            "tf.keras.metrics"
        )


def variable(shape: Sequence[int], dtype: Any, name: str, validate_shape: bool = True) -> Any:
    """A variable that starts with zeros, in LOCAL_VARIABLES and METRIC_VARIABLES.

    Args:
      shape: Its shape.
      dtype: Its type.
      name: Its name inside of the current name scope.
      validate_shape: Whether later values must have this shape.

    Returns:
      A variable, summed over replicas when it is read.
    """
    return tf.Variable(
        lambda: tf.zeros(shape, dtype),
        trainable=False,
        collections=[tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
        name=name,
    )


def squeeze(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Bring predictions, labels and weights to one rank, as all metrics of TF1 do.

    A last dimension of one that only one of predictions and labels has is dropped. Weights get or
    lose a last dimension where they differ from the predictions by one; scalars stay.

    Args:
      predictions: A tensor.
      labels: A tensor or None.
      weights: A tensor or None.

    Returns:
      The three of them, tensors or None.

    Raises:
      ValueError: If predictions and labels have shapes that do not go together.
    """
    predictions = tf.convert_to_tensor(predictions)
    if labels is not None:
        labels = tf.convert_to_tensor(labels)
        apart = _rank_difference(predictions, labels)
        if apart == 1 and predictions.shape[-1:].is_compatible_with([1]):
            predictions = tf.squeeze(predictions, [-1])
        elif apart == -1 and labels.shape[-1:].is_compatible_with([1]):
            labels = tf.squeeze(labels, [-1])
        elif apart is None:
            predictions, labels = _squeeze_at_run_time(predictions, labels)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    weights = tf.convert_to_tensor(weights)
    if weights.shape.rank == 0:
        return predictions, labels, weights
    apart = _rank_difference(weights, predictions)
    if apart == 1:
        weights = tf.squeeze(weights, [-1])
    elif apart == -1:
        weights = tf.expand_dims(weights, -1)
    elif apart is None:
        gap = tf.rank(weights) - tf.rank(predictions)
        known = weights
        may_drop = weights.shape.rank is None or weights.shape[-1:].is_compatible_with([1])
        weights = tf.case(
            [
                (tf.equal(tf.rank(weights), 0), lambda: known),
                (tf.equal(gap, -1), lambda: tf.expand_dims(known, -1)),
                (tf.equal(gap, 1), lambda: tf.squeeze(known, [-1]) if may_drop else known),
            ],
            default=lambda: known,
        )
    return predictions, labels, weights


def _rank_difference(first: Any, second: Any) -> int | None:
    if first.shape.rank is None or second.shape.rank is None:
        return None
    return int(first.shape.rank - second.shape.rank)


def _squeeze_at_run_time(predictions: Any, labels: Any) -> tuple[Any, Any]:
    gap = tf.rank(predictions) - tf.rank(labels)
    whole = predictions, labels
    if whole[0].shape.rank is None or whole[0].shape[-1:].is_compatible_with([1]):
        predictions = tf.cond(
            tf.equal(gap, 1), lambda: tf.squeeze(whole[0], [-1]), lambda: whole[0]
        )
    if whole[1].shape.rank is None or whole[1].shape[-1:].is_compatible_with([1]):
        labels = tf.cond(tf.equal(gap, -1), lambda: tf.squeeze(whole[1], [-1]), lambda: whole[1])
    return predictions, labels


def broadcast(weights: Any, values: Any) -> Any:
    """Weights in the shape of the values.

    Args:
      weights: A scalar, or of the values' rank with each dimension one or theirs.
      values: The values.

    Returns:
      A tensor of the values' shape.

    Raises:
      ValueError: If the weights cannot be spread over the values.
    """
    weights = tf.convert_to_tensor(weights)
    rank, wanted = weights.shape.rank, values.shape.rank
    if rank and wanted is not None:
        fits = rank == wanted and all(
            w in (None, 1) or v is None or w == v
            for w, v in zip(weights.shape.as_list(), values.shape.as_list(), strict=True)
        )
        if not fits:
            raise ValueError(
                f"weights of shape {weights.shape} cannot be broadcast to values of shape "
                f"{values.shape}: each dimension must be 1 or that of the values"
            )
    if weights.shape.is_fully_defined() and weights.shape == values.shape:
        return weights
    return tf.multiply(weights, tf.ones_like(values, weights.dtype), name="broadcast_weights")


def collect(
    value: Any, update: Any, metrics_collections: Any, updates_collections: Any
) -> tuple[Any, Any]:
    """Add a metric's two parts to the collections that were asked for.

    Args:
      value: The metric's value.
      update: What brings it up to date.
      metrics_collections: None or names of collections for the value.
      updates_collections: None or names of collections for the update.

    Returns:
      Both.
    """
    if metrics_collections:
        tf.add_to_collections(metrics_collections, value)
    if updates_collections:
        tf.add_to_collections(updates_collections, update)
    return value, update
