"""contrib.learn's `LinearClassifier`, `LinearRegressor`, `LinearEstimator`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from migrate.estimator_shim.contrib.learn import _canned, _sdca
from migrate.estimator_shim.contrib.learn import estimator as estimator_lib
from migrate.estimator_shim.contrib.learn import head as head_lib
from migrate.tf1_shim.contrib.linear_optimizer import SDCAOptimizer

__all__ = ["LinearClassifier", "LinearEstimator", "LinearRegressor"]


def _params(
    head: Any, columns: Any, optimizer: Any, gradient_clip_norm: Any, joint: bool
) -> dict[str, Any]:
    columns = tuple(columns or ())
    if not columns:
        raise ValueError("feature_columns must not be empty. Received: []")
    return {
        "head": head,
        "feature_columns": columns,
        "optimizer": optimizer,
        "gradient_clip_norm": gradient_clip_norm,
        "joint_weights": joint,
    }


def _model(params: dict[str, Any], weight_column_name: str | None) -> Callable[..., Any]:
    """The model_fn, which an SDCAOptimizer has for itself."""
    if not isinstance(params["optimizer"], SDCAOptimizer):
        return _canned.linear_model_fn
    if params["joint_weights"]:
        raise ValueError("SDCAOptimizer does not go with joint weights. Received: True")
    if params["head"].has_centered_bias:
        raise ValueError("SDCAOptimizer does not go with enable_centered_bias. Received: True")
    params["weight_column_name"] = weight_column_name
    return _sdca.model_fn


class LinearClassifier(_canned.Classifying):
    """A linear model on columns of contrib.layers or of ``tf.feature_column``, for classes.

    Variables: "linear/<column>/weights" (of a real-valued column "…/weight"), "linear/bias_weight".
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        _joint_weight: bool = False,
        config: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
        label_keys: Sequence[str] | None = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          feature_columns: Real-valued, bucketized, categorical and crossed columns.
          model_dir: Where to save.
          n_classes: The number of classes.
          weight_column_name: The feature by which losses are multiplied.
          optimizer: An optimizer, or a function that returns one; None for Ftrl at
            min(0.2, 1/√columns). For two classes also an ``SDCAOptimizer`` of
            contrib.linear_optimizer.
          gradient_clip_norm: The largest global norm of gradients.
          enable_centered_bias: Whether to learn a bias by itself.
          _joint_weight: Whether categorical columns share one variable.
          config: A `RunConfig`.
          feature_engineering_fn: From (features, labels) to others, before the model.
          label_keys: The names of the classes, if labels are strings.

        Raises:
          ValueError: If there is no column, or n_classes is less than 2.
        """
        head = head_lib.multi_class_head(
            n_classes, weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias, label_keys=label_keys,
        )  # fmt: skip
        params = _params(head, feature_columns, optimizer, gradient_clip_norm, _joint_weight)
        model_fn = _model(params, weight_column_name)
        super().__init__(model_fn, model_dir, config, params, feature_engineering_fn)


class LinearRegressor(_canned.Regressing):
    """A linear model on columns, for targets. Variables are those of `LinearClassifier`."""

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          feature_columns: See `LinearClassifier`.
          model_dir: Where to save.
          weight_column_name: See `LinearClassifier`.
          optimizer: See `LinearClassifier`.
          gradient_clip_norm: See `LinearClassifier`.
          enable_centered_bias: See `LinearClassifier`.
          label_dimension: The number of targets.
          _joint_weights: Whether categorical columns share one variable.
          config: See `LinearClassifier`.
          feature_engineering_fn: See `LinearClassifier`.

        Raises:
          ValueError: If there is no column.
        """
        head = head_lib.regression_head(
            weight_column_name=weight_column_name, label_dimension=label_dimension,
            enable_centered_bias=enable_centered_bias,
        )  # fmt: skip
        params = _params(head, feature_columns, optimizer, gradient_clip_norm, _joint_weights)
        model_fn = _model(params, weight_column_name)
        super().__init__(model_fn, model_dir, config, params, feature_engineering_fn)


class LinearEstimator(estimator_lib.Estimator):
    """A linear model on columns, with a head of contrib.learn."""

    def __init__(
        self,
        feature_columns: Iterable[Any],
        head: head_lib.Head,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        _joint_weights: bool = False,
        config: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          feature_columns: See `LinearClassifier`.
          head: See `multi_class_head` and `regression_head`.
          model_dir: Where to save.
          weight_column_name: Must be None: the head has its own.
          optimizer: See `LinearClassifier`.
          gradient_clip_norm: See `LinearClassifier`.
          _joint_weights: Whether categorical columns share one variable.
          config: See `LinearClassifier`.
          feature_engineering_fn: See `LinearClassifier`.

        Raises:
          ValueError: If there is no column.
          NotImplementedError: For weight_column_name.
        """
        _canned.refuse(weight_column_name=weight_column_name)
        params = _params(head, feature_columns, optimizer, gradient_clip_norm, _joint_weights)
        super().__init__(_canned.linear_model_fn, model_dir, config, params, feature_engineering_fn)
