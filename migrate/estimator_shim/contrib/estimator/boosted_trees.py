"""Boosted trees on all examples at once: `boosted_trees_classifier_train_in_memory` and sister."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned.boosted_trees._base import (
    UNSET,
    BoostedTreesBase,
    class_head,
    regression_head,
)
from migrate.estimator_shim.canned.boosted_trees._model import TreeParams

__all__ = [
    "boosted_trees_classifier_train_in_memory",
    "boosted_trees_regressor_train_in_memory",
]


def _again_and_again(input_fn: Callable[[], Any]) -> Callable[[], Any]:
    """The input_fn; a Dataset repeats itself."""

    def repeated() -> Any:
        result = input_fn()
        is_dataset = isinstance(result, (tf.data.Dataset, tf.compat.v2.data.Dataset))
        return result.repeat() if is_dataset else result

    return repeated


def boosted_trees_classifier_train_in_memory(
    train_input_fn: Callable[[], Any],
    feature_columns: Iterable[Any],
    model_dir: str | None = None,
    n_classes: Any = UNSET,
    weight_column: Any = None,
    label_vocabulary: Sequence[Any] | None = None,
    n_trees: int = 100,
    max_depth: int = 6,
    learning_rate: float = 0.1,
    l1_regularization: float = 0.0,
    l2_regularization: float = 0.0,
    tree_complexity: float = 0.0,
    min_node_weight: float = 0.0,
    config: Any = None,
    train_hooks: Any = None,
    center_bias: bool = False,
    pruning_mode: str = "none",
    quantile_sketch_epsilon: float = 0.01,
) -> BoostedTreesBase:
    """Trains a classifier of boosted trees on one batch of all examples.

    Args:
      train_input_fn: Returns features and labels of all examples, or a Dataset with one batch of
        them (which TF 1.15.5 fails to start with).
      feature_columns: See `BoostedTreesClassifier`, as for the other arguments.
      model_dir: See there.
      n_classes: See there.
      weight_column: What examples weigh in the loss.
      label_vocabulary: See there.
      n_trees: See there.
      max_depth: See there.
      learning_rate: See there.
      l1_regularization: See there.
      l2_regularization: See there.
      tree_complexity: See there.
      min_node_weight: See there.
      config: See there.
      train_hooks: See `Estimator.train`.
      center_bias: See there.
      pruning_mode: See there.
      quantile_sketch_epsilon: See there.

    Returns:
      The trained Estimator.

    Raises:
      ValueError: If n_classes is not 2, or trees can't take one of the columns.
    """
    head, closed_form = class_head(n_classes, weight_column, label_vocabulary)
    params = TreeParams(
        n_trees, max_depth, learning_rate, l1_regularization, l2_regularization,
        tree_complexity, min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon,
    )  # fmt: skip
    classifier = BoostedTreesBase(
        feature_columns, 1, head, params, model_dir, config, closed_form, in_memory=True,
        is_classification=True,
    )  # fmt: skip
    classifier.train(_again_and_again(train_input_fn), hooks=train_hooks)
    return classifier


def boosted_trees_regressor_train_in_memory(
    train_input_fn: Callable[[], Any],
    feature_columns: Iterable[Any],
    model_dir: str | None = None,
    label_dimension: Any = UNSET,
    weight_column: Any = None,
    n_trees: int = 100,
    max_depth: int = 6,
    learning_rate: float = 0.1,
    l1_regularization: float = 0.0,
    l2_regularization: float = 0.0,
    tree_complexity: float = 0.0,
    min_node_weight: float = 0.0,
    config: Any = None,
    train_hooks: Any = None,
    center_bias: bool = False,
    pruning_mode: str = "none",
    quantile_sketch_epsilon: float = 0.01,
) -> BoostedTreesBase:
    """Trains a regressor of boosted trees on one batch of all examples.

    Args:
      train_input_fn: See `boosted_trees_classifier_train_in_memory`.
      feature_columns: See `BoostedTreesRegressor`, as for the other arguments.
      model_dir: See there.
      label_dimension: See there.
      weight_column: What examples weigh in the loss.
      n_trees: See there.
      max_depth: See there.
      learning_rate: See there.
      l1_regularization: See there.
      l2_regularization: See there.
      tree_complexity: See there.
      min_node_weight: See there.
      config: See there.
      train_hooks: See `Estimator.train`.
      center_bias: See there.
      pruning_mode: See there.
      quantile_sketch_epsilon: See there.

    Returns:
      The trained Estimator.

    Raises:
      ValueError: If label_dimension is not 1, or trees can't take one of the columns.
    """
    head = regression_head(label_dimension, weight_column)
    params = TreeParams(
        n_trees, max_depth, learning_rate, l1_regularization, l2_regularization,
        tree_complexity, min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon,
    )  # fmt: skip
    regressor = BoostedTreesBase(
        feature_columns, 1, head, params, model_dir, config, in_memory=True
    )
    regressor.train(_again_and_again(train_input_fn), hooks=train_hooks)
    return regressor
