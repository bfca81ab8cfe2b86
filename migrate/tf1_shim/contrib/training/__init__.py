"""``tf.contrib.training``: hyperparameters, train operations, evaluation."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.training._buckets import (
    bucket,
    bucket_by_sequence_length,
)
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
from migrate.tf1_shim.contrib.training._sampling import (
    GreedyLoadBalancingStrategy,
    RandomStrategy,
    byte_size_load_fn,
    rejection_sample,
    resample_at_rate,
    stratified_sample,
    weighted_resample,
)
from migrate.tf1_shim.contrib.training._state_saver import (
    NextQueuedSequenceBatch,
    SequenceQueueingStateSaver,
    batch_sequences_with_states,
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
    "GreedyLoadBalancingStrategy",
    "HParams",
    "NextQueuedSequenceBatch",
    "RandomStrategy",
    "SequenceQueueingStateSaver",
    "StopAfterNEvalsHook",
    "SummaryAtEndHook",
    "add_gradients_summaries",
    "batch_sequences_with_states",
    "bucket",
    "bucket_by_sequence_length",
    "byte_size_load_fn",
    "checkpoints_iterator",
    "clip_gradient_norms",
    "clip_gradient_norms_fn",
    "create_train_op",
    "evaluate_once",
    "evaluate_repeatedly",
    "get_or_create_eval_step",
    "multiply_gradients",
    "parse_values",
    "rejection_sample",
    "resample_at_rate",
    "stratified_sample",
    "train",
    "wait_for_new_checkpoint",
    "weighted_resample",
]

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.training",
    {
        "FeedingQueueRunner": (
            "it fed queues from Python by private means: use tf.data.Dataset.from_generator, or "
            "placeholders with tf.train.QueueRunner"
        )
    },
)
