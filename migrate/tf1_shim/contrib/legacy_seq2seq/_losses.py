"""``tf.contrib.legacy_seq2seq``: losses over lists of steps, and buckets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["model_with_buckets", "sequence_loss", "sequence_loss_by_example"]


def sequence_loss_by_example(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    softmax_loss_function: Any = None,
    name: str | None = None,
) -> Any:
    """The weighted cross entropy of every sequence, over lists of steps.

    Args:
      logits: A list of (batch, symbols).
      targets: A list of int32 (batch).
      weights: A list of float32 (batch).
      average_across_timesteps: Whether to divide by the weights' sum.
      softmax_loss_function: From ``labels`` and ``logits`` to losses, instead of the softmax's.
      name: The name scope; by default "sequence_loss_by_example".

    Returns:
      (batch).

    Raises:
      ValueError: If the lists are not of one length.
    """
    if not len(targets) == len(logits) == len(weights):
        raise ValueError(
            "Each step needs its logits, target and weight. Received: "
            f"{len(logits)} logits, {len(targets)} targets, {len(weights)} weights"
        )
    with tf.name_scope(name, "sequence_loss_by_example", [*logits, *targets, *weights]):
        entropy = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
        losses = []
        for logit, target, weight in zip(logits, targets, weights, strict=True):
            if softmax_loss_function is None:
                target = tf.reshape(target, [-1])
            losses.append(entropy(labels=target, logits=logit) * weight)
        total = tf.add_n(losses)
        return total / (tf.add_n(weights) + 1e-12) if average_across_timesteps else total


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Any = None,
    name: str | None = None,
) -> Any:
    """The sum of `sequence_loss_by_example`, divided by the batch size if asked for.

    Args:
      logits: A list of (batch, symbols).
      targets: A list of int32 (batch).
      weights: A list of float32 (batch).
      average_across_timesteps: Whether to divide by the weights' sum.
      average_across_batch: Whether to divide by the batch size.
      softmax_loss_function: From ``labels`` and ``logits`` to losses, instead of the softmax's.
      name: The name scope; by default "sequence_loss".

    Returns:
      A scalar.
    """
    with tf.name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
        cost = tf.reduce_sum(
            sequence_loss_by_example(
                logits,
                targets,
                weights,
                average_across_timesteps=average_across_timesteps,
                softmax_loss_function=softmax_loss_function,
            )
        )
        return cost / tf.cast(tf.shape(targets[0])[0], cost.dtype) if average_across_batch else cost


def model_with_buckets(
    encoder_inputs: Any,
    decoder_inputs: Any,
    targets: Any,
    weights: Any,
    buckets: Any,
    seq2seq: Callable[[Any, Any], tuple[Any, Any]],
    softmax_loss_function: Any = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple[list[Any], list[Any]]:
    """One model for several lengths, with shared variables.

    Args:
      encoder_inputs: A list as long as the longest bucket.
      decoder_inputs: A list as long as the longest bucket.
      targets: A list of int32 (batch).
      weights: A list of float32 (batch).
      buckets: Pairs of an encoder's and a decoder's length.
      seq2seq: From encoder and decoder inputs to (outputs, state).
      softmax_loss_function: From ``labels`` and ``logits`` to losses, instead of the softmax's.
      per_example_loss: Whether a loss is (batch) or a scalar.
      name: The name scope; by default "model_with_buckets".

    Returns:
      The outputs and the losses, one entry for each bucket.

    Raises:
      ValueError: If a list is shorter than the last bucket.
    """
    for what, given, needed in (
        ("encoder_inputs", encoder_inputs, buckets[-1][0]),
        ("targets", targets, buckets[-1][1]),
        ("weights", weights, buckets[-1][1]),
    ):
        if len(given) < needed:
            raise ValueError(f"The last bucket takes {needed} {what}. Received: {len(given)}")
    losses, outputs = [], []
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    with tf.name_scope(name, "model_with_buckets", [*encoder_inputs, *decoder_inputs]):
        for number, (into, out) in enumerate(buckets):
            with tf.variable_scope(tf.get_variable_scope(), reuse=True if number > 0 else None):
                made, _ = seq2seq(encoder_inputs[:into], decoder_inputs[:out])
                outputs.append(made)
                losses.append(
                    loss(
                        made,
                        targets[:out],
                        weights[:out],
                        softmax_loss_function=softmax_loss_function,
                    )
                )
    return outputs, losses
