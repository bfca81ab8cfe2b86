"""``tf.contrib.training``: hyperparameters, train operations, evaluation."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.training._evaluation import (
    StopAfterNEvalsHook,
    SummaryAtEndHook,
    checkpoints_iterator,
    evaluate_once,
    evaluate_repeatedly,
    get_or_create_eval_step,
    wait_for_new_checkpoint,
)
from migrate.tf1_shim.contrib.training._hparam import (
    HParams,
    parse_values,
)
from migrate.tf1_shim.contrib.training._training import (
    add_gradients_summaries,
    clip_gradient_norms,
    clip_gradient_norms_fn,
    create_train_op,
    multiply_gradients,
    train,
)

__all__ = [
    "HParams",
    "StopAfterNEvalsHook",
    "SummaryAtEndHook",
    "add_gradients_summaries",
    "checkpoints_iterator",
    "clip_gradient_norms",
    "clip_gradient_norms_fn",
    "create_train_op",
    "evaluate_once",
    "evaluate_repeatedly",
    "get_or_create_eval_step",
    "multiply_gradients",
    "parse_values",
    "train",
    "wait_for_new_checkpoint",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.training")
