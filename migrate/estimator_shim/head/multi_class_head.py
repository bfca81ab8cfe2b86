"""`MultiClassHead`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from migrate.estimator_shim.head._core import MultiClassCore
from migrate.estimator_shim.head.base_head import SUM_OVER_BATCH_SIZE, Head, check_reduction

__all__ = ["MultiClassHead"]


class MultiClassHead(MultiClassCore, Head):
    """Three or more classes that exclude each other, with softmax cross entropy.

    * Labels: [..., 1] or [...], integers below n_classes, or strings with a ``label_vocabulary``.
    * Logits: float [..., n_classes].
    * Predictions: ``logits``, ``probabilities`` [..., n_classes]; ``class_ids`` int64, ``classes``
      string [..., 1]; ``all_class_ids``, ``all_classes`` [batch_size, n_classes].
    * Metrics: ``average_loss``, ``accuracy``.
    * Signatures: ``classification`` (the default), ``predict``.
    """

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Sequence[Any] | None = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Checks the arguments.

        Args:
          n_classes: At least 3; for 2 take `BinaryClassHead`.
          weight_column: See `BinaryClassHead`.
          label_vocabulary: The names of the classes, if labels are strings.
          loss_reduction: "sum_over_batch_size" (also called "auto") or "sum".
          loss_fn: See `BinaryClassHead`.
          name: Ends the names of metrics and summaries.

        Raises:
          ValueError: If an argument has a value that is not allowed.
        """
        self._init(n_classes, weight_column, label_vocabulary, loss_fn, name)
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
