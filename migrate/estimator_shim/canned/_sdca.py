"""Stochastic dual coordinate ascent on TensorFlow's kernel: the state of examples, and the step.

TF 2.21 still has the operation ``SdcaOptimizerV2``; what TF1 had around it - a table of the dual
variables of each example, weights before the shrinkage of L1 - is here. Variables and keys of
checkpoints are those of TF 1.15.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf
from tensorflow.python.training.saving import saveable_object

from migrate.estimator_shim.canned._models import is_partitioned

LOSSES = ("logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss")
_TABLE = "ShardedMutableHashTable"
#: The low bits of a fingerprint are never 0 or 1.
_EMPTY, _DELETED = [0, 0], [1, 1]


@dataclass(frozen=True)
class SparseFeature:
    """A sparse column of a batch: triples of example, feature and value.

    Attributes:
      example_indices: int64 [n], ascending.
      feature_indices: int64 [n].
      feature_values: float32 [n], or None for ones.
    """

    example_indices: Any
    feature_indices: Any
    feature_values: Any = None


def sparse_feature(ids: Any, weights: Any = None) -> SparseFeature:
    """The ids of a batch, each once per example: weights of repeated ids are summed.

    Args:
      ids: SparseTensor [batch_size, …] of ids; negative ones (out of the vocabulary) are left out.
      weights: SparseTensor of their weights; None for ones.
    """
    examples = tf.reshape(ids.indices[:, 0], [-1])
    flat = tf.cast(tf.reshape(ids.values, [-1]), tf.int64)
    values = tf.ones_like(flat, tf.float32)
    if weights is not None:
        values = tf.cast(tf.reshape(weights.values, [-1]), tf.float32)
    known = flat >= 0
    examples, flat, values = (tf.boolean_mask(t, known) for t in (examples, flat, values))
    # One number for an example and an id, so that pairs can be told apart.
    width = tf.reduce_max(flat) + 1
    pairs, places = tf.unique(width * examples + flat)
    count = tf.shape(pairs)[0]
    examples = tf.unsorted_segment_min(examples, places, count)
    values = tf.reshape(tf.unsorted_segment_sum(values, places, count), [-1])
    return SparseFeature(examples, pairs - width * examples, values)


class _Saved(saveable_object.SaveableObject):
    """A table in checkpoints, under the two keys that TF1 gave it."""

    def __init__(self, table: Any, name: str) -> None:
        keys, values = tf.raw_ops.LookupTableExportV2(
            table_handle=table, Tkeys=tf.int64, Tvalues=tf.float32
        )
        specs = [
            saveable_object.SaveSpec(keys, "", name + "-keys"),
            saveable_object.SaveSpec(values, "", name + "-values"),
        ]
        super().__init__(table, specs, name)

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Any) -> Any:
        """Fills the table."""
        del restored_shapes
        keys, values = restored_tensors
        return tf.raw_ops.LookupTableImportV2(table_handle=self.op, keys=keys, values=values)


class _Table:
    """Four numbers for each example, by its fingerprint; spread over some tables."""

    def __init__(self, shards: int) -> None:
        self._default = tf.constant([0.0, 0.0, 0.0, 0.0])
        self._tables = []
        with tf.name_scope(_TABLE):
            for i in range(shards):
                name = f"{_TABLE}-{i + 1}-of-{shards}"
                table = tf.raw_ops.MutableDenseHashTableV2(
                    empty_key=tf.constant(_EMPTY, tf.int64),
                    deleted_key=tf.constant(_DELETED, tf.int64),
                    value_dtype=tf.float32,
                    value_shape=[4],
                    use_node_name_sharing=True,
                    name=name,
                )
                self._tables.append(table)
                tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, _Saved(table, name))

    def _shards(self, keys: Any) -> Any:
        return tf.cast(tf.math.mod(tf.abs(keys[:, 0]), len(self._tables)), tf.int32)

    def lookup(self, keys: Any) -> Any:
        """float [n, 4] for keys int64 [n, 2]."""
        shards, n = self._shards(keys), len(self._tables)
        found = [
            tf.raw_ops.LookupTableFindV2(table_handle=table, keys=part, default_value=self._default)
            for table, part in zip(self._tables, tf.dynamic_partition(keys, shards, n), strict=True)
        ]
        places = tf.dynamic_partition(tf.range(tf.shape(keys)[0]), shards, n)
        return tf.reshape(tf.dynamic_stitch(places, found), [-1, 4])

    def insert(self, keys: Any, values: Any) -> Any:
        """The operation that stores values."""
        shards, n = self._shards(keys), len(self._tables)
        return tf.group(
            *(
                tf.raw_ops.LookupTableInsertV2(table_handle=table, keys=k, values=v)
                for table, k, v in zip(
                    self._tables,
                    tf.dynamic_partition(keys, shards, n),
                    tf.dynamic_partition(values, shards, n),
                    strict=True,
                )
            )
        )

    def size(self) -> Any:
        """How many examples there are."""
        return tf.add_n([tf.raw_ops.LookupTableSizeV2(table_handle=t) for t in self._tables])

    def sums(self) -> Any:
        """double [4]: the sums of all values."""
        exported = (
            tf.raw_ops.LookupTableExportV2(table_handle=t, Tkeys=tf.int64, Tvalues=tf.float32)
            for t in self._tables
        )
        return tf.add_n([tf.reduce_sum(tf.cast(e.values, tf.float64), 0) for e in exported])


def _parts(variable: Any) -> list[Any]:
    """A variable's parts: itself, unless it is partitioned."""
    if isinstance(variable, (list, tuple)) or is_partitioned(variable):
        return list(variable)
    return [variable]


def whole(variable: Any) -> Any:
    """The value of a variable, or of the parts of one."""
    return tf.concat([tf.convert_to_tensor(p) for p in _parts(variable)], 0)


@dataclass(frozen=True)
class Options:
    """What `SdcaModel` minimizes, and how.

    Attributes:
      loss_type: One of `LOSSES`.
      l1: The L1 regularization, at least 0.
      l2: The L2 regularization, above 0.
      num_loss_partitions: How many steps run at a time, over all workers.
      num_table_shards: Over how many tables examples are spread; None for one.
      adaptive: Whether examples are drawn by how much there is to gain.
      slot: What ends the names of the weights before shrinkage.
    """

    loss_type: str
    l1: float = 0.0
    l2: float = 1.0
    num_loss_partitions: int = 1
    num_table_shards: int | None = None
    adaptive: bool = True
    slot: str = "_unshrunk"


class SdcaModel:
    """A linear model and its dual variables.

    Besides the weights it makes for each a variable "<weights>_unshrunk", what they are before L1
    takes its share.
    """

    def __init__(
        self,
        options: Options,
        ids: Any,
        labels: Any,
        weights: Any,
        sparse: Sequence[tuple[SparseFeature, Any]],
        dense: Sequence[tuple[Any, Any]],
    ) -> None:
        """Builds variables, tables and summaries.

        Args:
          options: What is minimized.
          ids: string [batch_size]: what tells examples apart.
          labels: float32 [batch_size].
          weights: float32 [batch_size], of the examples.
          sparse: Sparse columns and their variables.
          dense: Dense columns, float32 [batch_size, n], and their variables.

        Raises:
          ValueError: If an option is out of its range.
        """
        if options.loss_type not in LOSSES:
            raise ValueError(f"loss_type must be one of {LOSSES}. Received: {options.loss_type!r}")
        if options.l2 <= 0.0:
            raise ValueError(
                f"symmetric_l2_regularization must be above 0. Received: {options.l2!r}"
            )
        if options.l1 < 0.0:
            raise ValueError(
                f"symmetric_l1_regularization must not be below 0. Received: {options.l1!r}"
            )
        self._options = options
        self._ids, self._labels, self._weights = ids, labels, weights
        self._sparse, self._dense = sparse, dense
        self._slots = [self._unshrunk(v) for _, v in sparse], [self._unshrunk(v) for _, v in dense]
        self._table = _Table(options.num_table_shards or 1)
        tf.summary.scalar("approximate_duality_gap", self.approximate_duality_gap())
        tf.summary.scalar("examples_seen", self._table.size())

    def _unshrunk(self, variable: Any) -> list[Any]:
        return [
            tf.Variable(tf.zeros(part.shape), name=part.op.name + self._options.slot)
            for part in _parts(variable)
        ]

    def _variables(self) -> list[list[Any]]:
        return [_parts(variable) for _, variable in (*self._sparse, *self._dense)]

    def approximate_duality_gap(self) -> Any:
        """double []: how far the weights may be from the best ones; NaN before the first step."""
        sums = self._table.sums()
        penalties = self.penalty(self._options.l1, 2.0 * self._options.l2)
        return (sums[1] + sums[2] + penalties) / sums[3]

    def penalty(self, l1: float, l2: float) -> Any:
        """double []: what both regularizations cost."""
        values = [tf.cast(p, tf.float64) for parts in self._variables() for p in parts]
        first = tf.add_n([tf.reduce_sum(tf.abs(v)) for v in values])
        second = tf.add_n([tf.reduce_sum(tf.square(v)) for v in values])
        return l1 * first + l2 * second / 2.0

    def minimize(self, global_step: Any = None) -> Any:
        """The operation of one step, on the weights before shrinkage."""
        hashed = tf.raw_ops.SdcaFprint(input=tf.convert_to_tensor(self._ids))
        used, gathered = [], []
        sparse_slots, dense_slots = self._slots
        for (feature, _), slot in zip(self._sparse, sparse_slots, strict=True):
            ids, _ = tf.unique(tf.cast(feature.feature_indices, tf.int64))
            used.append(ids)
            gathered.append(tf.gather(whole(slot), ids))
        features = [feature for feature, _ in self._sparse]
        values = [f.feature_values for f in features if f.feature_values is not None]
        state, sparse_steps, dense_steps = tf.raw_ops.SdcaOptimizerV2(
            sparse_example_indices=[f.example_indices for f in features],
            sparse_feature_indices=[f.feature_indices for f in features],
            sparse_feature_values=values,
            dense_features=[tf.convert_to_tensor(t) for t, _ in self._dense],
            example_weights=tf.convert_to_tensor(self._weights),
            example_labels=tf.convert_to_tensor(self._labels),
            sparse_indices=used,
            sparse_weights=gathered,
            dense_weights=[whole(slot) for slot in dense_slots],
            example_state_data=self._table.lookup(hashed),
            loss_type=self._options.loss_type,
            l1=self._options.l1,
            l2=self._options.l2,
            num_loss_partitions=self._options.num_loss_partitions,
            num_inner_iterations=1,
            adaptive=self._options.adaptive,
        )
        with tf.control_dependencies([state]):
            updates = [self._table.insert(hashed, state)]
            for slot, ids, step in zip(sparse_slots, used, sparse_steps, strict=True):
                updates += _scatter(slot, ids, step)
            for slot, step in zip(dense_slots, dense_steps, strict=True):
                sizes = [p.shape.as_list()[0] for p in slot]
                updates += [
                    tf.assign_add(p, s) for p, s in zip(slot, tf.split(step, sizes), strict=True)
                ]
        if global_step is None:
            return tf.group(*updates)
        with tf.control_dependencies(updates):
            return tf.assign_add(global_step, 1).op

    def update_weights(self, train_op: Any) -> Any:
        """The operation that gives the model's variables their values, after a step."""
        variables = self._variables()
        slots = [*self._slots[0], *self._slots[1]]
        with tf.control_dependencies([train_op]):
            updates = [
                variable.assign(slot)
                for parts, own in zip(variables, slots, strict=True)
                for variable, slot in zip(parts, own, strict=True)
            ]
        if not self._options.l1 > 0:
            return tf.group(*updates)
        shrinkage = self._options.l1 / self._options.l2
        with tf.control_dependencies(updates):
            return tf.group(
                *(
                    v.assign(tf.sign(v) * tf.maximum(0.0, tf.abs(v) - shrinkage))
                    for parts in variables
                    for v in parts
                )
            )


def _scatter(parts: Sequence[Any], ids: Any, steps: Any) -> list[Any]:
    """Adds steps to the rows of a variable that ids name."""
    if len(parts) == 1:
        return [tf.scatter_add(parts[0], ids, steps)]
    updates, start = [], 0
    for part in parts:
        size = part.shape.as_list()[0]
        here = tf.logical_and(ids >= start, ids < start + size)
        rows, values = tf.boolean_mask(ids, here) - start, tf.boolean_mask(steps, here)
        updates.append(tf.scatter_add(part, rows, values))
        start += size
    return updates


class UpdateWeightsHook(tf.train.SessionRunHook):
    """Gives the weights their values in each step."""

    def __init__(self, model: SdcaModel, train_op: Any) -> None:
        self._model, self._train_op = model, train_op

    def begin(self) -> None:
        """Makes the operation."""
        self._update = self._model.update_weights(self._train_op)

    def before_run(self, run_context: Any) -> Any:
        """Runs it with the step."""
        del run_context
        return tf.train.SessionRunArgs(self._update)
