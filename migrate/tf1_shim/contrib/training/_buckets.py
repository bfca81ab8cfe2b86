"""``tf.contrib.training``: batches of examples of about the same length, by queues."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim._values import smart_cond

__all__ = ["bucket", "bucket_by_sequence_length"]

#: How queues end.
CLOSED = (tf.errors.OutOfRangeError, tf.errors.CancelledError)


def as_list(tensors: Any) -> list[Any]:
    """The tensors of a list, or of a dictionary by sorted names."""
    if isinstance(tensors, dict):
        return [tensors[key] for key in sorted(tensors)]
    return list(tensors)


def as_given(tensors: Any, values: Sequence[Any]) -> Any:
    """Values in the structure of `as_list`'s argument."""
    if isinstance(tensors, dict):
        return dict(zip(sorted(tensors), values, strict=True))
    return list(values)


class _Packed:
    """Tensors for a queue; sparse ones are kept in a map, and the queue has their handles."""

    def __init__(self, tensors: Sequence[Any], keep: Any) -> None:
        self._sparse: list[Any] = []
        self.tensors = []
        for tensor in tensors:
            if not isinstance(tensor, tf.SparseTensor):
                self._sparse.append(None)
                self.tensors.append(tf.convert_to_tensor(tensor))
                continue
            stored: list[Any] = []

            def store(tensor: Any = tensor, stored: list[Any] = stored) -> Any:
                handle = tf.raw_ops.AddSparseToTensorsMap(
                    sparse_indices=tensor.indices,
                    sparse_values=tensor.values,
                    sparse_shape=tensor.dense_shape,
                    shared_name=_unique("sparse_map"),
                )
                stored.append(handle.op)
                return handle

            handle = smart_cond(keep, store, lambda: tf.constant(-1, tf.int64))
            self._sparse.append((stored[0], tensor))
            self.tensors.append(handle)

    def restored(self, values: Sequence[Any]) -> list[Any]:
        """The tensors of a batch, sparse ones again sparse."""
        return [
            value if kept is None else _taken(value, *kept)
            for value, kept in zip(values, self._sparse, strict=True)
        ]


def _unique(name: str) -> str:
    return tf.get_default_graph().unique_name(name)


def _taken(handles: Any, operation: Any, tensor: Any) -> Any:
    taken = tf.raw_ops.TakeManySparseFromTensorsMap(
        sparse_handles=tf.reshape(handles, [-1]),
        dtype=tensor.dtype,
        container=operation.get_attr("container"),
        shared_name=operation.get_attr("shared_name"),
    )
    rank = tensor.dense_shape.shape.as_list()[0]
    taken.sparse_indices.set_shape([None, None if rank is None else rank + 1])
    taken.sparse_shape.set_shape([None if rank is None else rank + 1])
    return tf.SparseTensor(*taken)


def bucket(
    tensors: Any,
    which_bucket: Any,
    batch_size: Any,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Any = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches from several queues, each with examples of one bucket.

    Args:
      tensors: A list or a dictionary of tensors: one example.
      which_bucket: int32, a scalar: its bucket.
      batch_size: The batches' size, or a list with one for each bucket.
      num_buckets: The number of buckets.
      num_threads: How many threads fill the queues.
      capacity: How many batches wait, and how many examples in a bucket.
      bucket_capacities: A list: how many examples wait in each bucket.
      shapes: The tensors' shapes; by default the inferred ones.
      dynamic_pad: Whether batches are padded to the longest example.
      allow_smaller_final_batch: Whether the rest at the end makes smaller batches.
      keep_input: bool, a scalar: whether to take the example.
      shared_name: The name by which sessions share the queues.
      name: The name scope.

    Returns:
      The batch's bucket, and the tensors with the batch in front, in the structure given.

    Raises:
      ValueError: If a list has another length than there are buckets, or there is no tensor.
    """
    sizes = list(batch_size) if isinstance(batch_size, (list, tuple)) else None
    if sizes is not None and len(sizes) != num_buckets:
        raise ValueError(
            f"There are {num_buckets} buckets, each with its batch size. Received: {batch_size}"
        )
    limits = bucket_capacities or [capacity] * num_buckets
    if len(limits) != num_buckets:
        raise ValueError(
            f"The list bucket_capacities ({limits}) must have exactly num_buckets ({num_buckets}) "
            "elements."
        )
    wanted = as_list(tensors)
    if not wanted:
        raise ValueError("bucket() needs one tensor or more. Received: none")
    flat = [one.values if isinstance(one, tf.SparseTensor) else one for one in wanted]
    with tf.name_scope(name, "bucket", flat):
        packed = _Packed(wanted, keep_input)
        which_bucket = tf.convert_to_tensor(which_bucket, tf.int32, name="which_bucket")
        batches = [
            tf.convert_to_tensor(size, tf.int32, name="batch_size")
            for size in sizes or [batch_size] * num_buckets
        ]
        known = [tf.get_static_value(size) for size in batches]
        types = [tensor.dtype for tensor in packed.tensors]
        shapes = shapes or [tensor.shape for tensor in packed.tensors]
        kind = tf.PaddingFIFOQueue if dynamic_pad else tf.FIFOQueue
        queues = [
            kind(
                capacity=limits[i],
                dtypes=types,
                shapes=shapes,
                shared_name=None if shared_name is None else f"{shared_name}_{i}",
                name=f"bucket_queue_{i}",
            )
            for i in range(num_buckets)
        ]
        fixed = None if allow_smaller_final_batch or sizes is not None else known[-1]
        top = tf.PaddingFIFOQueue(
            capacity=capacity,
            dtypes=[tf.int32, *types],
            shapes=[[], *(tf.TensorShape([fixed]).concatenate(s) for s in queues[0].shapes)],
            shared_name=shared_name,
            name="top_queue",
        )

        def fill() -> Any:
            def one(i: int) -> Any:
                return queues[i].enqueue(packed.tensors)

            return tf.group(
                *(
                    tf.cond(tf.equal(which_bucket, i), functools.partial(one, i), tf.no_op)
                    for i in range(num_buckets)
                ),
                name="group_enqueues",
            )

        filling = smart_cond(keep_input, fill, tf.no_op)
        moves = []
        for i, queue in enumerate(queues):
            take = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
            size = batches[i] if known[i] is None else int(known[i])
            batch = take(size, name=f"read_bucket_{i}")
            batch = batch if isinstance(batch, (list, tuple)) else [batch]
            moves.append(top.enqueue([tf.constant(i), *batch], name=f"enqueue_from_bucket_{i}"))
        _run(queues[0], moves, [top])
        _run(top, [filling] * num_threads, queues)
        size = tf.cast(top.size(), tf.float32)
        for queue in queues:
            tf.summary.scalar(f"bucket/{queue.name}/size", size)
        tf.summary.scalar(f"bucket/{top.name}/fraction_of_{capacity}_full", size * (1 / capacity))
        number, *values = top.dequeue(name="dequeue_top")
        return number, as_given(tensors, packed.restored(values))


def _run(queue: Any, operations: Sequence[Any], after: Sequence[Any]) -> None:
    """Let threads run operations that fill a queue; at their end, close the queues after it."""
    tf.train.add_queue_runner(
        tf.train.QueueRunner(
            queue,
            list(operations),
            close_op=tf.group(*(one.close() for one in after)),
            cancel_op=tf.group(*(one.close(cancel_pending_enqueues=True) for one in after)),
            queue_closed_exception_types=CLOSED,
        )
    )


def bucket_by_sequence_length(
    input_length: Any,
    tensors: Any,
    batch_size: Any,
    bucket_boundaries: Any,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Any = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of sequences of about the same length.

    Args:
      input_length: int32, a scalar: the example's length.
      tensors: A list or a dictionary of tensors: the example.
      batch_size: The batches' size, or a list with one for each bucket.
      bucket_boundaries: Increasing lengths; n of them make n + 1 buckets.
      num_threads: See `bucket`, as all others.
      capacity: …
      bucket_capacities: …
      shapes: …
      dynamic_pad: …
      allow_smaller_final_batch: …
      keep_input: …
      shared_name: …
      name: …

    Returns:
      The lengths (batch), and the tensors with the batch in front.

    Raises:
      TypeError: If the boundaries are no list of integers.
      ValueError: If they are empty or do not increase.
    """
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError(
            f"bucket_boundaries must be a list of lengths. Received: {bucket_boundaries!r}"
        )
    bounds = list(bucket_boundaries)
    if not bounds:
        raise ValueError("bucket_boundaries must not be empty")
    if len(bounds) > 1 and not all(isinstance(bound, int) for bound in bounds):
        raise TypeError(f"Lengths must be integers. Received: bucket_boundaries={bounds}")
    if any(a >= b for a, b in itertools.pairwise(bounds)):
        raise ValueError(f"bucket_boundaries must ascend. Received: {bounds}")
    with tf.name_scope(name, "bucket_by_sequence_length", [input_length]):
        length = tf.convert_to_tensor(input_length, tf.int32, name="input_length")
        low = tf.constant([tf.int32.min, *bounds], tf.int32)
        high = tf.constant([*bounds, tf.int32.max], tf.int32)
        inside = tf.logical_and(tf.less_equal(low, length), tf.less(length, high))
        which = tf.cast(tf.reduce_min(tf.where(inside)), tf.int32)
        _, (lengths, *values) = bucket(
            [length, *as_list(tensors)],
            which_bucket=which,
            batch_size=batch_size,
            num_buckets=len(bounds) + 1,
            num_threads=num_threads,
            capacity=capacity,
            bucket_capacities=bucket_capacities,
            shapes=None if shapes is None else [tf.TensorShape([]), *shapes],
            dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch,
            keep_input=keep_input,
            shared_name=shared_name,
        )
        return lengths, as_given(tensors, values)
