"""`MultiLabelHead`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from migrate.estimator_shim.head._core import MultiLabelCore
from migrate.estimator_shim.head.base_head import SUM_OVER_BATCH_SIZE, Head, check_reduction

__all__ = ["MultiLabelHead"]


class MultiLabelHead(MultiLabelCore, Head):
    """Two or more classes of which an example may have any number, with sigmoid cross entropy.

    The loss of an example is the mean of its classes' losses.

    * Labels: [..., n_classes] of 0 and 1; or a SparseTensor of class ids, or of strings with a
      ``label_vocabulary``.
    * Logits: float [..., n_classes].
    * Predictions: ``logits``, ``probabilities`` [..., n_classes].
    * Metrics: ``average_loss``, ``auc``, ``auc_precision_recall``; accuracy, precision and recall
      at each threshold; mean probability and AUCs of the classes asked for.
    * Signatures: ``classification`` (the default), ``predict``.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[Any] | None = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        classes_for_class_based_metrics: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Checks the arguments.

        Args:
          n_classes: At least 2.
          weight_column: See `BinaryClassHead`.
          thresholds: Within (0, 1): where accuracy, precision and recall are measured.
          label_vocabulary: The names of the classes, if labels are strings.
          loss_reduction: "sum_over_batch_size" (also called "auto") or "sum".
          loss_fn: See `BinaryClassHead`.
          classes_for_class_based_metrics: Ids (or names of the label_vocabulary) of classes with
            metrics of their own.
          name: Ends the names of metrics and summaries.

        Raises:
          ValueError: If an argument has a value that is not allowed.
        """
        self._init(
            n_classes, weight_column, thresholds, label_vocabulary, loss_fn,
            classes_for_class_based_metrics, name,
        )  # fmt: skip
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
