"""`BinaryClassHead`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from migrate.estimator_shim.head._core import BinaryCore
from migrate.estimator_shim.head.base_head import SUM_OVER_BATCH_SIZE, Head, check_reduction

__all__ = ["BinaryClassHead"]


class BinaryClassHead(BinaryCore, Head):
    """Two classes by one logit, with sigmoid cross entropy.

    * Labels: [..., 1] or [...], 0 or 1, or strings with a ``label_vocabulary``.
    * Logits: float [..., 1].
    * Predictions: ``logits``, ``logistic`` [..., 1]; ``probabilities`` [..., 2]; ``class_ids``
      int64, ``classes`` string [..., 1]; ``all_class_ids``, ``all_classes`` [batch_size, 2].
    * Metrics: ``average_loss``, ``accuracy``, ``precision``, ``recall``, ``prediction/mean``,
      ``label/mean``, ``accuracy_baseline``, ``auc``, ``auc_precision_recall``, and accuracy,
      precision and recall at each threshold.
    * Signatures: ``classification`` (the default), ``regression``, ``predict``.
    """

    _label_error = TypeError

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[Any] | None = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Checks the arguments.

        Args:
          weight_column: The name of a feature, or a ``numeric_column``, by which the loss and the
            metrics of an example are multiplied; [batch_size, 1] or [batch_size].
          thresholds: Within (0, 1): where accuracy, precision and recall are measured too.
          label_vocabulary: The two names of the classes, if labels are strings.
          loss_reduction: "sum_over_batch_size" (also called "auto") or "sum".
          loss_fn: A function of ``labels`` and ``logits`` (and, if it takes them, ``features`` and
            ``loss_reduction``) that returns the unreduced loss, [..., 1].
          name: Ends the names of metrics and summaries: "accuracy/<name>".

        Raises:
          ValueError: If an argument has a value that is not allowed.
        """
        self._init(weight_column, thresholds, label_vocabulary, loss_fn, name)
        self._reduction = check_reduction(loss_reduction)

    def update_metrics(  # type: ignore[override]  # TF1's signature
        self,
        eval_metrics: Mapping[str, Any],
        features: Any,
        logits: Any,
        labels: Any,
        regularization_losses: Any = None,
    ) -> Mapping[str, Any]:
        """See `Head.update_metrics`."""
        return Head.update_metrics(
            self, eval_metrics, features, logits, labels, None, regularization_losses
        )
