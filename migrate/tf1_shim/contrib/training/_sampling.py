"""``tf.contrib.training``: sampling and resampling of examples, and placement by load."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.layers._batch_norm import moving_average

__all__ = [
    "GreedyLoadBalancingStrategy",
    "RandomStrategy",
    "byte_size_load_fn",
    "rejection_sample",
    "resample_at_rate",
    "stratified_sample",
    "weighted_resample",
]


def rejection_sample(
    tensors: Sequence[Any],
    accept_prob_fn: Callable[[list[Any]], Any],
    batch_size: int,
    queue_threads: int = 1,
    enqueue_many: bool = False,
    prebatch_capacity: int = 16,
    prebatch_threads: int = 1,
    runtime_checks: bool = False,
    name: str | None = None,
) -> list[Any]:
    """Batches of examples that are each accepted with a probability.

    Args:
      tensors: A list of tensors: one example, or many.
      accept_prob_fn: From such a list (of one example) to the probability.
      batch_size: The batches' size.
      queue_threads: How many threads fill the batches.
      enqueue_many: Whether the tensors have many examples.
      prebatch_capacity: How many examples wait then.
      prebatch_threads: How many threads take them apart then.
      runtime_checks: Whether to check the probability.
      name: The variable scope; by default "rejection_sample".

    Returns:
      The tensors with the batch in front.
    """
    with tf.variable_scope(name, "rejection_sample", list(tensors)):
        example = [tf.convert_to_tensor(tensor) for tensor in tensors]
        if enqueue_many:
            example = _one_by_one(example, prebatch_threads, prebatch_capacity)
        chance = accept_prob_fn(example)
        if runtime_checks:
            checks = [
                tf.debugging.assert_less_equal(0.0, chance),
                tf.debugging.assert_less_equal(chance, 1.0),
            ]
            with tf.control_dependencies(checks):
                chance = tf.identity(chance, name="prob_with_checks")
        batch = tf.train.maybe_batch(
            example,
            keep_input=tf.random_uniform([]) < chance,
            batch_size=batch_size,
            num_threads=queue_threads,
        )
        return batch if isinstance(batch, list) else [batch]


def _one_by_one(tensors: Sequence[Any], threads: int, capacity: int) -> list[Any]:
    """The examples of a batch, one after the other."""
    batch = tf.train.batch(
        list(tensors), batch_size=1, num_threads=threads, capacity=capacity, enqueue_many=True
    )
    batch = batch if isinstance(batch, list) else [batch]
    return [tf.squeeze(tensor, [0]) for tensor in batch]


def stratified_sample(
    tensors: Sequence[Any],
    labels: Any,
    target_probs: Any,
    batch_size: int,
    init_probs: Any = None,
    enqueue_many: bool = False,
    queue_capacity: int = 16,
    threads_per_queue: int = 1,
    name: str | None = None,
) -> tuple[list[Any], Any]:
    """Batches in which the classes have given shares; examples of frequent classes are dropped.

    Args:
      tensors: A list of tensors: one example, or many.
      labels: Integers: the class.
      target_probs: (classes): the classes' shares in the batches.
      batch_size: The batches' size.
      init_probs: (classes): the shares in the data; by default counted on the way, in the
        variable ``class_count``, which starts at ten of each.
      enqueue_many: Whether the tensors have many examples.
      queue_capacity: How many examples wait.
      threads_per_queue: How many threads fill a queue.
      name: The name scope.

    Returns:
      The tensors with the batch in front, and the labels (batch).

    Raises:
      ValueError: If the shares are not of one length.
    """
    with tf.name_scope(name, "stratified_sample", [*tensors, labels]):
        example = [tf.convert_to_tensor(tensor) for tensor in tensors]
        labels = tf.convert_to_tensor(labels)
        target = tf.convert_to_tensor(target_probs, dtype=tf.float32)
        if not enqueue_many:
            example = [tf.expand_dims(tensor, 0) for tensor in example]
            labels = tf.expand_dims(labels, 0)
        if init_probs is None:
            start = _counted(labels, target.shape.num_elements())
        else:
            start = tf.convert_to_tensor(init_probs, dtype=tf.float32)
        example, labels, start, target = _checked(example, labels, start, target)
        reachable = tf.reduce_all(tf.logical_or(tf.not_equal(start, 0), tf.equal(target, 0)))
        message = "Classes without examples must have the target probability zero: "
        with tf.control_dependencies([tf.Assert(reachable, [message, start, target])]):
            start = tf.identity(start)
        ratio = target / start
        ratio = tf.where(tf.is_nan(ratio), tf.zeros_like(ratio), ratio)
        accept = ratio / tf.reduce_max(ratio)
        rejected = tf.reduce_sum((1 - accept) * start)
        many = "The sampler rejects more than half of the examples: "
        accept = tf.cond(
            tf.less(rejected, 0.5),
            lambda: accept,
            lambda: tf.Print(accept, [accept], message=many, first_n=10),
        )
        *values, label = _one_by_one([*example, labels], threads_per_queue, queue_capacity)
        *values, label = tf.train.maybe_batch(
            [*values, label],
            keep_input=tf.random_uniform([]) < tf.gather(accept, label),
            batch_size=batch_size,
            num_threads=threads_per_queue,
        )
        return values, label


def _counted(labels: Any, classes: int) -> Any:
    """The classes' shares so far."""
    seen = tf.Variable([10] * classes, trainable=False, name="class_count", dtype=tf.int64)
    hot = tf.one_hot(labels, classes, dtype=tf.int64)
    count = seen.assign_add(tf.reduce_sum(hot, 0)) + 0
    return tf.cast(tf.truediv(count, tf.reduce_sum(count)), tf.float32)


def _checked(example: list[Any], labels: Any, start: Any, target: Any) -> Any:
    """All inputs of `stratified_sample`, with checks that run."""
    shares = []
    for share in (start, target):
        share.shape.assert_is_fully_defined()
        share.shape.assert_has_rank(1)
        total = tf.reduce_sum(share)
        checks = [
            tf.debugging.assert_non_negative(share),
            tf.debugging.assert_less(total, 1.0 + 1e-6),
            tf.debugging.assert_less(1.0 - 1e-6, total),
        ]
        with tf.control_dependencies(checks):
            shares.append(tf.identity(share))
    classes = [share.shape.num_elements() for share in shares]
    if classes[0] != classes[1]:
        raise ValueError(
            f"Probability parameters must have the same length. Received: {classes[0]} initial and "
            f"{classes[1]} target ones"
        )
    labels.shape.assert_has_rank(1)
    size = tf.shape(labels)[0]
    filled = tf.debugging.assert_positive(size)
    with tf.control_dependencies(
        [
            filled,
            tf.debugging.assert_integer(labels),
            tf.debugging.assert_non_negative(labels),
            tf.debugging.assert_less(labels, tf.cast(classes[0], labels.dtype)),
        ]
    ):
        labels = tf.identity(labels)
    out = []
    for tensor in example:
        tensor.shape[:1].assert_is_compatible_with(labels.shape)
        with tf.control_dependencies(
            [filled, tf.debugging.assert_equal(tf.shape(tensor)[0], size)]
        ):
            out.append(tf.identity(tensor))
    return out, labels, shares[0], shares[1]


def resample_at_rate(
    inputs: Sequence[Any],
    rates: Any,
    scope: str | None = None,
    seed: int | None = None,
    back_prop: bool = False,
) -> list[Any]:
    """Each example as often as a Poisson distribution says.

    Args:
      inputs: A list of tensors (batch, …).
      rates: (batch): the means.
      scope: The name scope.
      seed: The operation's seed.
      back_prop: Whether gradients flow through the choice (there are none through a Poisson draw).

    Returns:
      The tensors (other batch, …).
    """
    with tf.name_scope(scope, "resample_at_rate", [*inputs, rates]):
        rates = tf.convert_to_tensor(rates, name="rates")
        counts = tf.cast(tf.random_poisson(rates, (), rates.dtype, seed=seed), tf.int32)
        chosen = tf.repeat(tf.range(tf.size(counts)), counts)
        if not back_prop:
            chosen = tf.stop_gradient(chosen)
        return [tf.gather(tensor, chosen) for tensor in inputs]


def weighted_resample(
    inputs: Sequence[Any],
    weights: Any,
    overall_rate: Any,
    scope: str | None = None,
    mean_decay: float = 0.999,
    seed: int | None = None,
) -> tuple[list[Any], Any]:
    """Examples as often as their weights say, on average at an overall rate.

    Args:
      inputs: A list of tensors (batch, …).
      weights: (batch).
      overall_rate: How many examples come out for each that goes in.
      scope: The scope's name.
      mean_decay: The decay of the moving average of the weights, a local variable.
      seed: The operation's seed.

    Returns:
      The tensors (other batch, …), and the rates of their examples.
    """
    with tf.name_scope(scope, "weighted_resample", list(inputs)) as opscope:
        with tf.variable_scope(scope, "estimate_mean", list(inputs)):
            estimate = tf.get_local_variable(
                "estimated_mean", initializer=tf.cast(0, weights.dtype), dtype=weights.dtype
            )
            mean = moving_average(estimate, tf.reduce_mean(weights), mean_decay, zero_debias=True)
        rates = weights * overall_rate / mean
        chosen_rates, *chosen = resample_at_rate([rates, *inputs], rates, scope=opscope, seed=seed)
        return chosen, chosen_rates


class RandomStrategy:
    """Places operations on parameter servers by the hash of their names."""

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        """Make a strategy for ``tf.train.replica_device_setter``.

        Args:
          num_ps_tasks: The number of servers.
          seed: Part of what is hashed.
        """
        self._num_tasks, self._seed = num_ps_tasks, seed

    def __call__(self, op: Any) -> int:
        """The server of an operation."""
        digest = hashlib.md5(f"{op.name}_{self._seed}".encode(), usedforsecurity=False)
        return int(digest.hexdigest(), 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
    """Places each operation on the parameter server with the least load so far."""

    def __init__(self, num_tasks: int, load_fn: Callable[[Any], float]) -> None:
        """Make a strategy for ``tf.train.replica_device_setter``.

        Args:
          num_tasks: The number of servers.
          load_fn: From an operation to its load, such as `byte_size_load_fn`.
        """
        self._load_fn = load_fn
        self._ps_loads = np.zeros(num_tasks)

    def __call__(self, op: Any) -> int:
        """The server of an operation."""
        task = int(np.argmin(self._ps_loads))
        self._ps_loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: Any) -> int:
    """The size of an operation's output in bytes.

    Args:
      op: An operation with one output of known shape.

    Returns:
      The bytes.

    Raises:
      ValueError: If it has more outputs, or the shape is unknown.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    output = op.outputs[0]
    shape = output.shape
    if not shape.is_fully_defined():
        # A variable whose shape was not checked keeps it in an attribute.
        shape = tf.TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    return shape.num_elements() * output.dtype.size
