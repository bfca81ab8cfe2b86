"""The operations of k-means: initial centres, distances, full and mini batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

#: The distances: squared Euclidean, and one minus the cosine.
SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
COSINE_DISTANCE = "cosine"

#: How the first centres are found.
RANDOM_INIT = "random"
KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
KMC2_INIT = "kmc2"

#: The name of the variable with the centres.
CLUSTERS_VAR_NAME = "clusters"


class KMeans:
    """Makes the graph of k-means clustering.

    Args:
      inputs: Points, float32 (count, dim), or a list of such tensors.
      num_clusters: How many clusters.
      initial_clusters: "random" (points drawn with repetition), "kmeans_plus_plus" (Arthur and
        Vassilvitskii 2007), "kmc2" (Bachem et al. 2016), the centres (num_clusters, dim), or a
        function of the inputs and the number of centres still to be chosen that gives some.
      distance_metric: "squared_euclidean" or "cosine".
      use_mini_batch: Whether each step sees a part of the data only, so that centres move by the
        points seen so far (Sculley 2010); else each step sees everything.
      mini_batch_steps_per_iteration: After how many steps of mini batches the centres that are
        used follow those that move.
      random_seed: The seed of the choice of the first centres.
      kmeans_plus_plus_num_retries: How many candidates "kmeans_plus_plus" draws for each centre.
      kmc2_chain_length: How many candidates "kmc2" looks at for each centre.

    Raises:
      ValueError: If the initialization or the distance is another word.
    """

    def __init__(
        self,
        inputs: Any,
        num_clusters: Any,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        mini_batch_steps_per_iteration: int = 1,
        random_seed: int = 0,
        kmeans_plus_plus_num_retries: int = 2,
        kmc2_chain_length: int = 200,
    ) -> None:
        known = (RANDOM_INIT, KMEANS_PLUS_PLUS_INIT, KMC2_INIT)
        if isinstance(initial_clusters, str) and initial_clusters not in known:
            raise ValueError(f"initial_clusters must be one of {known}: {initial_clusters!r}")
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric {distance_metric!r}")
        self._inputs = inputs if isinstance(inputs, list) else [inputs]
        self._num_clusters = num_clusters
        self._initial_clusters = initial_clusters
        self._cosine = distance_metric == COSINE_DISTANCE
        self._mini = use_mini_batch
        self._steps = int(mini_batch_steps_per_iteration)
        self._seed = random_seed
        self._retries = kmeans_plus_plus_num_retries
        self._chain = kmc2_chain_length

    @property
    def _several_steps(self) -> bool:
        return self._mini and self._steps > 1

    @property
    def _normalized(self) -> bool:
        """Whether the centres are kept at length one, so that they need not be normalized."""
        return self._cosine and (not self._mini or self._steps > 1)

    def training_graph(self) -> tuple[Any, Any, Any, Any, Any, Any]:
        """Make the variables and the operations.

        Returns:
          For each input the distances to all centres (count, num_clusters), the nearest centre
          (count) and its distance (count), as tuples; a bool variable, whether all centres were
          chosen; the operation that chooses some; and the operation of one training step.
        """
        number: Any
        initial = self._initial_clusters
        if isinstance(initial, str) or callable(initial):
            number = tf.convert_to_tensor(self._num_clusters)
        else:
            initial = tf.convert_to_tensor(initial)
            number = tf.shape(initial)[0]
        none_yet = tf.constant([], tf.float32)
        centers = tf.Variable(none_yet, name=CLUSTERS_VAR_NAME, validate_shape=False)
        initialized = tf.Variable(False, dtype=tf.bool, name="initialized")
        moving, left, counts = centers, None, None
        if self._several_steps:
            moving = tf.Variable(none_yet, name="clusters_updated", validate_shape=False)
            left = tf.Variable(self._steps, dtype=tf.int64, name="update_in_steps")
            counts = tf.Variable(tf.zeros([number], tf.int64))
        elif self._mini:
            counts = tf.Variable(tf.ones([number], tf.int64))
        chosen = self._choose(number, initial, centers, moving, initialized)
        inputs, used = self._inputs, centers
        if self._cosine:
            inputs = [tf.nn.l2_normalize(points, dim=1) for points in inputs]
            if not self._normalized:
                used = tf.nn.l2_normalize(centers, dim=1)
        scores, nearest, indices = zip(*(self._infer(p, used) for p in inputs), strict=True)
        if self._mini:
            with tf.control_dependencies([self._follow(left, centers, moving, counts)]):
                train = self._mini_step(inputs, indices, moving, counts)
        else:
            train = self._full_step(inputs, number, indices, centers)
        return scores, indices, nearest, initialized, chosen, train

    def _infer(self, points: Any, centers: Any) -> tuple[Any, Any, Any]:
        """Distances to all centres, and distance and number of the nearest."""
        products = tf.matmul(points, centers, transpose_b=True)
        if self._cosine:
            scores = 1 - products
        else:
            own = tf.reduce_sum(tf.square(points), 1, keepdims=True)
            theirs = tf.transpose(tf.reduce_sum(tf.square(centers), 1, keepdims=True))
            scores = own - 2 * products + theirs
        indices, distances = tf.raw_ops.NearestNeighbors(points=points, centers=centers, k=1)
        if self._cosine:
            # Of unit vectors the squared distance is twice one minus the cosine.
            distances *= 0.5
        return scores, tf.squeeze(distances, [-1]), tf.squeeze(indices, [-1])

    def _full_step(self, inputs: Any, number: Any, indices: Any, centers: Any) -> Any:
        sums, counts = [], []
        for points, index in zip(inputs, indices, strict=True):
            ones = tf.reshape(tf.ones(tf.reshape(tf.shape(points)[0], [-1])), [-1, 1])
            sums.append(tf.unsorted_segment_sum(points, index, number))
            counts.append(tf.unsorted_segment_sum(ones, index, number))
        total = tf.add_n(sums)
        # A centre without points goes to the origin.
        means = total / (tf.cast(tf.add_n(counts), total.dtype) + tf.constant(1e-6, total.dtype))
        if self._normalized:
            means = tf.nn.l2_normalize(means, dim=1)
        return tf.assign(centers, means)

    def _follow(self, left: Any, centers: Any, moving: Any, counts: Any) -> Any:
        """Every so many steps, use the centres as they have moved and count anew."""
        if not self._several_steps:
            return tf.no_op()

        def synchronize() -> Any:
            with tf.control_dependencies([tf.assign(left, self._steps - 1)]):
                now = tf.nn.l2_normalize(moving, dim=1) if self._cosine else tf.identity(moving)
                copied = tf.assign(centers, now)
            with tf.control_dependencies([copied]):
                reset = tf.assign(counts, tf.zeros_like(counts))
            with tf.control_dependencies([reset]):
                return tf.identity(left)

        return tf.cond(left <= 0, synchronize, lambda: tf.identity(tf.assign_sub(left, 1)))

    def _mini_step(self, inputs: Any, indices: Any, centers: Any, counts: Any) -> Any:
        updates = []
        for points, index in zip(inputs, indices, strict=True):
            ids, places = tf.unique(tf.reshape(index, [-1]))
            size = tf.size(ids)
            before = tf.gather(counts, ids)
            old = tf.gather(centers, ids)
            more = tf.unsorted_segment_sum(tf.ones_like(places, dtype=counts.dtype), places, size)
            column = tf.concat(
                [tf.reshape(size, [1]), tf.ones(tf.reshape(tf.rank(points) - 1, [1]), tf.int32)], 0
            )
            step = tf.unsorted_segment_sum(points, places, size)
            step -= tf.cast(tf.reshape(more, column), points.dtype) * old
            step *= tf.reshape(tf.reciprocal(tf.cast(before + more, points.dtype)), column)
            # TF 1.15 left open whether the counts were read before or after they grew.
            with tf.control_dependencies([step]):
                updates.append(tf.scatter_add(counts, ids, more))
                updates.append(tf.scatter_add(centers, ids, step))
        return tf.group(*updates)

    # The first centres.

    def _choose(
        self, number: Any, initial: Any, centers: Any, moving: Any, initialized: Any
    ) -> Any:
        """The operation that chooses centres from a batch, until there are enough."""
        selected = tf.shape(centers)[0]
        remaining = number - selected
        data = tf.add_n([tf.shape(points)[0] for points in self._inputs])

        def assign(values: Any) -> Any:
            made = tf.assign(centers, values, validate_shape=False)
            if moving is not centers:
                made = tf.assign(moving, made, validate_shape=False)
            return number - tf.shape(made)[0]

        def add() -> Any:
            new = self._initial(initial, remaining, data)
            if self._cosine:
                new = tf.nn.l2_normalize(new, dim=1)
            return assign(
                tf.cond(tf.equal(selected, 0), lambda: new, lambda: tf.concat([centers, new], 0))
            )

        def initialize() -> Any:
            with tf.control_dependencies([tf.assert_positive(remaining)]):
                chained = isinstance(initial, str) and initial == KMC2_INIT
                now = self._chained(remaining, selected, centers, assign) if chained else add()
                return tf.cond(
                    tf.equal(now, 0), lambda: tf.assign(initialized, True).op, lambda: tf.no_op()
                )

        return tf.cond(
            tf.equal(remaining, 0), lambda: tf.assert_equal(initialized, True), initialize
        )

    def _initial(self, initial: Any, remaining: Any, data: Any) -> Any:
        if not isinstance(initial, str):
            if callable(initial):
                return initial(self._inputs, remaining)
            with tf.control_dependencies([tf.assert_equal(remaining, tf.shape(initial)[0])]):
                return tf.identity(initial)
        if initial == RANDOM_INIT:
            return tf.cond(
                data <= remaining,
                lambda: tf.concat(self._inputs, 0),
                lambda: self._random(remaining, data),
            )
        with tf.control_dependencies([tf.assert_greater_equal(data, remaining)]):
            points = self._inputs[0]
            if self._cosine:
                points = tf.nn.l2_normalize(points, dim=1)
            return tf.raw_ops.KmeansPlusPlusInitialization(
                points=points,
                num_to_sample=tf.cast(remaining, tf.int64),
                seed=self._seed,
                num_retries_per_sample=self._retries,
            )

    def _random(self, remaining: Any, data: Any) -> Any:
        indices = tf.random_uniform(
            tf.reshape(remaining, [-1]),
            minval=0,
            maxval=tf.cast(data, tf.int64),
            seed=self._seed,
            dtype=tf.int64,
        )
        return tf.nn.embedding_lookup(self._inputs, indices, partition_strategy="div")

    def _chained(
        self, remaining: Any, selected: Any, centers: Any, assign: Callable[[Any], Any]
    ) -> Any:
        """Centres from a chain of candidates each, one chain for each part of the batch."""
        points = self._inputs[0]
        most = tf.cast(tf.shape(points)[0] / self._chain, tf.int32)
        number = tf.maximum(tf.minimum(remaining, most), 1)

        def unit(center: Any) -> Any:
            center = tf.reshape(center, [1, -1])
            return tf.nn.l2_normalize(center, dim=1) if self._cosine else center

        def from_chain(i: Any) -> Any:
            part = points[i * self._chain : (i + 1) * self._chain]
            _, distances = tf.raw_ops.NearestNeighbors(points=part, centers=centers, k=1)
            at = tf.raw_ops.KMC2ChainInitialization(
                distances=tf.squeeze(distances), seed=self._seed
            )
            return tf.concat([centers, unit(part[at])], 0)

        def step(i: Any, _: Any) -> tuple[Any, Any]:
            grown = tf.cond(tf.equal(selected, 0), lambda: unit(points[0]), lambda: from_chain(i))
            return i + 1, assign(grown)

        return tf.while_loop(lambda i, _: tf.less(i, number), step, [0, 0], parallel_iterations=1)[
            1
        ]
