"""contrib.learn's `SVM`: a linear support vector machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from migrate.estimator_shim.contrib.learn import _sdca
from migrate.estimator_shim.contrib.learn import estimator as estimator_lib
from migrate.estimator_shim.contrib.learn import head as head_lib
from migrate.estimator_shim.contrib.learn.constants import PredictionKey
from migrate.tf1_shim.contrib.linear_optimizer import SDCAOptimizer

__all__ = ["SVM"]


class SVM(estimator_lib.Estimator):
    """A support vector machine for two classes, without kernels.

    Labels are 0 or 1. Features must hold a string [batch_size] under ``example_id_column``.
    Variables: "linear/<column>/weights", "linear/bias_weight".
    """

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Iterable[Any],
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        num_loss_partitions: int = 1,
        kernels: Any = None,
        config: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          example_id_column: The feature that tells examples apart.
          feature_columns: Columns of contrib.layers.
          weight_column_name: The feature by which losses are multiplied.
          model_dir: Where to save.
          l1_regularization: At least 0.
          l2_regularization: At least 0; less than 1 trains as 1, as in TF1.
          num_loss_partitions: The number of workers that train at a time.
          kernels: Must be None.
          config: A `RunConfig`.
          feature_engineering_fn: From (features, labels) to others, before the model.

        Raises:
          ValueError: For kernels.
        """
        if kernels is not None:
            raise ValueError(f"SVM has no kernels. Received: kernels={kernels!r}")
        params = {
            "head": head_lib.binary_svm_head(weight_column_name=weight_column_name),
            "feature_columns": list(feature_columns),
            "optimizer": SDCAOptimizer(
                example_id_column,
                num_loss_partitions=num_loss_partitions,
                symmetric_l1_regularization=l1_regularization,
                symmetric_l2_regularization=l2_regularization,
            ),
            "weight_column_name": weight_column_name,
        }
        super().__init__(_sdca.model_fn, model_dir, config, params, feature_engineering_fn)

    def _one(self, key: str, x: Any, input_fn: Any, batch_size: Any, as_iterable: bool) -> Any:
        found = self.predict(
            x=x, input_fn=input_fn, batch_size=batch_size, outputs=[key], as_iterable=as_iterable
        )
        return _each(found, key) if as_iterable else found[key]

    def predict_classes(
        self, x: Any = None, input_fn: Any = None, batch_size: Any = None, as_iterable: bool = True
    ) -> Any:
        """The class of each example, 0 or 1.

        Args:
          x: The features, or None.
          input_fn: In place of x.
          batch_size: For x.
          as_iterable: Whether to yield them one by one, or to return an array.

        Returns:
          An iterator, or an array.
        """
        return self._one(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: Any = None,
        outputs: Any = None,
        as_iterable: bool = True,
    ) -> Any:
        """Raises ValueError when it is read, as in TF1: a support vector machine has none.

        Args:
          x: See `predict_classes`.
          input_fn: See `predict_classes`.
          batch_size: See `predict_classes`.
          outputs: Changes nothing, as in TF1.
          as_iterable: See `predict_classes`.

        Returns:
          An iterator.
        """
        del outputs
        return self._one(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)


def _each(predictions: Iterable[Any], key: str) -> Iterator[Any]:
    for one in predictions:
        yield one[key]
