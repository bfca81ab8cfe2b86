"""What an ensemble says of examples: operations that are served with exports; NumPy in training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned.boosted_trees._growth import Ensemble

#: How many pairs of an example and a tree are followed at once.
_AT_ONCE = 1 << 20
#: The same on the host, where larger arrays leave the cache.
_AT_ONCE_ON_HOST = 1 << 14


class Found(NamedTuple):
    """What the trees say.

    Attributes:
      logits: float32 [batch_size].
      nodes: int32 [batch_size], the leaf of the last tree, by its number there; 0 without trees.
    """

    logits: Any
    nodes: Any


def _below(ensemble: Ensemble, buckets: Any) -> Callable[[Any], Any]:
    """Goes from nodes [batch_size, any] to those a level below; leaves stay."""
    batch, features = tf.unstack(tf.shape(buckets))
    flat = tf.reshape(buckets, [-1])
    first = (tf.range(batch) * features)[:, None]

    def step(at: Any) -> Any:
        feature, threshold, left, right = tf.unstack(tf.gather(ensemble.nodes, at), num=4, axis=-1)
        return tf.where(tf.gather(flat, first + feature) <= threshold, left, right)

    return step


def predict(ensemble: Ensemble, buckets: Any) -> Found:
    """The logits of examples.

    Args:
      ensemble: An `Ensemble` of tensors.
      buckets: Int32 [batch_size, features].

    Returns:
      The logits, summed up tree by tree.
    """
    batch, trees = tf.shape(buckets)[0], tf.size(ensemble.starts)
    many = tf.maximum(_AT_ONCE // tf.maximum(batch, 1), 1)
    below, depth = _below(ensemble, buckets), tf.reduce_max(ensemble.layers)

    def level(done: Any, at: Any) -> Any:
        return done + 1, below(at)

    def some(start: Any, logits: Any, nodes: Any) -> Any:
        roots = ensemble.starts[start : start + many]
        top = (tf.constant(0), tf.tile(roots[None], [batch, 1]))
        rows = (tf.TensorShape([]), tf.TensorShape([None, None]))
        _, at = tf.while_loop(lambda done, _: done < depth, level, top, rows, back_prop=False)
        adds = tf.gather(ensemble.values, at) * ensemble.weights[start : start + many]
        # One after the other, as the kernels of TF1 do: a sum would round otherwise.
        logits = tf.cumsum(tf.concat([logits[:, None], adds], 1), 1)[:, -1]
        return start + many, logits, at[:, -1] - roots[-1]

    nothing = (tf.constant(0), tf.zeros([batch]), tf.zeros([batch], tf.int32))
    shapes = (tf.TensorShape([]), tf.TensorShape([None]), tf.TensorShape([None]))
    _, logits, nodes = tf.while_loop(
        lambda start, *_: start < trees, some, nothing, shapes, back_prop=False
    )
    return Found(logits, nodes)


def predict_in_training(ensemble: Ensemble, buckets: Any) -> Found:
    """The same as `predict`, in NumPy: gathering takes a third of the time there.

    Args:
      ensemble: See `predict`.
      buckets: See `predict`.

    Returns:
      See `predict`.
    """
    inputs = [*ensemble, buckets]
    logits, nodes = tf.numpy_function(_walk, inputs, [tf.float32, tf.int32])
    logits.set_shape([None])
    nodes.set_shape([None])
    return Found(logits, nodes)


def _walk(*arrays: Any) -> tuple[Any, Any]:
    ensemble, buckets = Ensemble(*arrays[:-1]), arrays[-1]
    batch, features = buckets.shape
    trees = len(ensemble.starts)
    logits, at = np.zeros((batch, 1), np.float32), np.zeros((batch, 1), np.intp)
    flat, first = buckets.reshape(-1), (np.arange(batch) * features)[:, None]
    feature, threshold = ensemble.nodes[:, 0].astype(np.intp), ensemble.nodes[:, 1].copy()
    children = ensemble.nodes[:, 2:].astype(np.intp).reshape(-1)
    many = max(_AT_ONCE_ON_HOST // max(batch, 1), 1)
    for start in range(0, trees, many):
        some = slice(start, start + many)
        at = np.repeat(ensemble.starts[None, some].astype(np.intp), batch, 0)
        for _ in range(ensemble.layers[some].max()):
            above = flat.take(first + feature.take(at)) > threshold.take(at)
            at = children.take(2 * at + above)
        adds = ensemble.values.take(at) * ensemble.weights[some]
        # One after the other, see `predict`.
        logits = np.cumsum(np.concatenate([logits, adds], 1), 1, np.float32)[:, -1:]
    root = ensemble.starts[-1] if trees else 0
    return np.ascontiguousarray(logits[:, 0]), (at[:, -1] - root).astype(np.int32)


def predict_on(ensemble: Ensemble, buckets: Any, trees: Any, nodes: Any) -> Found:
    """What is to be added to logits that are known already.

    Args:
      ensemble: An `Ensemble` of tensors.
      buckets: Int32 [batch_size, features].
      trees: Int32 [batch_size], up to which tree logits are known.
      nodes: Int32 [batch_size], and which of its nodes was a leaf then; -1 if nothing is known.

    Returns:
      The change of the logits.
    """
    last = tf.size(ensemble.starts) - 1
    below = _below(ensemble, buckets)

    def leaves(at: Any) -> Any:
        """Most examples are at a leaf already, or a level above."""

        def level(at: Any, moved: Any) -> Any:
            del moved
            new = below(at)
            return new, tf.reduce_any(tf.not_equal(new, at))

        shapes = (tf.TensorShape([None, 1]), tf.TensorShape([]))
        start = (at[:, None], tf.size(at) > 0)
        found, _ = tf.while_loop(lambda _, moved: moved, level, start, shapes, back_prop=False)
        return found[:, 0]

    def known() -> Any:
        # Nodes may have become part of others, which changes what they had added.
        meta = tf.gather(tf.cumsum(ensemble.pruned, exclusive=True), trees) + tf.maximum(nodes, 0)
        was_pruned = tf.logical_and(nodes >= 0, tf.gather(ensemble.pruned, trees) > 0)
        meta = tf.where(was_pruned, meta, tf.zeros_like(meta))
        # The arrays may be empty.
        to = tf.gather(tf.concat([ensemble.pruned_to, [0]], 0), meta)
        by = tf.gather(tf.concat([ensemble.pruned_by, [0.0]], 0), meta)
        now = tf.where(was_pruned, to, tf.maximum(nodes, 0))
        at = tf.gather(ensemble.starts, trees) + now
        before = tf.where(was_pruned, by, tf.zeros_like(by)) - tf.gather(ensemble.values, at)
        return at, tf.where(nodes >= 0, before, tf.zeros_like(before))

    def more(tree: Any, *_: Any) -> Any:
        return tf.reduce_any(tree <= last)

    def step(tree: Any, at: Any, partial: Any, logits: Any, found: Any) -> Any:
        """Finishes a tree of each example, and goes to the root of the next one."""
        here = tf.minimum(tree, last)
        leaf = leaves(at)
        new = logits + tf.gather(ensemble.weights, here) * (
            partial + tf.gather(ensemble.values, leaf)
        )
        counts = tree <= last
        following = tf.gather(ensemble.starts, tf.minimum(tree + 1, last))
        return (
            tree + 1,
            following,
            tf.zeros_like(partial),
            tf.where(counts, new, logits),
            tf.where(counts, leaf - tf.gather(ensemble.starts, here), found),
        )

    def all_trees() -> Any:
        at, partial = known()
        start = (trees, at, partial, tf.zeros_like(partial), tf.zeros_like(at))
        shapes = (tf.TensorShape([None]),) * 5
        *_, logits, found = tf.while_loop(more, step, start, shapes, back_prop=False)
        return logits, found

    batch = tf.shape(buckets)[0]
    nothing = (tf.zeros([batch]), tf.zeros([batch], tf.int32))
    return Found(*tf.cond(last >= 0, all_trees, lambda: nothing))
