"""contrib.learn's `DNNLinearCombinedClassifier`, `…Regressor`, `…Estimator`: wide and deep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.contrib.learn import _canned
from migrate.estimator_shim.contrib.learn import estimator as estimator_lib
from migrate.estimator_shim.contrib.learn import head as head_lib

__all__ = [
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
]


def _params(
    head: Any, wide: Any, linear_optimizer: Any, joint: bool, deep: Any, dnn_optimizer: Any,
    hidden_units: Any, activation_fn: Any, dropout: Any, clip: Any, min_slice: Any,
    partitioner: Any, fix: bool,
) -> dict[str, Any]:  # fmt: skip
    wide, deep = tuple(wide or ()), tuple(deep or ())
    if not wide and not deep:
        raise ValueError(
            "Either linear_feature_columns or dnn_feature_columns must be given. Received: neither"
        )
    if deep and not hidden_units:
        raise ValueError(f"dnn_feature_columns need dnn_hidden_units. Received: {hidden_units!r}")
    return {
        "head": head,
        "linear_feature_columns": wide,
        "linear_optimizer": linear_optimizer,
        "joint_linear_weights": joint,
        "dnn_feature_columns": deep,
        "dnn_optimizer": dnn_optimizer,
        "dnn_hidden_units": hidden_units,
        "dnn_activation_fn": activation_fn,
        "dnn_dropout": dropout,
        "gradient_clip_norm": clip,
        "input_layer_min_slice_size": min_slice,
        "input_layer_partitioner": partitioner,
        "fix_global_step_increment_bug": fix,
    }


class DNNLinearCombinedClassifier(_canned.Classifying):
    """A linear and a deep model whose logits are added, for classes.

    Without ``fix_global_step_increment_bug`` each part counts the step: training makes half of the
    steps that it is asked for, as in TF1.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Sequence[str] | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        """Nothing is built yet.

        Args:
          model_dir: Where to save.
          n_classes: The number of classes.
          weight_column_name: The feature by which losses are multiplied.
          linear_feature_columns: Columns of the linear part; None for none.
          linear_optimizer: A name, a class, an optimizer or a function; None for Ftrl at
            min(0.2, 1/√columns).
          _joint_linear_weights: Whether categorical columns share one variable.
          dnn_feature_columns: Columns of the deep part; None for none.
          dnn_optimizer: The same for the deep part; None for Adagrad at 0.05.
          dnn_hidden_units: The sizes of the hidden layers.
          dnn_activation_fn: Of the hidden layers.
          dnn_dropout: The share of each hidden layer to drop in training.
          gradient_clip_norm: The largest global norm of gradients.
          enable_centered_bias: Whether to learn a bias by itself.
          config: A `RunConfig`.
          feature_engineering_fn: From (features, labels) to others, before the model.
          embedding_lr_multipliers: Must be None here.
          input_layer_min_slice_size: The least size of a part of a partitioned embedding.
          label_keys: The names of the classes, if labels are strings.
          fix_global_step_increment_bug: Whether a step counts once.

        Raises:
          ValueError: If columns or hidden units are missing, or n_classes is less than 2.
          NotImplementedError: For embedding_lr_multipliers.
        """
        _canned.refuse(embedding_lr_multipliers=embedding_lr_multipliers)
        head = head_lib.multi_class_head(
            n_classes, weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias, label_keys=label_keys,
        )  # fmt: skip
        params = _params(
            head, linear_feature_columns, linear_optimizer, _joint_linear_weights,
            dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout,
            gradient_clip_norm, input_layer_min_slice_size, None, fix_global_step_increment_bug,
        )  # fmt: skip
        super().__init__(
            _canned.combined_model_fn, model_dir, config, params, feature_engineering_fn
        )


class DNNLinearCombinedRegressor(_canned.Regressing):
    """A linear and a deep model whose logits are added, for targets."""

    def __init__(
        self,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        """Nothing is built yet.

        Args:
          model_dir: Where to save.
          weight_column_name: The feature by which losses are multiplied.
          linear_feature_columns: See `DNNLinearCombinedClassifier`.
          linear_optimizer: See `DNNLinearCombinedClassifier`.
          _joint_linear_weights: See `DNNLinearCombinedClassifier`.
          dnn_feature_columns: See `DNNLinearCombinedClassifier`.
          dnn_optimizer: See `DNNLinearCombinedClassifier`.
          dnn_hidden_units: See `DNNLinearCombinedClassifier`.
          dnn_activation_fn: See `DNNLinearCombinedClassifier`.
          dnn_dropout: See `DNNLinearCombinedClassifier`.
          gradient_clip_norm: See `DNNLinearCombinedClassifier`.
          enable_centered_bias: Whether to learn a bias by itself.
          label_dimension: The number of targets.
          config: A `RunConfig`.
          feature_engineering_fn: From (features, labels) to others, before the model.
          embedding_lr_multipliers: Must be None here.
          input_layer_min_slice_size: The least size of a part of a partitioned embedding.
          fix_global_step_increment_bug: Whether a step counts once.

        Raises:
          ValueError: If columns or hidden units are missing.
          NotImplementedError: For embedding_lr_multipliers.
        """
        _canned.refuse(embedding_lr_multipliers=embedding_lr_multipliers)
        head = head_lib.regression_head(
            weight_column_name=weight_column_name, label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )  # fmt: skip
        params = _params(
            head, linear_feature_columns, linear_optimizer, _joint_linear_weights,
            dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout,
            gradient_clip_norm, input_layer_min_slice_size, None, fix_global_step_increment_bug,
        )  # fmt: skip
        super().__init__(
            _canned.combined_model_fn, model_dir, config, params, feature_engineering_fn
        )


class DNNLinearCombinedEstimator(estimator_lib.Estimator):
    """A linear and a deep model whose logits are added, with a head of contrib.learn."""

    def __init__(
        self,
        head: head_lib.Head,
        model_dir: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = None,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
        embedding_lr_multipliers: Any = None,
        fix_global_step_increment_bug: bool = False,
        input_layer_partitioner: Any = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          head: See `multi_class_head` and `regression_head`.
          model_dir: Where to save.
          linear_feature_columns: See `DNNLinearCombinedClassifier`.
          linear_optimizer: See `DNNLinearCombinedClassifier`.
          _joint_linear_weights: See `DNNLinearCombinedClassifier`.
          dnn_feature_columns: See `DNNLinearCombinedClassifier`.
          dnn_optimizer: See `DNNLinearCombinedClassifier`.
          dnn_hidden_units: See `DNNLinearCombinedClassifier`.
          dnn_activation_fn: See `DNNLinearCombinedClassifier`.
          dnn_dropout: See `DNNLinearCombinedClassifier`.
          gradient_clip_norm: See `DNNLinearCombinedClassifier`.
          config: A `RunConfig`.
          feature_engineering_fn: From (features, labels) to others, before the model.
          embedding_lr_multipliers: Must be None here.
          fix_global_step_increment_bug: Whether a step counts once.
          input_layer_partitioner: Of the columns' variables.

        Raises:
          ValueError: If columns or hidden units are missing.
          NotImplementedError: For embedding_lr_multipliers.
        """
        _canned.refuse(embedding_lr_multipliers=embedding_lr_multipliers)
        params = _params(
            head, linear_feature_columns, linear_optimizer, _joint_linear_weights,
            dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout,
            gradient_clip_norm, None, input_layer_partitioner, fix_global_step_increment_bug,
        )  # fmt: skip
        super().__init__(
            _canned.combined_model_fn, model_dir, config, params, feature_engineering_fn
        )
