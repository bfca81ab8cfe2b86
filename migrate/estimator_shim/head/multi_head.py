"""`MultiHead`: several heads on one model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned.metric_keys import MetricKeys
from migrate.estimator_shim.head import _metrics, _several
from migrate.estimator_shim.head._core import checked_keys
from migrate.estimator_shim.head.base_head import Head

__all__ = ["MultiHead"]


class MultiHead(Head):
    """Several heads: their losses are added, their metrics and signatures put side by side.

    * Labels: a dict, head name -> labels.
    * Logits: a dict, head name -> logits, or one tensor with the heads' logits side by side.
    * Predictions: ``(head name, key)`` -> tensor.
    * Metrics: those of the heads, and ``loss/<head name>``.
    * Signatures: ``<head name>``, ``<head name>/<signature>``; ``predict`` has the predictions of
      all heads; the first head's is the default one.

    ::

        head = MultiHead([RegressionHead(name="price"), MultiClassHead(3, name="kind")])
    """

    def __init__(self, heads: Sequence[Head], head_weights: Sequence[float] | None = None) -> None:
        """Checks the heads.

        Args:
          heads: The heads, each with a name.
          head_weights: What each head's loss is multiplied by; None for 1.

        Raises:
          ValueError: If there is no head, one has no name, or there are too few weights.
        """
        _several.check_heads(heads, head_weights)
        self._heads = tuple(heads)
        self._head_weights = tuple(head_weights) if head_weights else None
        self._name = "_".join(str(head.name) for head in heads)
        reductions = {head.loss_reduction for head in heads}
        if len(reductions) > 1:
            raise ValueError(f"All heads must have the same loss_reduction. Received: {reductions}")
        (self._reduction,) = reductions

    @property
    def logits_dimension(self) -> int:
        """The sum of the heads' dimensions."""
        return sum(head.logits_dimension for head in self._heads)

    def _losses(self, labels: Any, logits: Any, features: Any) -> list[Any]:
        """The loss of each head."""
        labels = _several.by_head(self._heads, labels, "labels")
        parts = _several.split_logits(self._heads, logits)
        return [head.loss(labels[head.name], parts[head.name], features) for head in self._heads]

    def _merged(self, losses: Sequence[Any], regularization_losses: Any) -> Any:
        weights = self._head_weights or [1.0] * len(losses)
        loss = tf.add_n([tf.multiply(v, w) for v, w in zip(losses, weights, strict=True)])
        if regularization_losses:
            loss = loss + tf.add_n(list(regularization_losses))
        return loss

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: str | None = None,
        regularization_losses: Iterable[Any] | None = None,
    ) -> Any:
        """The weighted sum of the heads' losses. See `Head.loss`."""
        losses = self._losses(labels, logits, features)
        if not tf.executing_eagerly() and mode == "train":
            with tf.name_scope(""):
                for head, value in zip(self._heads, losses, strict=True):
                    tf.summary.scalar(f"{MetricKeys.LOSS}/{head.name}", value)
        return self._merged(losses, regularization_losses)

    def predictions(self, logits: Any, keys: Iterable[Any] | None = None) -> dict[Any, Any]:
        """``(head name, key)`` -> tensor. See `Head.predictions`."""
        parts = _several.split_logits(self._heads, logits)
        found = {
            (head.name, key): value
            for head in self._heads
            for key, value in head.predictions(parts[head.name]).items()
        }
        return {k: found[k] for k in checked_keys(keys, found)}

    def metrics(self, regularization_losses: Iterable[Any] | None = None) -> dict[str, Any]:
        """The metric objects of all heads. See `Head.metrics`."""
        found: dict[str, Any] = {}
        if regularization_losses is not None:
            name = self._key(MetricKeys.LOSS_REGULARIZATION)
            found[name] = _metrics.Mean(name)
        for head in self._heads:
            name = f"{MetricKeys.LOSS}/{head.name}"
            found[name] = _metrics.Mean(name)
            found.update(head.metrics())
        return found

    def update_metrics(  # type: ignore[override]  # TF1's signature
        self,
        eval_metrics: Mapping[str, Any],
        features: Any,
        logits: Any,
        labels: Any,
        regularization_losses: Iterable[Any] | None = None,
    ) -> Mapping[str, Any]:
        """See `Head.update_metrics`."""
        labels = _several.by_head(self._heads, labels, "labels")
        parts = _several.split_logits(self._heads, logits)
        if regularization_losses is not None:
            key = self._key(MetricKeys.LOSS_REGULARIZATION)
            eval_metrics[key].update_state(tf.add_n(list(regularization_losses)))
        for head in self._heads:
            loss = head.loss(labels[head.name], parts[head.name], features)
            eval_metrics[f"{MetricKeys.LOSS}/{head.name}"].update_state(loss)
            args = (eval_metrics, features, parts[head.name], labels[head.name])
            head.update_metrics(*args)
        return eval_metrics

    def _exports(self, predictions: dict[Any, Any]) -> dict[str, Any]:
        exports = []
        for head in self._heads:
            own = {k: v for (name, k), v in predictions.items() if name == head.name}
            exports.append(head._exports(own))
        return _several.merge_exports(self._heads, exports)

    def _summaries(self, loss: Any, regularization_losses: list[Any] | None) -> None:
        with tf.name_scope(""):
            tf.summary.scalar(MetricKeys.LOSS, loss)
            if regularization_losses:
                key = MetricKeys.LOSS_REGULARIZATION
                tf.summary.scalar(key, tf.add_n(regularization_losses))
