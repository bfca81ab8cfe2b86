"""What the multi-heads of tf.estimator and contrib.estimator share: logits and exports by head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.export.export_output import PredictOutput
from migrate.estimator_shim.head._core import CLASSIFY, PREDICT, REGRESS, SERVING


def check_heads(heads: Sequence[Any], weights: Any) -> None:
    """Raises ValueError unless there are heads, all with names, and as many weights."""
    if not heads:
        raise ValueError(f"MultiHead needs at least one head. Received: heads={heads!r}")
    for head in heads:
        if not head.name:
            raise ValueError(f"All heads of a MultiHead must have a name. Received: {head!r}")
    if weights and len(weights) != len(heads):
        raise ValueError(
            f"head_weights must have a weight for each of {len(heads)} heads. Received: {weights!r}"
        )


def split_logits(heads: Sequence[Any], logits: Any) -> dict[Any, Any]:
    """Head name -> its logits, from a dict or from a tensor with all of them side by side."""
    if isinstance(logits, Mapping):
        return by_head(heads, logits, "logits")
    sizes = [head.logits_dimension for head in heads]
    logits = tf.convert_to_tensor(logits)
    last = None if logits.shape.rank is None else logits.shape[-1]
    last = getattr(last, "value", last)
    if last is not None and last != sum(sizes):
        raise ValueError(
            f"The last dimension of logits must be {sum(sizes)}, the sum of the heads' {sizes}. "
            f"Received: {logits.shape}"
        )
    parts = tf.split(logits, sizes, axis=-1)
    return {head.name: part for head, part in zip(heads, parts, strict=True)}


def by_head(heads: Sequence[Any], values: Any, what: str) -> dict[Any, Any]:
    """The values, if there is one for each head."""
    if not isinstance(values, Mapping):
        raise ValueError(f"{what} must be a dict: head name -> tensor. Received: {values!r}")
    missing = [head.name for head in heads if head.name not in values]
    if missing:
        raise ValueError(
            f"{what} must have all heads. Missing: {missing}. Received: {sorted(values)}"
        )
    return dict(values)


def merge_exports(heads: Sequence[Any], exports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All signatures: "<head>", "<head>/<signature>", "predict"; the first head's is default."""
    merged: dict[str, Any] = {SERVING: exports[0][SERVING]}
    predictions: dict[str, Any] = {}
    for head, outputs in zip(heads, exports, strict=True):
        for key, output in outputs.items():
            if key == PREDICT:
                merged[f"{head.name}/{PREDICT}"] = output
                named = output.outputs.items()
                predictions.update((f"{head.name}/{k}", v) for k, v in named)
            elif key == SERVING:
                merged[head.name] = output
            else:
                assert key in (CLASSIFY, REGRESS)
                merged[f"{head.name}/{key}"] = output
    merged[PREDICT] = PredictOutput(predictions)
    return merged
