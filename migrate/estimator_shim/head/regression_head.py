"""`RegressionHead`, `PoissonRegressionHead`, `LogisticRegressionHead`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from migrate.estimator_shim.head._core import (
    Core,
    LogisticCore,
    PoissonCore,
    RegressionCore,
    checked_keys,
)
from migrate.estimator_shim.head.base_head import SUM_OVER_BATCH_SIZE, Head, check_reduction

__all__ = ["LogisticRegressionHead", "PoissonRegressionHead", "RegressionHead"]


class _RegressionMixin(Core):
    """TF1's signatures of the regression heads."""

    def predictions(self, logits: Any) -> dict[Any, Any]:
        """See `Head.predictions`."""
        found = self._all_predictions(logits)
        return {k: found[k] for k in checked_keys(None, found)}

    def update_metrics(
        self,
        eval_metrics: Mapping[str, Any],
        features: Any,
        logits: Any,
        labels: Any,
        regularization_losses: Any = None,
    ) -> Mapping[str, Any]:
        """See `Head.update_metrics`."""
        assert isinstance(self, Head)
        return Head.update_metrics(
            self, eval_metrics, features, logits, labels, None, regularization_losses
        )


class RegressionHead(_RegressionMixin, RegressionCore, Head):  # type: ignore[misc]
    """One or more targets, with the squared error.

    * Labels: [..., label_dimension]; for one target also [...].
    * Logits: float [..., label_dimension].
    * Predictions: ``predictions``, and ``logits`` if there is an ``inverse_link_fn``.
    * Metrics: ``average_loss``, ``prediction/mean``, ``label/mean``.
    * Signatures: ``regression`` (the default), ``predict``.
    """

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        inverse_link_fn: Callable[[Any], Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Checks the arguments.

        Args:
          label_dimension: The number of targets.
          weight_column: See `BinaryClassHead`.
          loss_reduction: "sum_over_batch_size" (also called "auto") or "sum".
          loss_fn: See `BinaryClassHead`; returns [..., label_dimension].
          inverse_link_fn: Makes predictions of logits; None: they are the logits.
          name: Ends the names of metrics and summaries.

        Raises:
          ValueError: If an argument has a value that is not allowed.
        """
        self._init(label_dimension, weight_column, loss_fn, inverse_link_fn, name)
        self._reduction = check_reduction(loss_reduction)


class PoissonRegressionHead(_RegressionMixin, PoissonCore, Head):  # type: ignore[misc]
    """Counts: the logits are the logarithms of Poisson rates.

    Labels, metrics and signatures are those of `RegressionHead`; predictions are ``predictions``
    (``exp`` of the logits) and ``logits``.
    """

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        compute_full_loss: bool = True,
        name: str | None = None,
    ) -> None:
        """Checks the arguments.

        Args:
          label_dimension: The number of targets.
          weight_column: See `BinaryClassHead`.
          loss_reduction: "sum_over_batch_size" (also called "auto") or "sum".
          compute_full_loss: Whether the loss has Stirling's approximation of ``log(labels!)``,
            which does not change gradients.
          name: Ends the names of metrics and summaries.

        Raises:
          ValueError: If an argument has a value that is not allowed.
        """
        self._init_poisson(label_dimension, weight_column, compute_full_loss, name)
        self._reduction = check_reduction(loss_reduction)


class LogisticRegressionHead(_RegressionMixin, LogisticCore, Head):  # type: ignore[misc]
    """One target within [0, 1], with sigmoid cross entropy; predictions are ``sigmoid(logits)``.

    Labels, metrics and signatures are those of `RegressionHead`.
    """

    def __init__(
        self,
        weight_column: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        name: str | None = None,
    ) -> None:
        """Checks the arguments.

        Args:
          weight_column: See `BinaryClassHead`.
          loss_reduction: "sum_over_batch_size" (also called "auto") or "sum".
          name: Ends the names of metrics and summaries.

        Raises:
          ValueError: If an argument has a value that is not allowed.
        """
        self._init_logistic(weight_column, name)
        self._reduction = check_reduction(loss_reduction)
