"""``tf.contrib.training``: long sequences in segments, with states kept between the steps."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.training._buckets import CLOSED

__all__ = ["NextQueuedSequenceBatch", "SequenceQueueingStateSaver", "batch_sequences_with_states"]

#: The parts of a segment in the barrier, before sequences, context and states.
PARTS = (
    ("length", tf.int32),
    ("total_length", tf.int32),
    ("next_key", tf.string),
    ("sequence", tf.int32),
    ("sequence_count", tf.int32),
)


class _Barrier:
    """Collects the parts of segments by their keys, and gives out complete ones."""

    def __init__(self, types: Sequence[Any], shapes: Sequence[Any]) -> None:
        self._types, self._shapes = list(types), [tf.TensorShape(shape) for shape in shapes]
        self.barrier_ref = tf.raw_ops.Barrier(
            component_types=self._types, shapes=self._shapes, name="barrier"
        )
        self.name = self.barrier_ref.op.name

    def insert_many(self, component_index: int, keys: Any, values: Any, name: str) -> Any:
        """Insert one part of some segments."""
        return tf.raw_ops.BarrierInsertMany(
            handle=self.barrier_ref,
            keys=keys,
            values=values,
            component_index=component_index,
            name=name,
        )

    def take_many(self, num_elements: Any, allow_small_batch: bool, name: str) -> Any:
        """Indices, keys and parts of complete segments."""
        taken = tf.raw_ops.BarrierTakeMany(
            handle=self.barrier_ref,
            num_elements=num_elements,
            component_types=self._types,
            allow_small_batch=allow_small_batch,
            name=name,
        )
        size = None
        if not allow_small_batch:
            size = tf.get_static_value(tf.convert_to_tensor(num_elements))
        taken.indices.set_shape([size])
        taken.keys.set_shape([size])
        for value, shape in zip(taken.values, self._shapes, strict=True):
            value.set_shape(tf.TensorShape([size]).concatenate(shape))
        return taken

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """Take no more segments."""
        return tf.raw_ops.BarrierClose(
            handle=self.barrier_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name
        )

    def ready_size(self, name: str | None = None) -> Any:
        """How many segments are complete."""
        return tf.raw_ops.BarrierReadySize(handle=self.barrier_ref, name=name)

    def incomplete_size(self, name: str | None = None) -> Any:
        """How many are not."""
        return tf.raw_ops.BarrierIncompleteSize(handle=self.barrier_ref, name=name)


def _named(what: str, tensors: Any, prefix: str) -> OrderedDict[str, Any]:
    """A dictionary of tensors, sorted by names.

    Raises:
      TypeError: If it is no dictionary, or a name no string.
      ValueError: If a name has a colon, or a tensor is sparse.
    """
    if not isinstance(tensors, dict):
        raise TypeError(f"{what} must be a dict. Received: {tensors!r}")
    for name, tensor in tensors.items():
        if not isinstance(name, str):
            raise TypeError(f"{what} key must be string: {name}")
        if ":" in name:
            raise ValueError(f"{what} key may not have a colon: '{name}'")
        if isinstance(tensor, (tf.SparseTensor, tf.SparseTensorValue)):
            raise ValueError(
                f"{what} {name!r} is sparse, which migrate.tf1_shim.contrib.training does not "
                "support: use tf.sparse.to_dense before"
            )
    return OrderedDict(
        (name, tf.convert_to_tensor(tensors[name], name=f"{prefix}_{name}"))
        for name in sorted(tensors)
    )


def _known(what: str, tensors: dict[str, Any], start: int = 0) -> None:
    for name, tensor in tensors.items():
        if not tensor.shape[start:].is_fully_defined():
            raise ValueError(
                f"Shape for {what} {name} is not fully defined"
                f"{' (ignoring first dimension)' if start else ''}: {tensor.shape}"
            )


class NextQueuedSequenceBatch:
    """A batch of segments, and the states to go on with."""

    def __init__(self, state_saver: Any) -> None:
        """Make it: `SequenceQueueingStateSaver.next_batch`.

        Args:
          state_saver: The saver.
        """
        self._saver = state_saver

    @property
    def total_length(self) -> Any:
        """int32 (batch): the lengths of the whole sequences."""
        return self._saver._received["total_length"]

    @property
    def length(self) -> Any:
        """int32 (batch): the lengths of the segments."""
        return self._saver._received["length"]

    @property
    def batch_size(self) -> Any:
        """int32: how many segments."""
        return tf.squeeze(tf.shape(self.length))

    @property
    def insertion_index(self) -> Any:
        """int64 (batch): growing numbers, in the order in which sequences came."""
        return self._saver._indices

    @property
    def key(self) -> Any:
        """Strings (batch): ``00000_of_00003:key``."""
        return self._saver._keys

    @property
    def next_key(self) -> Any:
        """Strings (batch): the following segments' keys, ``STOP:key`` after the last one."""
        return self._saver._received["next_key"]

    @property
    def sequence(self) -> Any:
        """int32 (batch): the segments' numbers."""
        return self._saver._received["sequence"]

    @property
    def sequence_count(self) -> Any:
        """int32 (batch): how many segments the sequences have."""
        return self._saver._received["sequence_count"]

    @property
    def context(self) -> Any:
        """From names to tensors (batch, …)."""
        return self._saver._context

    @property
    def sequences(self) -> Any:
        """From names to tensors (batch, num_unroll, …)."""
        return self._saver._sequences

    def state(self, state_name: str) -> Any:
        """The state (batch, …) that the segments before left, or the initial one."""
        return self._saver._states[state_name]

    def save_state(self, state_name: str, value: Any, name: str | None = None) -> Any:
        """Keep a state for the following segments.

        Args:
          state_name: The state.
          value: (batch, …).
          name: The name scope.

        Returns:
          The operation to run with the step.

        Raises:
          KeyError: If there is no such state.
        """
        saver = self._saver
        if state_name not in saver._states:
            raise KeyError(f"state was not declared: {state_name}")
        with tf.name_scope(name, "InputQueueingStateSaver_SaveState", [value]):
            going_on = tf.reshape(tf.where(tf.logical_not(saver._done)), [-1])
            value = tf.convert_to_tensor(value)
            shape = tf.shape(saver._states[state_name])
            same = tf.reduce_all(tf.equal(tf.shape(value), shape))
            message = f"The state {state_name} must keep its shape: "
            with tf.control_dependencies([tf.Assert(same, [message, shape, tf.shape(value)])]):
                kept = tf.gather(tf.identity(value), going_on)
            return saver.barrier.insert_many(
                saver._places["state:" + state_name],
                tf.gather(self.next_key, going_on),
                kept,
                name=f"BarrierInsertState_{state_name}",
            )


class SequenceQueueingStateSaver:
    """Splits sequences into segments, gives them out in batches, and keeps states between.

    Most programs use `batch_sequences_with_states`, which also starts threads.
    """

    def __init__(
        self,
        batch_size: Any,
        num_unroll: int,
        input_length: Any,
        input_key: Any,
        input_sequences: Any,
        input_context: Any,
        initial_states: Any,
        capacity: int | None = None,
        allow_small_batch: bool = False,
        name: str | None = None,
    ) -> None:
        """Make it.

        Args:
          batch_size: The batches' size.
          num_unroll: The segments' length.
          input_length: int32, a scalar: the sequence's length.
          input_key: A string, a scalar: the sequence's key, unlike all others.
          input_sequences: From names to tensors (padded length, …), a multiple of ``num_unroll``.
          input_context: From names to tensors of the whole sequence.
          initial_states: From names to the first states.
          capacity: How many sequences are there at once; None for no limit.
          allow_small_batch: Whether the rest at the end makes smaller batches.
          name: The name scope.

        Raises:
          TypeError: If dictionaries are none, or length or key have other dtypes.
          ValueError: If there is no sequence or state, shapes are unknown, tensors sparse, or the
            capacity is less than the batch size.
        """
        if capacity is not None and not tf.is_tensor(batch_size) and capacity < batch_size:
            raise ValueError(f"capacity {capacity} needs to be >= batch_size {batch_size}")
        self._capacity_queue = tf.FIFOQueue(
            capacity=-1 if capacity is None else capacity, dtypes=[tf.int32], shapes=[[]]
        )
        with tf.name_scope(name, "InputQueueingStateSaver") as scope:
            states = _named("initial_states", initial_states, "state")
            sequences = _named("sequence", input_sequences, "sequence")
            context = _named("context", input_context, "context")
            if not states:
                raise ValueError(
                    "initial_states may not be empty: at least one state is required to go on with"
                )
            if not sequences:
                raise ValueError("must have at least one sequence tensor")
            _known("state", states)
            _known("context", context)
            _known("sequence", sequences, 1)
            length = tf.convert_to_tensor(input_length, name="length")
            key = tf.convert_to_tensor(input_key, name="key")
            if length.dtype != tf.int32:
                raise TypeError(f"length dtype must be int32, but received: {length.dtype}")
            if key.dtype != tf.string:
                raise TypeError(f"key dtype must be string, but received: {key.dtype}")
            self._batch_size, self._num_unroll, self._name = batch_size, num_unroll, scope
            self._allow_small_batch = allow_small_batch
            self._key = key
            first = next(iter(sequences.values()))
            padded = tf.identity(tf.shape(first)[0], name="padded_length")
            fits = tf.logical_and(tf.equal(tf.mod(padded, num_unroll), 0), padded > 0)
            message = f"Padded lengths must be a multiple of {num_unroll}; consider pad=True: "
            checks = [
                tf.Assert(fits, [message, padded]),
                tf.Assert(
                    length <= padded, ["The length exceeds the padded one: ", length, padded]
                ),
            ]
            checks += [
                tf.Assert(tf.equal(tf.shape(tensor)[0], padded), [f"Length of {n}: ", padded])
                for n, tensor in sequences.items()
            ]
            with tf.control_dependencies(checks):
                self._padded_length = tf.identity(padded)
                self._length = tf.identity(length)
            self._inputs = sequences, context, states
            names = [part for part, _ in PARTS]
            names += [f"{kind}:{n}" for kind, d in self._kinds() for n in d]
            self._places = {n: i for i, n in enumerate(names)}
            types = [dtype for _, dtype in PARTS] + [
                t.dtype for _, d in self._kinds() for t in d.values()
            ]
            shapes: list[Any] = [()] * len(PARTS)
            shapes += [[num_unroll, *t.shape.as_list()[1:]] for t in sequences.values()]
            shapes += [t.shape for d in (context, states) for t in d.values()]
            self._barrier = _Barrier(types, shapes)
            self._prefetch_op: Any = None
            self._next_batch: Any = None

    def _kinds(self) -> Any:
        return zip(("sequence", "context", "state"), self._inputs, strict=True)

    @property
    def name(self) -> str:
        """The name scope."""
        return self._name

    @property
    def barrier(self) -> Any:
        """What collects the segments."""
        return self._barrier

    @property
    def batch_size(self) -> Any:
        """The batches' size."""
        return self._batch_size

    @property
    def num_unroll(self) -> Any:
        """The segments' length."""
        return self._num_unroll

    @property
    def prefetch_op(self) -> Any:
        """The operation that takes one sequence in."""
        if self._prefetch_op is None:
            with tf.name_scope(None), tf.name_scope(self._name):
                self._prefetch_op = self._prefetch()
        return self._prefetch_op

    @property
    def next_batch(self) -> NextQueuedSequenceBatch:
        """The next batch of segments."""
        if self._next_batch is None:
            _ = self.prefetch_op
            with tf.name_scope(None), tf.name_scope(self._name):
                self._read()
        return self._next_batch

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """The operation after which nothing is taken in."""
        with tf.name_scope(name, "SQSSClose") as scope:
            return tf.group(
                self.barrier.close(cancel_pending_enqueues, "BarrierClose"),
                self._capacity_queue.close(cancel_pending_enqueues, "FIFOClose"),
                name=scope,
            )

    def _prefetch(self) -> Any:
        sequences, context, states = self._inputs
        count = tf.floordiv(self._padded_length, self._num_unroll)
        number = tf.range(count)
        length = tf.maximum(0, self._length - self._num_unroll * number)
        ones = tf.ones_like(number)
        digits = tf.as_string(number, width=5, fill="0")
        of = tf.as_string(count, width=5, fill="0")
        keys = tf.strings.join([digits, "_of_", of, ":", self._key])
        last = tf.expand_dims(tf.strings.join(["STOP:", self._key]), 0)
        parts = {
            "length": tf.minimum(self._num_unroll, length),
            "total_length": self._length * ones,
            "next_key": tf.concat([keys[1:], last], 0),
            "sequence": number,
            "sequence_count": count * ones,
        }
        for name, tensor in sequences.items():
            shape = [-1, self._num_unroll, *tensor.shape.as_list()[1:]]
            parts["sequence:" + name] = tf.reshape(tensor, shape)
        for name, tensor in context.items():
            times = tf.concat([[count], tf.ones([tensor.shape.rank], tf.int32)], 0)
            parts["context:" + name] = tf.tile(tf.expand_dims(tensor, 0), times)

        def insert(name: str, keys: Any, value: Any) -> Any:
            safe = name.replace(":", "_")
            return self.barrier.insert_many(
                self._places[name], keys, value, name=f"BarrierInsert_{safe}"
            )

        inserts = [insert(name, keys, value) for name, value in parts.items()]
        token = self._capacity_queue.enqueue((0,))
        # The first state makes a segment complete, so it comes when there is room.
        with tf.control_dependencies([token, inserts[3]]):
            first = [
                insert("state:" + name, keys[:1], tf.expand_dims(value, 0))
                for name, value in states.items()
            ]
        return tf.group(token, *inserts, *first, name="StateSaverPrefetchGroup")

    def _read(self) -> None:
        taken = self.barrier.take_many(
            self._batch_size, self._allow_small_batch, name="BarrierTakeMany"
        )
        self._indices, self._keys = taken.indices, taken.keys
        self._received = {part: taken.values[self._places[part]] for part, _ in PARTS}
        found = {
            kind: OrderedDict((n, taken.values[self._places[f"{kind}:{n}"]]) for n in d)
            for kind, d in self._kinds()
        }
        self._sequences, self._context = found["sequence"], found["context"]
        self._done = self._received["sequence"] + 1 >= self._received["sequence_count"]
        finished = tf.reduce_sum(tf.cast(self._done, tf.int32))
        with tf.control_dependencies([self._capacity_queue.dequeue_many(finished)]):
            self._states = OrderedDict((n, tf.identity(t)) for n, t in found["state"].items())
        self._next_batch = NextQueuedSequenceBatch(self)


def batch_sequences_with_states(
    input_key: Any,
    input_sequences: Any,
    input_context: Any,
    input_length: Any,
    initial_states: Any,
    num_unroll: int,
    batch_size: Any,
    num_threads: int = 3,
    capacity: int | None = 1000,
    allow_small_batch: bool = True,
    pad: bool = True,
    make_keys_unique: bool = False,
    make_keys_unique_seed: int | None = None,
    name: str | None = None,
) -> NextQueuedSequenceBatch:
    """Batches of segments of sequences, with states kept from one segment to the next.

    Pass the batch as ``state_saver`` to ``tf.nn.static_state_saving_rnn``.

    Args:
      input_key: A string, a scalar: the sequence's key, unlike all others.
      input_sequences: From names to tensors (length, …).
      input_context: From names to tensors of the whole sequence.
      input_length: int32, a scalar: the sequence's length; None for that of the tensors.
      initial_states: From names to the first states.
      num_unroll: The segments' length.
      batch_size: The batches' size.
      num_threads: How many threads take sequences in.
      capacity: How many sequences are there at once.
      allow_small_batch: Whether the rest at the end makes smaller batches.
      pad: Whether to pad sequences to a multiple of ``num_unroll``.
      make_keys_unique: Whether to append random numbers to the keys.
      make_keys_unique_seed: Their seed.
      name: The name scope.

    Returns:
      The batch.

    Raises:
      TypeError: See `SequenceQueueingStateSaver`.
      ValueError: See `SequenceQueueingStateSaver`.
    """
    with tf.name_scope(name, "batch_sequences_with_states"):
        if pad:
            sequences = _named("sequence", input_sequences, "sequence")
            first = next(iter(sequences.values()))
            length = tf.shape(first)[0]
            checks = [
                tf.Assert(tf.equal(tf.shape(t)[0], length), ["Lengths must match: ", length])
                for t in sequences.values()
            ]
            with tf.control_dependencies(checks):
                length = tf.identity(length)
            more = tf.mod(num_unroll - tf.mod(length, num_unroll), num_unroll)
            input_sequences = {n: _longer(t, more) for n, t in sequences.items()}
            input_length = length if input_length is None else input_length
        if make_keys_unique:
            number = tf.random_uniform(
                (), minval=0, maxval=100000000, dtype=tf.int32, seed=make_keys_unique_seed
            )
            input_key = tf.strings.join([input_key, tf.as_string(number)])
        saver = SequenceQueueingStateSaver(
            batch_size,
            num_unroll,
            input_length=input_length,
            input_key=input_key,
            input_sequences=input_sequences,
            input_context=input_context,
            initial_states=initial_states,
            capacity=capacity,
            allow_small_batch=allow_small_batch,
        )
        tf.summary.scalar(
            f"queue/{saver.barrier.name}/ready_segment_batches_",
            tf.cast(saver.barrier.ready_size(), tf.float32),
        )
        runner = tf.train.QueueRunner(
            saver, [saver.prefetch_op] * num_threads, queue_closed_exception_types=CLOSED
        )
        tf.train.add_queue_runner(runner)
        return saver.next_batch


def _longer(tensor: Any, more: Any) -> Any:
    empty = tf.constant("" if tensor.dtype == tf.string else 0, dtype=tensor.dtype)
    shape = tf.concat([[more], tf.shape(tensor)[1:]], 0)
    padded = tf.concat([tensor, tf.fill(shape, empty)], 0)
    padded.set_shape([None, *tensor.shape.as_list()[1:]])
    return padded
