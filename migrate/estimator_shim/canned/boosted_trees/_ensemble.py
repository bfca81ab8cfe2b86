"""What the model keeps: the trees and the buckets' boundaries, as variables and in checkpoints.

In TF1 they were resources of the kernels, and checkpoints hold "boosted_trees:0_stamp",
"boosted_trees:0_serialized" and "boosted_trees/QuantileAccumulator:0_bucket_boundaries_<n>". Here
they are variables that no collection knows: only what stands for them is saved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow.compat.v1 as tf

# Savers know nothing else for objects that are not saved as they are.
from tensorflow.python.training.saving import saveable_object

from migrate.estimator_shim.canned.boosted_trees import _growth, _proto
from migrate.estimator_shim.canned.boosted_trees._growth import Ensemble


class _Resource(NamedTuple):
    """An entry of the collection of resources."""

    handle: Any
    create: Any
    is_initialized: Any


class _Saveable(saveable_object.SaveableObject):
    """Tensors that are saved under some keys, and what makes variables of them."""

    def __init__(
        self, handle: Any, tensors: dict[str, Any], name: str, restore: Callable[..., Any]
    ) -> None:
        specs = [saveable_object.SaveSpec(t, "", name + key) for key, t in tensors.items()]
        super().__init__(handle, specs, name)
        self._restore = restore

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        del restored_shapes
        return self._restore(restored_tensors)


def _variable(initial: Any, name: str, shape: Any = None) -> Any:
    """A variable that no collection knows; it may change its size."""
    return tf.Variable(
        initial,
        trainable=False,
        collections=[],
        validate_shape=False,
        name=name,
        use_resource=True,
        shape=shape if shape is not None else initial.shape,
    )


def _register(
    variables: Sequence[Any], tensors: dict[str, Any], name: str, restore: Callable[..., Any]
) -> None:
    """Has the variables initialized, and other tensors saved in their place."""
    create = tf.group(*[v.initializer for v in variables])
    there = tf.reduce_all(tf.stack([tf.is_variable_initialized(v) for v in variables]))
    # As in TF1 there is an operation of the name by which things are saved: a graph that is
    # exported tells saveable objects by names.
    handle = tf.identity(variables[0].handle, name=name)
    saveable = _Saveable(handle, tensors, handle.name, restore)
    tf.add_to_collection(tf.GraphKeys.RESOURCES, _Resource(handle, create, there))
    tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saveable)


class Trees:
    """The ensemble of a graph."""

    def __init__(self, name: str) -> None:
        """Makes the variables.

        Args:
          name: What checkpoints call the ensemble, as a name of an operation.
        """
        empty = _growth.empty()
        with tf.name_scope("ensemble"):
            self._stamp = _variable(np.int64(0), "stamp", [])
            self._parts = Ensemble(
                *(
                    _variable(value, name, [None, *value.shape[1:]])
                    for name, value in empty._asdict().items()
                )
            )
            tensors = {
                "_stamp": self._stamp.read_value(),
                "_serialized": _proto.encode(self.read()),
            }
        _register([self._stamp, *self._parts], tensors, name, self._restored)

    def _restored(self, tensors: Any) -> Any:
        stamp, serialized = tensors
        return tf.group(self._stamp.assign(stamp).op, self._assigned(_proto.decode(serialized)))

    def _assigned(self, ensemble: Ensemble) -> Any:
        pairs = zip(self._parts, ensemble, strict=True)
        return tf.group(*[variable.assign(value).op for variable, value in pairs])

    def read(self) -> Ensemble:
        """The ensemble as it is now, as tensors."""
        return Ensemble(*(variable.read_value() for variable in self._parts))

    def change(self, function: Callable[..., Any], inputs: Sequence[Any]) -> tuple[Any, Any]:
        """Lets a function on the host change the ensemble.

        Args:
          function: Takes an `Ensemble` and the inputs, as arrays; returns the new `Ensemble` and
            a bool.
          inputs: Tensors.

        Returns:
          The operation, and the bool.
        """
        count = len(self._parts)

        def on_host(*arrays: Any) -> Any:
            new, flag = function(Ensemble(*arrays[:count]), *arrays[count:])
            return (*new, np.bool_(flag))

        before = self.read()
        types = [v.dtype for v in before] + [tf.bool]
        *new, flag = tf.numpy_function(on_host, [*before, *inputs], types)
        for value, variable in zip(new, self._parts, strict=True):
            value.set_shape(variable.shape)
        flag.set_shape([])
        return tf.group(self._assigned(Ensemble(*new)), self._stamp.assign_add(1).op), flag


class Layer(NamedTuple):
    """How far the ensemble has grown.

    Attributes:
      trees: How many trees there are, the growing one included.
      finished: How many are finished.
      attempted: How many layers were tried.
      nodes: int32 [2], the first node of the layer that grows, in its tree, and the end.
    """

    trees: Any
    finished: Any
    attempted: Any
    nodes: Any


def layer_of(ensemble: Ensemble) -> Layer:
    """How far an ensemble of tensors has grown."""
    finished = tf.reduce_sum(tf.cast(ensemble.finished, tf.int32))
    return Layer(
        trees=tf.identity(tf.size(ensemble.starts), name="num_trees"),
        finished=tf.identity(finished, name="num_finalized_trees"),
        attempted=tf.cast(ensemble.attempted[1], tf.int32, name="num_attempted_layers"),
        nodes=tf.maximum(ensemble.layer, [0, 1], name="last_layer_nodes_range"),
    )


class Buckets:
    """The boundaries of float features."""

    def __init__(self, name: str, count: int) -> None:
        """Makes the variables.

        Args:
          name: What checkpoints call them, as a name of an operation.
          count: How many float features there are.
        """
        with tf.name_scope("buckets"):
            # A row for each feature, filled up with infinity.
            nothing = np.full([count, 1], np.inf, np.float32)
            self._edges = _variable(nothing, "edges", [count, None])
            self._counts = _variable(np.zeros(count, np.int32), "counts")
            edges, counts = self._edges.read_value(), self._counts.read_value()
            tensors = {f"_bucket_boundaries_{i}": edges[i, : counts[i]] for i in range(count)}
        _register([self._edges, self._counts], tensors, name, self._restored)

    def _restored(self, tensors: Any) -> Any:
        counts = tf.stack([tf.size(t) for t in tensors])
        most = tf.maximum(tf.reduce_max(counts), 1)
        edges = tf.stack(
            [
                tf.pad(t, [[0, most - tf.size(t)]], constant_values=np.float32(np.inf))
                for t in tensors
            ]
        )
        return self.assign(edges, counts)

    def assign(self, edges: Any, counts: Any) -> Any:
        """Sets the boundaries: float32 [features, most], filled up with infinity, and how many."""
        edges = tf.ensure_shape(edges, self._edges.shape)
        counts = tf.ensure_shape(counts, self._counts.shape)
        return tf.group(self._edges.assign(edges).op, self._counts.assign(counts).op)

    def of(self, values: Any) -> Any:
        """The buckets of values.

        Args:
          values: Float32 [batch_size, features].

        Returns:
          Int32 [batch_size, features]: the first boundary that is no smaller, or the last one.
        """
        place = tf.searchsorted(self._edges.read_value(), tf.transpose(values))
        last = tf.maximum(self._counts.read_value() - 1, 0)
        return tf.transpose(tf.minimum(place, last[:, None]))
