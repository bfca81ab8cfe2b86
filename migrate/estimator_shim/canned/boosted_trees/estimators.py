"""`BoostedTreesClassifier`, `BoostedTreesRegressor`, `BoostedTreesEstimator`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from migrate.estimator_shim.canned import head as heads
from migrate.estimator_shim.canned.boosted_trees._base import (
    UNSET,
    BoostedTreesBase,
    class_head,
    regression_head,
)
from migrate.estimator_shim.canned.boosted_trees._model import TreeParams

__all__ = ["BoostedTreesClassifier", "BoostedTreesEstimator", "BoostedTreesRegressor"]


class BoostedTreesEstimator(BoostedTreesBase):
    """Gradient boosted trees with any head that has one logit.

    Trees grow layer by layer: every ``n_batches_per_layer`` batches the nodes of a layer are split
    by the feature that lowers the loss most. The loss needs a second derivative. ::

        est = BoostedTreesEstimator(
            [tf.feature_column.numeric_column("age")], n_batches_per_layer=4, head=head)
        est.train(input_fn)    # stops by itself, after n_trees

    A step in which the buckets of numeric columns are still being found (the first
    ``n_batches_per_layer`` ones) is not counted by the global step.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: Any,
        head: Any,
        model_dir: str | None = None,
        weight_column: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: Any = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
    ) -> None:
        """Checks the columns; nothing is built yet.

        Args:
          feature_columns: Bucketized columns, indicator columns and numeric columns, whose buckets
            are quantiles of the first n_batches_per_layer batches.
          n_batches_per_layer: How many batches a layer is grown from.
          head: A head of ``contrib.estimator`` or of `migrate.estimator_shim.head`.
          model_dir: See `Estimator`. Those of TF 1.15 are continued.
          weight_column: Not used here, as in TF 1.15: give it to the head.
          n_trees: After how many trees training stops.
          max_depth: How many layers a tree has.
          learning_rate: What the weights of leaves are multiplied by.
          l1_regularization: How much the sum of gradients of a leaf is shrunk.
          l2_regularization: What is added to the sum of hessians of a leaf.
          tree_complexity: What a split must gain to be worth it, for pruning.
          min_node_weight: The hessian, as a mean of batches, that a node must have to be split.
          config: See `Estimator`.
          center_bias: Whether a bias is found before the first tree grows.
          pruning_mode: "none", "pre" (splits that do not gain enough are not made) or "post" (they
            are taken back when a tree is finished).
          quantile_sketch_epsilon: How far off quantiles may be; its inverse is about how many
            buckets numeric columns have.

        Raises:
          ValueError: If trees can't take one of the columns.
        """
        del weight_column
        params = TreeParams(
            n_trees, max_depth, learning_rate, l1_regularization, l2_regularization,
            tree_complexity, min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon,
        )  # fmt: skip
        super().__init__(
            feature_columns, n_batches_per_layer, head, params, model_dir, config,
            is_classification=isinstance(
                head, (heads.BinaryLogisticHead, heads.MultiClassSoftmaxHead)
            ),
        )  # fmt: skip


class BoostedTreesClassifier(BoostedTreesBase):
    """Gradient boosted trees that tell two classes apart.

    Labels, predictions and metrics are those of `BinaryClassHead`; the loss is the mean over the
    batch. See `BoostedTreesEstimator` for how trees grow.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: Any,
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
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        """Checks the arguments; nothing is built yet.

        Args:
          feature_columns: See `BoostedTreesEstimator`.
          n_batches_per_layer: See `BoostedTreesEstimator`.
          model_dir: See `BoostedTreesEstimator`.
          n_classes: 2: TF 1.15 has no trees for more classes.
          weight_column: A name, or a numeric column: what examples weigh, in the loss and in the
            quantiles of numeric columns.
          label_vocabulary: The names of the classes, if labels are strings.
          n_trees: See `BoostedTreesEstimator`.
          max_depth: See `BoostedTreesEstimator`.
          learning_rate: See `BoostedTreesEstimator`.
          l1_regularization: See `BoostedTreesEstimator`.
          l2_regularization: See `BoostedTreesEstimator`.
          tree_complexity: See `BoostedTreesEstimator`.
          min_node_weight: See `BoostedTreesEstimator`.
          config: See `Estimator`.
          center_bias: See `BoostedTreesEstimator`.
          pruning_mode: See `BoostedTreesEstimator`.
          quantile_sketch_epsilon: See `BoostedTreesEstimator`.
          train_in_memory: Whether every batch is the same one, of all examples: then trees grow
            from what is known of each example. n_batches_per_layer must be 1.

        Raises:
          ValueError: If n_classes is not 2, or trees can't take one of the columns.
        """
        head, closed_form = class_head(n_classes, weight_column, label_vocabulary)
        params = TreeParams(
            n_trees, max_depth, learning_rate, l1_regularization, l2_regularization,
            tree_complexity, min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon,
        )  # fmt: skip
        super().__init__(
            feature_columns, n_batches_per_layer, head, params, model_dir, config, closed_form,
            weight_column, train_in_memory, is_classification=True,
        )  # fmt: skip


class BoostedTreesRegressor(BoostedTreesBase):
    """Gradient boosted trees that predict a number.

    Labels, predictions and metrics are those of `RegressionHead`; the loss is the mean over the
    batch. See `BoostedTreesEstimator` for how trees grow.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: Any,
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
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        """Checks the arguments; nothing is built yet.

        Args:
          feature_columns: See `BoostedTreesEstimator`.
          n_batches_per_layer: See `BoostedTreesEstimator`.
          model_dir: See `BoostedTreesEstimator`.
          label_dimension: 1: TF 1.15 has no trees for more targets.
          weight_column: See `BoostedTreesClassifier`.
          n_trees: See `BoostedTreesEstimator`.
          max_depth: See `BoostedTreesEstimator`.
          learning_rate: See `BoostedTreesEstimator`.
          l1_regularization: See `BoostedTreesEstimator`.
          l2_regularization: See `BoostedTreesEstimator`.
          tree_complexity: See `BoostedTreesEstimator`.
          min_node_weight: See `BoostedTreesEstimator`.
          config: See `Estimator`.
          center_bias: See `BoostedTreesEstimator`.
          pruning_mode: See `BoostedTreesEstimator`.
          quantile_sketch_epsilon: See `BoostedTreesEstimator`.
          train_in_memory: See `BoostedTreesClassifier`.

        Raises:
          ValueError: If label_dimension is not 1, or trees can't take one of the columns.
        """
        head = regression_head(label_dimension, weight_column)
        params = TreeParams(
            n_trees, max_depth, learning_rate, l1_regularization, l2_regularization,
            tree_complexity, min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon,
        )  # fmt: skip
        super().__init__(
            feature_columns, n_batches_per_layer, head, params, model_dir, config, False,
            weight_column, train_in_memory,
        )  # fmt: skip
