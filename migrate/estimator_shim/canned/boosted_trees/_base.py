"""What the Estimators of boosted trees share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned import head as heads
from migrate.estimator_shim.canned.boosted_trees import _columns, _explain, _model
from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.model_fn import EstimatorSpec

#: The default of arguments that have only one value.
UNSET = object()
_MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE


class BoostedTreesBase(Estimator):
    """An Estimator of boosted trees with any head; see `BoostedTreesEstimator`."""

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: Any,
        head: Any,
        params: _model.TreeParams,
        model_dir: str | None,
        config: Any,
        closed_form: bool = False,
        weight_column: Any = None,
        in_memory: bool = False,
        is_classification: bool = False,
    ) -> None:
        """Checks the columns; nothing is built yet."""
        feature_columns = list(feature_columns)

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return _model.model_fn(
                features, labels, mode, head, feature_columns, params, n_batches_per_layer,
                config, closed_form, weight_column, in_memory,
            )  # fmt: skip

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)
        self._columns = _columns.sort(feature_columns)
        self._head = head
        self._tree_params = params
        self._is_classification = is_classification

    def experimental_feature_importances(self, normalize: bool = False) -> OrderedDict[str, Any]:
        """What splits by each column gained, in the newest checkpoint.

        Args:
          normalize: Whether importances are to sum up to 1.

        Returns:
          The name of the column -> its importance, the largest first. Indicator columns go by the
          name of their categorical column.

        Raises:
          ValueError: If nothing was trained yet.
          AssertionError: If importances can't be normalized: some are negative, or no tree has a
            split.
        """
        key = f"{_model.NAME}:0_serialized"
        serialized = tf.train.load_checkpoint(self.model_dir).get_tensor(key)
        if not serialized:
            raise ValueError(f"There are no trees in {self.model_dir!r} yet: train first")
        names = _columns.names(self._columns)
        found = _explain.importances(serialized, len(names), normalize)
        return _explain.by_column(names, found)

    def experimental_predict_with_explanations(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Any = None,
        hooks: Any = None,
        checkpoint_path: str | None = None,
    ) -> Iterator[Any]:
        """Predictions, and how much each column contributed to them.

        Args:
          input_fn: See `Estimator.predict`.
          predict_keys: Which predictions to yield, besides "bias" and "dfc"; None for all.
          hooks: See `Estimator.predict`.
          checkpoint_path: See `Estimator.predict`.

        Yields:
          Predictions with two keys more: "bias", the prediction before any split (a probability,
          if this is a classifier), and "dfc", the name of the column -> how much it adds to that,
          the largest absolute contribution first.

        Raises:
          ValueError: If bias centering is off, or the head of a regressor has a link function.
        """
        if not self._tree_params.center_bias:
            raise ValueError(
                "Contributions are relative to the bias: experimental_predict_with_explanations "
                "needs center_bias=True. Received: center_bias=False"
            )
        link = getattr(self._head, "_inverse_link", None)
        if not self._is_classification and link not in (None, tf.identity):
            raise ValueError(
                "Contributions to what a link function makes of logits are not known. "
                f"Received: inverse_link_fn={link!r}"
            )

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            del labels, mode
            return _explain.explanations_fn(features, self._head, self._columns)

        if predict_keys is not None:
            keys = [predict_keys] if isinstance(predict_keys, str) else predict_keys
            predict_keys = [*keys, _explain.FEATURES, _explain.LOGITS]
        explained = Estimator(
            model_fn, self.model_dir, self.config, warm_start_from=self._warm_start_settings
        )
        names = _columns.names(self._columns)
        for found in explained.predict(input_fn, predict_keys, hooks, checkpoint_path):
            path = found.pop(_explain.FEATURES), found.pop(_explain.LOGITS)
            found["bias"], found["dfc"] = _explain.contributions(
                *path, names, self._is_classification
            )
            yield found


def class_head(
    n_classes: Any, weight_column: Any, label_vocabulary: Any
) -> tuple[heads.HeadV1, bool]:
    """The head of a classifier, and whether its derivatives have a closed form.

    Raises:
      ValueError: If there are more than two classes.
    """
    if n_classes not in (2, UNSET):
        raise ValueError(
            "Boosted trees tell two classes apart, as in TF 1.15. "
            f"Received: n_classes={n_classes!r}"
        )
    head = heads._binary_logistic_head_with_sigmoid_cross_entropy_loss(
        weight_column, None, label_vocabulary, _MEAN
    )
    return head, weight_column is None and label_vocabulary is None


def regression_head(label_dimension: Any, weight_column: Any) -> heads.HeadV1:
    """The head of a regressor.

    Raises:
      ValueError: If there is more than one target.
    """
    if label_dimension not in (1, UNSET):
        raise ValueError(
            "Boosted trees predict one target, as in TF 1.15. "
            f"Received: label_dimension={label_dimension!r}"
        )
    return heads._regression_head(weight_column, 1, _MEAN)
