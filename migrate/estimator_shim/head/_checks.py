"""What heads check and convert: logits, labels, weights, losses, class names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import util

#: Which reductions the heads of tf.estimator know, and those of contrib and the canned v1 models.
REDUCTIONS_V2 = ("auto", "sum", "sum_over_batch_size")
REDUCTIONS_V1 = tuple(
    r for r in tf.losses.Reduction.all() if r is not None and r != tf.losses.Reduction.NONE
)


def check_reduction(reduction: str, valid: Sequence[str]) -> str:
    """The reduction, if a head can use it."""
    if reduction not in valid:
        raise ValueError(
            f"loss_reduction must be one of {', '.join(valid)}. Received: {reduction!r}"
        )
    return reduction


def check_at_least(minimum: int, **counts: Any) -> None:
    """Raises ValueError for a number of classes or targets that is too small."""
    for name, count in counts.items():
        if count is None or count < minimum:
            raise ValueError(f"{name} must be at least {minimum}. Received: {name}={count!r}")


def check_thresholds(thresholds: Any) -> tuple[float, ...]:
    """The thresholds as a tuple; all within (0, 1)."""
    thresholds = tuple(thresholds or ())
    for value in thresholds:
        if not 0.0 < value < 1.0:
            raise ValueError(f"thresholds must be within (0, 1). Received: {value!r}")
    return thresholds


def check_vocabulary(
    vocabulary: Any, classes: int | None, error: type[Exception] = ValueError
) -> Any:
    """The names of the classes, if there are as many as classes."""
    if vocabulary is None:
        return None
    if not isinstance(vocabulary, (list, tuple)):
        raise error(f"label_vocabulary must be a list or a tuple. Received: {vocabulary!r}")
    if classes is not None and len(vocabulary) != classes:
        raise ValueError(
            f"label_vocabulary must name each of the {classes} classes. "
            f"Received: {len(vocabulary)} names: {vocabulary!r}"
        )
    return vocabulary


def check_loss_fn(loss_fn: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """The loss_fn, if it takes ``labels`` and ``logits`` and nothing unknown."""
    if loss_fn is None:
        return None
    names = set(util.fn_args(loss_fn))
    other = names - {"labels", "logits", "features", "loss_reduction"}
    if not {"labels", "logits"} <= names or other:
        raise ValueError(
            "loss_fn must take labels and logits, and may take features and loss_reduction. "
            f"Received: a function of {sorted(names)}"
        )
    return loss_fn


def call_loss_fn(
    loss_fn: Callable[..., Any], labels: Any, logits: Any, features: Any, width: int
) -> Any:
    """The unreduced loss of a user's function: one of ``width`` per example."""
    names = inspect.signature(loss_fn).parameters
    kwargs = {"features": features} if "features" in names else {}
    if "loss_reduction" in names:
        kwargs["loss_reduction"] = tf.losses.Reduction.NONE
    loss = tf.convert_to_tensor(loss_fn(labels=labels, logits=logits, **kwargs))
    wanted = logits.shape[:-1].concatenate(width)
    if not loss.shape.is_compatible_with(wanted):
        raise ValueError(
            f"loss_fn must return a tensor of shape {wanted}, unreduced. Received: {loss.shape}"
        )
    if loss.shape.is_fully_defined():
        return loss
    shape = tf.concat([tf.shape(logits)[:-1], [width]], 0)
    same = tf.debugging.assert_equal(shape, tf.shape(loss), message="loss_fn: shape of the loss")
    with tf.control_dependencies([same] if same is not None else []):
        return tf.identity(loss)


def check_logits(logits: Any, dimension: int) -> Any:
    """Float logits of shape [..., dimension]."""
    if logits is None:
        raise ValueError("The head needs logits. Received: logits=None")
    logits = tf.cast(logits, tf.float32)
    shape = logits.shape
    if shape.rank is not None:
        if shape.rank < 2 or not shape.is_compatible_with([*[None] * (shape.rank - 1), dimension]):
            raise ValueError(
                f"logits must have the shape [batch_size, ..., {dimension}]. Received: {shape}"
            )
        if shape[-1] is not None and shape[-1] == dimension:
            return logits
    with tf.control_dependencies(
        _ops(
            tf.debugging.assert_equal(
                tf.shape(logits)[-1], dimension, message=f"logits: not of size {dimension}"
            )
        )
    ):  # fmt: skip
        return tf.identity(logits)


def _ops(*ops: Any) -> list[Any]:
    """Assertions; run eagerly they are None."""
    return [op for op in ops if op is not None]


def dense_labels(labels: Any, logits: Any, width: int) -> Any:
    """Labels of shape [..., width] for logits [..., n]; a missing last dimension is added.

    Args:
      labels: The labels that the input_fn returned.
      logits: The logits.
      width: How many labels an example has.

    Returns:
      The labels.

    Raises:
      ValueError: If they are missing, sparse, or of another shape.
    """
    if labels is None:
        raise ValueError(
            "The head needs labels in training and evaluation. Received: labels=None. Let the "
            "input_fn return (features, labels)"
        )
    if isinstance(labels, (tf.SparseTensor, tf.SparseTensorValue)):
        raise ValueError(
            f"labels must be a dense tensor (tf.sparse.to_dense). Received: {labels!r}"
        )
    labels = tf.convert_to_tensor(labels)
    rank = labels.shape.rank
    if rank is not None and logits.shape.rank is not None and rank == logits.shape.rank - 1:
        labels = tf.expand_dims(labels, -1)
    wanted = logits.shape[:-1].concatenate(width) if logits.shape.rank is not None else None
    if wanted is not None and not labels.shape.is_compatible_with(wanted):
        raise ValueError(
            f"labels must have the shape {wanted}, which fits the logits {logits.shape}. "
            f"Received: {labels.shape}"
        )
    if labels.shape.is_fully_defined() and logits.shape.is_fully_defined():
        return labels
    shape = tf.concat([tf.shape(logits)[:-1], [width]], 0)
    same = tf.debugging.assert_equal(
        shape, tf.shape(labels), message="labels must have the shape of the logits but for the last"
    )
    with tf.control_dependencies(_ops(same)):
        return tf.identity(labels)


def in_range(labels: Any, classes: int, what: str) -> Any:
    """The labels; 0 <= labels < classes is asserted."""
    checks = _ops(
        tf.debugging.assert_less_equal(
            labels, tf.cast(classes - 1, labels.dtype), message=f"{what} must be <= {classes - 1}"
        ),
        tf.debugging.assert_non_negative(labels, message=f"{what} must be >= 0"),
    )
    with tf.control_dependencies(checks):
        return tf.identity(labels)


def weights_of(features: Any, column: Any, logits: Any) -> Any:
    """The weights of the examples: 1.0, or a float tensor of shape [..., 1] or that of the logits.

    Args:
      features: The features.
      column: None, the name of a feature, or a ``numeric_column``.
      logits: The logits, whose shape decides.

    Returns:
      The weights.

    Raises:
      ValueError: If the feature is missing, sparse, or has another shape.
    """
    if column is None:
        return 1.0
    key, normalizer = column, None
    if not isinstance(column, str):
        if not hasattr(column, "normalizer_fn"):
            raise TypeError(
                "weight_column must be the name of a feature or a numeric_column. "
                f"Received: {column!r}"
            )
        key, normalizer = column.key, column.normalizer_fn
    if not isinstance(features, Mapping) or key not in features:
        names = sorted(features) if isinstance(features, Mapping) else features
        raise ValueError(f"weight_column {key!r} must be one of the features. Received: {names!r}")
    weights = features[key]
    if isinstance(weights, (tf.SparseTensor, tf.SparseTensorValue)):
        raise ValueError(f"The feature of weight_column must be dense. Received: {weights!r}")
    weights = tf.convert_to_tensor(weights)
    if weights.shape.rank == 1:
        weights = tf.expand_dims(weights, -1)
    if normalizer is not None:
        weights = normalizer(weights)
    if not (weights.dtype.is_floating or weights.dtype.is_integer):
        raise ValueError(f"The feature of weight_column must be numbers. Received: {weights!r}")
    weights = tf.cast(weights, tf.float32)
    if logits.shape.rank is None or weights.shape.rank is None:
        return weights
    one = logits.shape[:-1].concatenate(1)
    if not (
        weights.shape.is_compatible_with(one) or weights.shape.is_compatible_with(logits.shape)
    ):
        raise ValueError(
            f"The weights must have the shape {one} or {logits.shape}, as the logits have. "
            f"Received: {weights.shape}"
        )
    return weights


def lookup_ids(labels: Any, vocabulary: Sequence[Any], error: type[Exception]) -> Any:
    """Class ids of string labels; -1 for a name that the vocabulary lacks."""
    if labels.dtype != tf.string:
        raise error(
            f"With label_vocabulary={list(vocabulary)!r} labels must be strings. "
            f"Received: {labels!r}"
        )
    keys = tf.constant([str(v) if not isinstance(v, bytes) else v for v in vocabulary], tf.string)
    ids = tf.range(len(vocabulary), dtype=tf.int64)
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(keys, ids), tf.constant(-1, tf.int64)
    )
    return table.lookup(labels)


def class_names(ids: Any, vocabulary: Sequence[Any] | None) -> Any:
    """The names of classes, by their ids: numbers as strings without a vocabulary."""
    if vocabulary is None:
        return tf.as_string(ids, name="str_classes")
    return tf.gather(tf.constant(list(vocabulary), tf.string), ids)


def all_ids(logits: Any, classes: int) -> Any:
    """[batch_size, classes]: each row has all ids."""
    return tf.tile(tf.expand_dims(tf.range(classes), 0), [tf.shape(logits)[0], 1])


def all_names(logits: Any, classes: int, vocabulary: Sequence[Any] | None) -> Any:
    """[batch_size, classes]: each row has all names."""
    names = (
        tf.as_string(tf.range(classes))
        if vocabulary is None
        else tf.constant(list(vocabulary), tf.string)
    )
    return tf.tile(tf.expand_dims(names, 0), [tf.shape(logits)[0], 1])
