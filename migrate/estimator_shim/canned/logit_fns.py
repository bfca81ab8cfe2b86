"""`call_logit_fn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import util

__all__ = ["call_logit_fn"]


def call_logit_fn(
    logit_fn: Callable[..., Any], features: Any, mode: str, params: Any, config: Any
) -> Any:
    """Calls a logit_fn with those of mode, params and config that it takes.

    Args:
      logit_fn: A function of ``features``, such as `dnn_logit_fn_builder` returns.
      features: The features.
      mode: One of `ModeKeys`.
      params: The parameters of the model.
      config: A `RunConfig`.

    Returns:
      What it returns: logits, or a dict of them for a multi-head.

    Raises:
      ValueError: If it returns neither.
    """
    names = util.fn_args(logit_fn)
    given = {"mode": mode, "params": params, "config": config}
    logits = logit_fn(features=features, **{k: v for k, v in given.items() if k in names})
    if not isinstance(logits, dict) and not tf.is_tensor(logits):
        raise ValueError(f"logit_fn must return a tensor or a dict of them. Received: {logits!r}")
    return logits
