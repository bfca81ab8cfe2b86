"""contrib.estimator's multi_head."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned.head import HeadV1, LossSpec
from migrate.estimator_shim.canned.metric_keys import MetricKeys
from migrate.estimator_shim.head import _several
from migrate.estimator_shim.head.base_head import make_train_op
from migrate.estimator_shim.mode_keys import ALL, ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec

__all__ = ["multi_head"]


def multi_head(heads: Sequence[HeadV1], head_weights: Sequence[float] | None = None) -> HeadV1:
    """A head of several: losses are added, metrics and signatures put side by side.

    Args:
      heads: Heads of `contrib.estimator`, each with a name.
      head_weights: What each head's loss is multiplied by; None for 1.

    Returns:
      The head. Its labels are a dict by head name; its logits too, or one tensor with the heads'
      logits side by side. See `MultiHead`.

    Raises:
      ValueError: If there is no head, one has no name, or there are too few weights.
    """
    _several.check_heads(heads, head_weights)
    return _MultiHead(heads, head_weights)


class _MultiHead(HeadV1):
    """See `multi_head`."""

    def __init__(self, heads: Sequence[HeadV1], weights: Sequence[float] | None) -> None:
        self._heads = tuple(heads)
        self._weights = tuple(weights) if weights else (1.0,) * len(self._heads)
        self._name = "_".join(str(head.name) for head in heads)

    @property
    def logits_dimension(self) -> int:
        """The sum of the heads' dimensions."""
        return sum(head.logits_dimension for head in self._heads)

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        """See `HeadV1.create_loss`; all but the loss are dicts by head name."""
        parts = _several.split_logits(self._heads, logits)
        labels = _several.by_head(self._heads, labels, "labels")
        specs = [
            head.create_loss(features, mode, parts[head.name], labels[head.name])
            for head in self._heads
        ]
        weighted = [
            tf.multiply(s.training_loss, w) for s, w in zip(specs, self._weights, strict=True)
        ]
        names = [head.name for head in self._heads]
        return LossSpec(
            tf.add_n(weighted),
            {n: s.unreduced_loss for n, s in zip(names, specs, strict=True)},
            {n: s.weights for n, s in zip(names, specs, strict=True)},
            {n: s.processed_labels for n, s in zip(names, specs, strict=True)},
        )

    def create_estimator_spec(  # type: ignore[override]  # TF1's signature
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
    ) -> EstimatorSpec:
        """See `HeadV1.create_estimator_spec`."""
        if mode not in ALL:
            raise ValueError(f"mode must be one of {', '.join(ALL)}. Received: {mode!r}")
        parts = _several.split_logits(self._heads, logits)
        by_head = (
            None if mode == ModeKeys.PREDICT else _several.by_head(self._heads, labels, "labels")
        )
        specs = []
        for head in self._heads:
            kwargs: dict[str, Any] = {} if by_head is None else {"labels": by_head[head.name]}
            if mode == ModeKeys.TRAIN:
                kwargs["train_op_fn"] = lambda loss: tf.no_op()
            specs.append(head.create_estimator_spec(features, mode, parts[head.name], **kwargs))
        pairs = list(zip(self._heads, specs, strict=True))
        predictions = {(h.name, k): v for h, s in pairs for k, v in s.predictions.items()}
        if mode == ModeKeys.PREDICT:
            exports = _several.merge_exports(self._heads, [s.export_outputs for s in specs])
            return EstimatorSpec(mode, predictions=predictions, export_outputs=exports)
        losses = [tf.multiply(s.loss, w) for s, w in zip(specs, self._weights, strict=True)]
        loss = tf.add_n(losses)
        if mode == ModeKeys.EVAL:
            metrics: dict[str, Any] = {}
            for head, spec in pairs:
                key = f"{MetricKeys.LOSS}/{head.name}"
                metrics[key] = tf.metrics.mean(spec.loss, name=key)
                metrics.update(spec.eval_metric_ops)
            return EstimatorSpec(mode, predictions=predictions, loss=loss, eval_metric_ops=metrics)
        train_op = make_train_op(loss, optimizer, train_op_fn)
        with tf.name_scope(""):
            tf.summary.scalar(MetricKeys.LOSS, loss)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)
