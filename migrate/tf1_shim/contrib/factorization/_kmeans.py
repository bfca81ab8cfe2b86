"""``tf.contrib.factorization.KMeansClustering``: k-means as an Estimator."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.export import PredictOutput
from migrate.estimator_shim.model_fn import EstimatorSpec
from migrate.tf1_shim.contrib.factorization import _clustering
from migrate.tf1_shim.contrib.factorization._clustering import KMeans


class _Initialize(tf.train.SessionRunHook):
    """Chooses the first centres before training; other workers than the chief wait."""

    def __init__(self, init_op: Any, initialized: Any, is_chief: bool) -> None:
        self._init_op, self._initialized, self._is_chief = init_op, initialized, is_chief

    def after_create_session(self, session: Any, coord: Any) -> None:
        while not session.run(self._initialized):
            if self._is_chief:
                session.run(self._init_op)
            else:
                time.sleep(1)


class _RelativeChange(tf.train.SessionRunHook):
    """Stops when the loss hardly changes any more."""

    def __init__(self, loss: Any, tolerance: float) -> None:
        self._loss, self._tolerance = loss, tolerance
        self._before: float | None = None

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        loss = run_values.results
        if self._before:
            change = abs(loss - self._before) / (1 + abs(self._before))
            if change < self._tolerance:
                run_context.request_stop()
        self._before = loss


class KMeansClustering(Estimator):
    """An Estimator that clusters points: see `KMeans`.

    Its ``input_fn`` gives the points, float32 (count, dim), or a dictionary of such tensors that
    are put side by side in the order of their names.

    Args:
      num_clusters: How many clusters.
      model_dir: The folder of the checkpoints.
      initial_clusters: "random", "kmeans_plus_plus", the centres, or a function: see `KMeans`.
      distance_metric: "squared_euclidean" or "cosine".
      random_seed: The seed of the choice of the first centres.
      use_mini_batch: Whether each step sees a part of the data only.
      mini_batch_steps_per_iteration: After how many steps the centres that are used follow.
      kmeans_plus_plus_num_retries: How many candidates are drawn for each centre.
      relative_tolerance: Training stops when the loss changes by less, relative to itself; only
        sensible without mini batches. None for never.
      config: A ``RunConfig``.
      feature_columns: Columns of ``tf.feature_column`` that make the points of a dictionary.

    Raises:
      ValueError: If the initialization or the distance is another word.
    """

    SQUARED_EUCLIDEAN_DISTANCE = _clustering.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = _clustering.COSINE_DISTANCE
    RANDOM_INIT = _clustering.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = _clustering.KMEANS_PLUS_PLUS_INIT
    SCORE = "score"
    CLUSTER_INDEX = "cluster_index"
    ALL_DISTANCES = "all_distances"
    CLUSTER_CENTERS_VAR_NAME = _clustering.CLUSTERS_VAR_NAME

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
        feature_columns: Any = None,
    ) -> None:
        known = (self.RANDOM_INIT, self.KMEANS_PLUS_PLUS_INIT)
        if isinstance(initial_clusters, str) and initial_clusters not in known:
            raise ValueError(f"initial_clusters must be one of {known}: {initial_clusters!r}")
        if distance_metric not in (self.SQUARED_EUCLIDEAN_DISTANCE, self.COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric {distance_metric!r}")

        def model_fn(features: Any, mode: str, config: Any) -> Any:
            points = _points(features, feature_columns)
            distances, indices, losses, initialized, init_op, step = KMeans(
                points,
                num_clusters,
                initial_clusters=initial_clusters,
                distance_metric=distance_metric,
                use_mini_batch=use_mini_batch,
                mini_batch_steps_per_iteration=mini_batch_steps_per_iteration,
                random_seed=random_seed,
                kmeans_plus_plus_num_retries=kmeans_plus_plus_num_retries,
            ).training_graph()
            loss = tf.reduce_sum(losses)
            tf.summary.scalar("loss/raw", loss)
            forward = tf.assign_add(tf.train.get_global_step(), 1)
            with tf.control_dependencies([step, forward]):
                train_op = tf.identity(loss)
            hooks: list[Any] = [_Initialize(init_op, initialized, config.is_chief)]
            if relative_tolerance is not None:
                hooks.append(_RelativeChange(loss, relative_tolerance))
            serving = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
            return EstimatorSpec(
                mode=mode,
                predictions={
                    self.ALL_DISTANCES: distances[0],
                    self.CLUSTER_INDEX: indices[0],
                },
                loss=loss,
                train_op=train_op,
                eval_metric_ops={self.SCORE: tf.metrics.mean(loss)},
                training_hooks=hooks,
                export_outputs={
                    self.ALL_DISTANCES: PredictOutput(distances[0]),
                    self.CLUSTER_INDEX: PredictOutput(indices[0]),
                    serving: PredictOutput(indices[0]),
                },
            )

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)

    def _each(self, input_fn: Callable[[], Any], key: str) -> Iterator[Any]:
        for result in self.predict(input_fn=input_fn, predict_keys=[key]):
            yield result[key]

    def predict_cluster_index(self, input_fn: Callable[[], Any]) -> Iterator[Any]:
        """The number of the nearest centre, for each point.

        Args:
          input_fn: A function that gives points and then ends.

        Yields:
          Numbers.
        """
        yield from self._each(input_fn, self.CLUSTER_INDEX)

    def score(self, input_fn: Callable[[], Any]) -> Any:
        """The sum of the distances to the nearest centres, for one batch.

        Args:
          input_fn: A function that gives points.

        Returns:
          A number.
        """
        return self.evaluate(input_fn=input_fn, steps=1)[self.SCORE]

    def transform(self, input_fn: Callable[[], Any]) -> Iterator[Any]:
        """The distances to all centres, for each point.

        Args:
          input_fn: A function that gives points and then ends.

        Yields:
          Arrays (num_clusters).
        """
        yield from self._each(input_fn, self.ALL_DISTANCES)

    def cluster_centers(self) -> Any:
        """The centres, an array (num_clusters, dim)."""
        return self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)


def _points(features: Any, feature_columns: Any) -> Any:
    if not isinstance(features, dict):
        return features
    if feature_columns:
        return tf.feature_column.input_layer(features, feature_columns)
    return tf.concat([features[key] for key in sorted(features)], axis=1)
