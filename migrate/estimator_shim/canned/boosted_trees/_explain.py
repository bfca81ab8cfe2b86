"""Why an ensemble predicts what it does: what features gained, and what they contribute."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned.boosted_trees import _columns, _model, _predict, _proto
from migrate.estimator_shim.canned.boosted_trees._growth import IS_LEAF, Ensemble
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec

#: Predictions of the path of each example: the features, -1 after the last, and the logits.
FEATURES, LOGITS = "_path_of_features", "_path_of_logits"


def by_column(names: Sequence[str], values: Iterable[float]) -> OrderedDict[str, Any]:
    """The sums of features' values by column, the largest absolute one first."""
    sums: dict[str, Any] = {}
    for name, value in zip(names, values, strict=True):
        sums[name] = sums.get(name, 0) + value
    return OrderedDict(sorted(sums.items(), key=lambda item: abs(item[1]), reverse=True))


def importances(serialized: bytes, features: int, normalize: bool) -> Any:
    """What splits by each feature gained.

    Args:
      serialized: The ensemble of a checkpoint.
      features: How many features there are.
      normalize: Whether they are to sum up to 1.

    Returns:
      Float64 [features].

    Raises:
      AssertionError: If they are to be normalized, and some are negative or all are zero.
    """
    number, gains, weights = _proto.splits_of(serialized)
    found: Any = np.bincount(number, gains * weights.astype(np.float64), features)
    if normalize:
        if (found < 0).any():
            raise AssertionError(
                f"Negative importances can't be normalized. Received: {found.tolist()}"
            )
        if not found.sum() > 0:
            raise AssertionError("There are no importances to normalize: no tree has a split")
        found /= found.sum()
    return found


def explanations_fn(features: Any, head: Any, columns: list[_columns.Column]) -> EstimatorSpec:
    """A model_fn that predicts, and tells the path of each example through the trees."""
    with tf.name_scope(_model.NAME) as scope:
        model = _model.Model(features, columns, scope)
        ensemble = model.trees.read()
        found = _predict.predict(ensemble, model.buckets)
        spec = head.create_estimator_spec(
            features=features,
            mode=ModeKeys.PREDICT,
            labels=None,
            train_op_fn=tf.no_op,
            logits=found.logits[:, None],
        )

        def on_host(buckets: Any, *parts: Any) -> Any:
            return paths(Ensemble(*parts), buckets)

        numbers, logits = tf.numpy_function(
            on_host, [model.buckets, *ensemble], [tf.int32, tf.float32]
        )
        return spec._replace(predictions={**spec.predictions, FEATURES: numbers, LOGITS: logits})


def paths(ensemble: Ensemble, buckets: Any) -> tuple[Any, Any]:
    """The way of each example down all trees.

    Args:
      ensemble: An `Ensemble` of arrays.
      buckets: Int32 [batch_size, features].

    Returns:
      The features that nodes on the way split by, int32 [batch_size, most], filled up with -1; and
      the logits, float32 [batch_size, most + 1]: that of the first root, and after each split.
    """
    count = len(buckets)
    rows = np.arange(count)
    is_leaf = ensemble.marks & IS_LEAF != 0
    base = np.zeros(count, np.float32)
    features, logits = [], []
    for tree, start in enumerate(ensemble.starts):
        weight = ensemble.weights[tree]
        if not tree:
            logits.append(np.full(count, weight * ensemble.values[start], np.float32))
        at = np.full(count, start)
        while not is_leaf[at].all():
            feature, threshold, left, right = ensemble.nodes[at].T
            below = buckets[rows, feature] <= threshold
            features.append(np.where(is_leaf[at], -1, feature))
            at = np.where(below, left, right)
            logits.append(base + weight * ensemble.values[at])
        base = base + weight * ensemble.values[at]
    if not logits:
        return np.zeros((count, 0), np.int32), np.zeros((count, 1), np.float32)
    found = np.stack(features, 1) if features else np.zeros((count, 0))
    return found.astype(np.int32), np.stack(logits, 1).astype(np.float32)


def contributions(
    features: Any, logits: Any, names: Sequence[str], classification: bool
) -> tuple[Any, OrderedDict[str, Any]]:
    """How much each column moved the prediction of an example.

    Args:
      features: See `paths`, of one example.
      logits: See `paths`, of one example.
      names: The column of each feature.
      classification: Whether predictions are probabilities.

    Returns:
      The prediction at the root of the first tree, and what columns add to it, the largest first.
    """
    split = features >= 0
    # Of leaves that other examples of the batch had to pass, nothing changes.
    taken = np.concatenate([[True], split])
    path = np.array(logits[taken].tolist())
    predictions = 1 / (1 + np.exp(-path)) if classification else path
    moves = np.bincount(features[split], predictions[1:] - predictions[:-1], len(names))
    return predictions[0], by_column(names, moves)
