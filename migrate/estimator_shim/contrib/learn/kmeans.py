"""contrib.learn's `KMeansClustering`, on the algorithm of `canned.kmeans`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned import _clustering
from migrate.estimator_shim.canned import kmeans as core
from migrate.estimator_shim.contrib.learn import estimator as estimator_lib
from migrate.estimator_shim.contrib.learn.model_fn import ModelFnOps

__all__ = ["KMeansClustering"]


class KMeansClustering(estimator_lib.Estimator):
    """K-means clustering with contrib.learn's methods.

    input_fns return points, or a dict of features that are put side by side, and None.
    """

    SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
    COSINE_DISTANCE = "cosine"
    RANDOM_INIT = "random"
    KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
    SCORES = "scores"
    CLUSTER_IDX = "cluster_idx"
    CLUSTERS = "clusters"
    ALL_SCORES = "all_scores"
    LOSS_OP_NAME = "kmeans_loss"

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: Any = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          num_clusters: How many clusters.
          model_dir: Where to save.
          initial_clusters: See `canned.kmeans.KMeansClustering`.
          distance_metric: "squared_euclidean" or "cosine".
          random_seed: Of the starting centers.
          use_mini_batch: See `canned.kmeans.KMeansClustering`.
          mini_batch_steps_per_iteration: Must be 1 here, if use_mini_batch.
          kmeans_plus_plus_num_retries: How many candidates k-means++ draws for each center.
          relative_tolerance: Stop training when the loss changes by less than this share of it.
          config: A `RunConfig`.

        Raises:
          NotImplementedError: For mini_batch_steps_per_iteration other than 1.
        """
        if use_mini_batch and mini_batch_steps_per_iteration != 1:
            raise NotImplementedError(
                "mini_batch_steps_per_iteration other than 1 is not implemented: give larger "
                f"batches instead. Received: {mini_batch_steps_per_iteration!r}"
            )

        def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
            assert labels is None, labels
            graph = _clustering.build(
                core.points_of(features, None), num_clusters, initial_clusters, distance_metric,
                random_seed, kmeans_plus_plus_num_retries, use_mini_batch,
            )  # fmt: skip
            loss = tf.identity(graph.loss, name=self.LOSS_OP_NAME)
            tf.summary.scalar("loss/raw", loss)
            train_op = _clustering.counted(graph.train_op)
            hooks: list[Any] = [_clustering.InitializeHook(graph)]
            if relative_tolerance is not None:
                hooks.append(_clustering.RelativeChangeHook(loss, relative_tolerance))
            predictions = {self.ALL_SCORES: graph.distances, self.CLUSTER_IDX: graph.indices}
            return ModelFnOps(
                mode, predictions, loss, train_op, {self.SCORES: loss}, training_hooks=hooks
            )

        super().__init__(model_fn, model_dir, config)

    def predict_cluster_idx(self, input_fn: Callable[..., Any] | None = None) -> Iterator[Any]:
        """The nearest cluster of each point.

        Args:
          input_fn: The points.

        Yields:
          The index of the cluster, point by point.
        """
        for found in self.predict(input_fn=input_fn, outputs=[self.CLUSTER_IDX]):
            yield found[self.CLUSTER_IDX]

    def score(self, input_fn: Callable[..., Any] | None = None, steps: int | None = None) -> Any:
        """The sum of the distances of all points to their clusters.

        Args:
          input_fn: The points.
          steps: How many batches.

        Returns:
          The sum of squared distances, or of cosine distances.
        """
        return np.sum(self.evaluate(input_fn=input_fn, steps=steps)[self.SCORES])

    def transform(
        self, input_fn: Callable[..., Any] | None = None, as_iterable: bool = False
    ) -> Any:
        """The squared (or cosine) distances of each point to all clusters.

        Args:
          input_fn: The points.
          as_iterable: Whether to yield dicts point by point.

        Returns:
          An array [points, num_clusters], or an iterator of ``{"all_scores": array}``.
        """
        found = self.predict(input_fn=input_fn, outputs=[self.ALL_SCORES], as_iterable=as_iterable)
        return found if as_iterable else found[self.ALL_SCORES]

    def clusters(self) -> Any:
        """The centers in the newest checkpoint, float [num_clusters, dimensions]."""
        return self.get_variable_value(self.CLUSTERS)
