"""contrib.learn's `DNNClassifier`, `DNNRegressor`, `DNNEstimator`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.contrib.learn import _canned
from migrate.estimator_shim.contrib.learn import estimator as estimator_lib
from migrate.estimator_shim.contrib.learn import head as head_lib

__all__ = ["DNNClassifier", "DNNEstimator", "DNNRegressor"]


def _params(**params: Any) -> dict[str, Any]:
    params["feature_columns"] = tuple(params["feature_columns"] or ())
    return params


class DNNClassifier(_canned.Classifying):
    """Dense layers on columns of contrib.layers or of ``tf.feature_column``, for classes.

    Variables: "dnn/hiddenlayer_0/weights", "…/biases", "dnn/logits/…", with TF 1.15's slots. ::

        columns = infer_real_valued_columns_from_input(x)
        classifier = DNNClassifier([10, 20], columns, n_classes=3)
        classifier.fit(x, y, steps=200)
        list(classifier.predict(x_new))
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Sequence[str] | None = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          hidden_units: The sizes of the hidden layers.
          feature_columns: Dense columns.
          model_dir: Where to save.
          n_classes: The number of classes.
          weight_column_name: The feature by which losses are multiplied.
          optimizer: A name, a class, an optimizer or a function; None for Adagrad at 0.05.
          activation_fn: Of the hidden layers.
          dropout: The share of each hidden layer to drop in training.
          gradient_clip_norm: The largest global norm of gradients.
          enable_centered_bias: Whether to learn a bias by itself.
          config: A `RunConfig`.
          feature_engineering_fn: From (features, labels) to others, before the model.
          embedding_lr_multipliers: Must be None here.
          input_layer_min_slice_size: The least size of a part of a partitioned embedding.
          label_keys: The names of the classes, if labels are strings.

        Raises:
          ValueError: If n_classes is less than 2.
          NotImplementedError: For embedding_lr_multipliers.
        """
        _canned.refuse(embedding_lr_multipliers=embedding_lr_multipliers)
        head = head_lib.multi_class_head(
            n_classes, weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias, label_keys=label_keys,
        )  # fmt: skip
        super().__init__(
            _canned.dnn_model_fn, model_dir, config,
            _params(
                head=head, hidden_units=hidden_units, feature_columns=feature_columns,
                optimizer=optimizer, activation_fn=activation_fn, dropout=dropout,
                gradient_clip_norm=gradient_clip_norm,
                input_layer_min_slice_size=input_layer_min_slice_size,
            ),
            feature_engineering_fn,
        )  # fmt: skip


class DNNRegressor(_canned.Regressing):
    """Dense layers on columns, for targets. Variables are those of `DNNClassifier`."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
        label_dimension: int = 1,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          hidden_units: See `DNNClassifier`.
          feature_columns: See `DNNClassifier`.
          model_dir: Where to save.
          weight_column_name: See `DNNClassifier`.
          optimizer: See `DNNClassifier`.
          activation_fn: See `DNNClassifier`.
          dropout: See `DNNClassifier`.
          gradient_clip_norm: See `DNNClassifier`.
          enable_centered_bias: See `DNNClassifier`.
          config: See `DNNClassifier`.
          feature_engineering_fn: See `DNNClassifier`.
          label_dimension: The number of targets.
          embedding_lr_multipliers: Must be None here.
          input_layer_min_slice_size: See `DNNClassifier`.

        Raises:
          NotImplementedError: For embedding_lr_multipliers.
        """
        _canned.refuse(embedding_lr_multipliers=embedding_lr_multipliers)
        head = head_lib.regression_head(
            weight_column_name=weight_column_name, label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )  # fmt: skip
        super().__init__(
            _canned.dnn_model_fn, model_dir, config,
            _params(
                head=head, hidden_units=hidden_units, feature_columns=feature_columns,
                optimizer=optimizer, activation_fn=activation_fn, dropout=dropout,
                gradient_clip_norm=gradient_clip_norm,
                input_layer_min_slice_size=input_layer_min_slice_size,
            ),
            feature_engineering_fn,
        )  # fmt: skip


class DNNEstimator(estimator_lib.Estimator):
    """Dense layers on columns, with a head of contrib.learn."""

    def __init__(
        self,
        head: head_lib.Head,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          head: See `multi_class_head` and `regression_head`.
          hidden_units: See `DNNClassifier`.
          feature_columns: See `DNNClassifier`.
          model_dir: Where to save.
          optimizer: See `DNNClassifier`.
          activation_fn: See `DNNClassifier`.
          dropout: See `DNNClassifier`.
          gradient_clip_norm: See `DNNClassifier`.
          config: See `DNNClassifier`.
          feature_engineering_fn: See `DNNClassifier`.
          embedding_lr_multipliers: Must be None here.
          input_layer_min_slice_size: See `DNNClassifier`.

        Raises:
          NotImplementedError: For embedding_lr_multipliers.
        """
        _canned.refuse(embedding_lr_multipliers=embedding_lr_multipliers)
        super().__init__(
            _canned.dnn_model_fn, model_dir, config,
            _params(
                head=head, hidden_units=hidden_units, feature_columns=feature_columns,
                optimizer=optimizer, activation_fn=activation_fn, dropout=dropout,
                gradient_clip_norm=gradient_clip_norm,
                input_layer_min_slice_size=input_layer_min_slice_size,
            ),
            feature_engineering_fn,
        )  # fmt: skip
