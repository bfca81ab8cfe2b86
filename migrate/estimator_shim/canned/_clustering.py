"""The graph of k-means: starting centers, distances, updates.

Lloyd's algorithm on whole batches, or Sculley's mini-batches (Web-scale k-means clustering, WWW
2010), whose centers are moved by the mean of a batch at a rate that falls with the points seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

COSINE = "cosine"
#: Keeps an empty cluster from dividing by zero.
_EPSILON = 1e-6


class Graph(NamedTuple):
    """What `build` returns."""

    distances: Any
    indices: Any
    loss: Any
    initialized: Any
    init_op: Any
    train_op: Any


def build(
    points: Any,
    number: int,
    start: Any,
    metric: str,
    seed: int | None,
    retries: int,
    mini_batch: bool,
) -> Graph:
    """Builds k-means on a batch.

    Args:
      points: Float [batch_size, dimensions].
      number: How many clusters.
      start: "random", "kmeans_plus_plus", an array, or a function of the points and a number.
      metric: "squared_euclidean" or "cosine".
      seed: Of the starting centers.
      retries: How many candidates k-means++ draws for each center.
      mini_batch: Whether to move the centers, in place of computing them from each batch.

    Returns:
      The tensors and operations. Variables: "clusters", "initialized" and, with mini-batches, the
      points seen, called "Variable" as in TF1.
    """
    if metric == COSINE:
        points = tf.math.l2_normalize(points, axis=1)
    empty = tf.placeholder_with_default(tf.constant([], tf.float32), None)
    clusters = tf.Variable(
        empty, name="clusters", validate_shape=False, shape=tf.TensorShape(None), use_resource=True
    )
    initialized = tf.Variable(False, trainable=False, name="initialized", use_resource=True)
    counts = None
    if mini_batch:
        ones = tf.ones([number], tf.int64)
        counts = tf.Variable(ones, trainable=False, name="Variable", use_resource=True)
    init_op = _Start(points, number, start, metric, seed, retries, clusters, initialized).op()

    centers = clusters.read_value()
    compared = tf.math.l2_normalize(centers, axis=1) if metric == COSINE and mini_batch else centers
    if metric == COSINE:
        distances = 1.0 - tf.matmul(points, compared, transpose_b=True)
    else:
        own = tf.reduce_sum(tf.square(points), 1, keepdims=True)
        theirs = tf.reduce_sum(tf.square(compared), 1)
        distances = own - 2.0 * tf.matmul(points, compared, transpose_b=True) + theirs
    found, nearest = tf.raw_ops.NearestNeighbors(points=points, centers=compared, k=1)
    indices = tf.squeeze(found, [-1])
    each = tf.squeeze(nearest, [-1])
    if metric == COSINE:
        # Half the squared distance of unit vectors is 1 - cosine.
        each = each / 2.0
    if mini_batch:
        train_op = _move(points, indices, clusters, centers, counts, number)
    else:
        train_op = _recompute(points, indices, clusters, number, metric)
    loss = tf.reduce_sum(each)
    return Graph(distances, indices, loss, initialized, init_op, train_op)


def counted(train_op: Any) -> Any:
    """An update and its step, which TF1 counts beside it: also where there is no batch any more.

    A model whose points are all one batch, which the starting centers take, ends at step 1, and so
    has a checkpoint with its centers.
    """
    return tf.group(train_op, tf.assign_add(tf.train.get_global_step(), 1))


def _move(points: Any, ids: Any, clusters: Any, centers: Any, counts: Any, number: int) -> Any:
    """Moves each center towards its points' mean, by their share of all points that it has seen.

    In TF 1.15.5 the number seen is read before or after the batch is added to it, as threads have
    it; here before.
    """
    added = tf.math.unsorted_segment_sum(tf.ones_like(ids, tf.int64), ids, number)
    sums = tf.math.unsorted_segment_sum(points, ids, number)
    factor = tf.cast(added, tf.float32)[:, None]
    rate = tf.math.reciprocal(tf.cast(counts.read_value() + added, tf.float32))[:, None]
    moves = (sums - factor * centers) * rate
    with tf.control_dependencies([moves]):
        return tf.group(counts.assign_add(added).op, clusters.assign_add(moves).op)


def _recompute(points: Any, ids: Any, clusters: Any, number: int, metric: str) -> Any:
    """Each center becomes the mean of its points."""
    added = tf.math.unsorted_segment_sum(tf.ones_like(points[:, :1]), ids, number)
    sums = tf.math.unsorted_segment_sum(points, ids, number)
    means = sums / (added + tf.constant(_EPSILON))
    if metric == COSINE:
        means = tf.math.l2_normalize(means, axis=1)
    return clusters.assign(means).op


class _Start:
    """Chooses centers from batch after batch, until there are enough."""

    def __init__(
        self, points: Any, number: int, start: Any, metric: str, seed: int | None, retries: int,
        clusters: Any, initialized: Any,
    ) -> None:  # fmt: skip
        self._points, self._number, self._start = points, number, start
        self._metric, self._seed, self._retries = metric, seed, retries
        self._clusters, self._initialized = clusters, initialized

    def op(self) -> Any:
        """One round: adds as many centers as the batch gives; nothing once there are enough."""
        return tf.cond(self._initialized, lambda: tf.constant(True), self._add)

    def _add(self) -> Any:
        have = tf.shape(self._clusters)[0]
        missing = self._number - have
        if isinstance(self._start, str):
            batch = tf.shape(self._points)[0]
            enough = tf.debugging.assert_positive(
                batch, message="There are no points to start from"
            )
            with tf.control_dependencies([enough] if enough is not None else []):
                wanted = tf.minimum(missing, batch)
            chosen = self._random(wanted) if self._start == "random" else self._plus_plus(wanted)
        elif callable(self._start):
            chosen = self._start(self._points, missing)
        else:
            chosen = tf.convert_to_tensor(self._start, tf.float32)
        if self._metric == COSINE:
            chosen = tf.math.l2_normalize(chosen, axis=1)
        before = lambda: tf.concat([self._clusters, chosen], 0)  # noqa: E731
        new = tf.cond(tf.equal(have, 0), lambda: chosen, before)
        assigned = self._clusters.assign(new)
        done = tf.equal(tf.shape(assigned.read_value())[0], self._number)
        return tf.cond(
            done,
            lambda: tf.identity(self._initialized.assign(True)),
            lambda: tf.constant(False),
        )

    def _random(self, wanted: Any) -> Any:
        size = tf.cast(tf.shape(self._points)[0], tf.int64)
        ids = tf.random_uniform(
            tf.reshape(wanted, [-1]), minval=0, maxval=size, seed=self._seed, dtype=tf.int64
        )
        return tf.gather(self._points, ids)

    def _plus_plus(self, wanted: Any) -> Any:
        return tf.raw_ops.KmeansPlusPlusInitialization(
            points=self._points,
            num_to_sample=tf.cast(wanted, tf.int64),
            # As in TF1, the graph's seed decides, if there is any seed.
            seed=tf.constant(tf.random.get_seed(self._seed)[0] or 0, tf.int64),
            num_retries_per_sample=tf.constant(self._retries, tf.int64),
        )


class InitializeHook(tf.train.SessionRunHook):
    """Runs the start until there are enough centers."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def after_create_session(self, session: Any, coord: Any) -> None:
        while not session.run(self._graph.initialized):
            session.run(self._graph.init_op)


class RelativeChangeHook(tf.train.SessionRunHook):
    """Stops when the loss changes by less than a share of itself."""

    def __init__(self, loss: Any, tolerance: float) -> None:
        self._loss, self._tolerance = loss, tolerance
        self._before: float | None = None

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        loss, before, self._before = run_values.results, self._before, run_values.results
        if before is not None and abs(loss - before) / (1 + before) < self._tolerance:
            run_context.request_stop()


Starter = Callable[[Any, Any], Any]
