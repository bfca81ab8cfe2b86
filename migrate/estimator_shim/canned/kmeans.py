"""`KMeansClustering`, which ``tf.estimator.experimental`` calls ``KMeans``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned import _clustering
from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.export.export_output import PredictOutput
from migrate.estimator_shim.model_fn import EstimatorSpec

__all__ = ["KMeans", "KMeansClustering"]


class KMeansClustering(Estimator):
    """K-means clustering.

    ``input_fn`` returns points, float [batch_size, dimensions], or a dict of features (with
    ``feature_columns``, or else put side by side in the order of their names); no labels. ::

        kmeans = KMeansClustering(num_clusters=5, use_mini_batch=False)
        for _ in range(10):
            kmeans.train(input_fn)
        kmeans.cluster_centers()

    Checkpoints ("clusters", "initialized", the points seen) are exchanged with TF 1.15.
    """

    SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
    COSINE_DISTANCE = "cosine"
    RANDOM_INIT = "random"
    KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
    SCORE = "score"
    CLUSTER_INDEX = "cluster_index"
    ALL_DISTANCES = "all_distances"
    CLUSTER_CENTERS_VAR_NAME = "clusters"

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        initial_clusters: Any = "random",
        distance_metric: str = "squared_euclidean",
        seed: int | None = None,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: Any = None,
        feature_columns: Iterable[Any] | None = None,
    ) -> None:
        """Checks the arguments; nothing is built yet.

        Args:
          num_clusters: How many clusters.
          model_dir: See `Estimator`.
          initial_clusters: "random" (points of the first batches), "kmeans_plus_plus", an array
            [num_clusters, dimensions], or a function of the points and of how many centers are
            missing that returns some.
          distance_metric: "squared_euclidean" or "cosine".
          seed: Of the starting centers.
          use_mini_batch: Whether a step moves the centers by what it finds in the batch (every
            batch may be other points), or computes them from the batch (which must be all points).
          mini_batch_steps_per_iteration: Must be 1 here, if use_mini_batch.
          kmeans_plus_plus_num_retries: How many candidates k-means++ draws for each center.
          relative_tolerance: Stop training when the loss changes by less than this share of it;
            meant for use_mini_batch=False.
          config: See `Estimator`.
          feature_columns: Dense feature columns, for features that are a dict.

        Raises:
          ValueError: If initial_clusters or distance_metric is unknown.
          NotImplementedError: For mini_batch_steps_per_iteration other than 1.
        """
        starts = (self.RANDOM_INIT, self.KMEANS_PLUS_PLUS_INIT)
        if isinstance(initial_clusters, str) and initial_clusters not in starts:
            raise ValueError(
                f"initial_clusters must be one of {starts}, an array or a function. "
                f"Received: {initial_clusters!r}"
            )
        metrics = (self.SQUARED_EUCLIDEAN_DISTANCE, self.COSINE_DISTANCE)
        if distance_metric not in metrics:
            raise ValueError(
                f"distance_metric must be one of {metrics}. Received: {distance_metric!r}"
            )
        if use_mini_batch and mini_batch_steps_per_iteration != 1:
            raise NotImplementedError(
                "mini_batch_steps_per_iteration other than 1 is not implemented: give larger "
                f"batches instead. Received: {mini_batch_steps_per_iteration!r}"
            )
        self._distance_metric = distance_metric
        columns = None if feature_columns is None else tuple(feature_columns)

        def model_fn(features: Any, mode: str) -> EstimatorSpec:
            points = points_of(features, columns)
            graph = _clustering.build(
                points, num_clusters, initial_clusters, distance_metric, seed,
                kmeans_plus_plus_num_retries, use_mini_batch,
            )  # fmt: skip
            tf.summary.scalar("loss/raw", graph.loss)
            hooks: list[Any] = [_clustering.InitializeHook(graph)]
            if relative_tolerance is not None:
                hooks.append(_clustering.RelativeChangeHook(graph.loss, relative_tolerance))
            return EstimatorSpec(
                mode,
                predictions={
                    self.ALL_DISTANCES: graph.distances,
                    self.CLUSTER_INDEX: graph.indices,
                },
                loss=graph.loss,
                train_op=_clustering.counted(graph.train_op),
                eval_metric_ops={self.SCORE: tf.metrics.mean(graph.loss)},
                training_hooks=hooks,
                export_outputs={
                    self.ALL_DISTANCES: PredictOutput(graph.distances),
                    self.CLUSTER_INDEX: PredictOutput(graph.indices),
                    "serving_default": PredictOutput(graph.indices),
                },
            )

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)

    def _predict_one_key(self, input_fn: Callable[..., Any], key: str) -> Iterator[Any]:
        for found in self.predict(input_fn=input_fn, predict_keys=[key]):
            yield found[key]

    def predict_cluster_index(self, input_fn: Callable[..., Any]) -> Iterator[Any]:
        """The nearest cluster of each point.

        Args:
          input_fn: The points.

        Yields:
          The index of the cluster, point by point.
        """
        yield from self._predict_one_key(input_fn, self.CLUSTER_INDEX)

    def score(self, input_fn: Callable[..., Any]) -> float:
        """The sum of the distances of all points to their clusters.

        Args:
          input_fn: The points, in one batch that ends.

        Returns:
          The sum of squared distances, or of cosine distances.
        """
        result: float = self.evaluate(input_fn=input_fn, steps=1)[self.SCORE]
        return result

    def transform(self, input_fn: Callable[..., Any]) -> Iterator[Any]:
        """The distances of each point to all clusters.

        Args:
          input_fn: The points.

        Yields:
          An array [num_clusters] point by point: Euclidean (not squared) or cosine distances.
        """
        for distances in self._predict_one_key(input_fn, self.ALL_DISTANCES):
            squared = self._distance_metric == self.SQUARED_EUCLIDEAN_DISTANCE
            yield np.sqrt(distances) if squared else distances

    def cluster_centers(self) -> Any:
        """The centers in the newest checkpoint, float [num_clusters, dimensions]."""
        return self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)


#: Its name in tf.estimator.experimental.
KMeans = KMeansClustering


def points_of(features: Any, columns: tuple[Any, ...] | None) -> Any:
    """The features as one tensor."""
    if not isinstance(features, Mapping):
        return tf.cast(features, tf.float32)
    if columns is not None:
        return tf.feature_column.input_layer(features, columns)
    return tf.concat([tf.cast(features[k], tf.float32) for k in sorted(features)], 1)
