"""The model_fn of boosted trees: a layer of a tree for every so many batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned.boosted_trees import (
    _columns,
    _derivatives,
    _ensemble,
    _growth,
    _predict,
    _quantiles,
)
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec

NAME = "boosted_trees"
QUANTILES = "QuantileAccumulator"


class TreeParams(NamedTuple):
    """The arguments of an Estimator of boosted trees that say how trees grow."""

    n_trees: int
    max_depth: int
    learning_rate: float
    l1: float
    l2: float
    tree_complexity: float
    min_node_weight: float
    center_bias: bool
    pruning_mode: str
    quantile_sketch_epsilon: float


def check_pruning(mode: Any, complexity: float) -> None:
    """Raises ValueError unless pruning and complexity are both given, or neither."""
    known = (_growth.NONE, _growth.PRE, _growth.POST)
    if mode not in known:
        raise ValueError(f"pruning_mode must be one of {known}. Received: {mode!r}")
    if (complexity > 0) != (mode != _growth.NONE):
        raise ValueError(
            "Pruning needs a tree_complexity above zero, and nothing but pruning uses it. "
            f"Received: pruning_mode={mode!r}, tree_complexity={complexity!r}"
        )


class Model:
    """What all modes share: the ensemble, the boundaries, the features' buckets."""

    def __init__(self, features: Any, columns: list[_columns.Column], scope: str) -> None:
        """Makes the variables and transforms the features, in a name scope."""
        self.trees = _ensemble.Trees(scope)
        count = _columns.floats(columns)
        self.boundaries = _ensemble.Buckets(QUANTILES, count) if count else None
        self.inputs = _columns.Inputs(features, columns)
        self.buckets = self.inputs.buckets(self.boundaries)


def model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: Any,
    feature_columns: Iterable[Any],
    params: TreeParams,
    n_batches_per_layer: Any,
    config: Any,
    closed_form: bool = False,
    weight_column: Any = None,
    in_memory: bool = False,
) -> EstimatorSpec:
    """The model.

    Args:
      features: Name -> tensor.
      labels: The labels, as the head wants them.
      mode: One of `ModeKeys`.
      head: A head with one logit.
      feature_columns: See `BoostedTreesClassifier`.
      params: How trees grow.
      n_batches_per_layer: How many batches make a layer.
      config: The `RunConfig`.
      closed_form: See `_derivatives.of`.
      weight_column: What the values of float features weigh for their buckets.
      in_memory: Whether every batch is the same one, of all examples.

    Returns:
      The `EstimatorSpec`.

    Raises:
      ValueError: If the head has more than one logit, a column can't be taken, or pruning has no
        complexity.
      AssertionError: If training is in memory and n_batches_per_layer is not 1, as in TF1.
      NotImplementedError: For training in a cluster or with a strategy.
    """
    if not isinstance(features, Mapping):
        raise ValueError(f"features must be a dict: name -> tensor. Received: {features!r}")
    if head.logits_dimension != 1:
        raise ValueError(
            "Boosted trees have one logit: two classes, or one target. "
            f"Received: a head with {head.logits_dimension}"
        )
    columns = _columns.sort(feature_columns)
    with tf.name_scope(NAME) as scope:
        model = Model(features, columns, scope)
        if mode != ModeKeys.TRAIN:
            found = _predict.predict(model.trees.read(), model.buckets)
            return head.create_estimator_spec(
                features=features,
                mode=mode,
                labels=labels,
                train_op_fn=tf.no_op,
                logits=found.logits[:, None],
            )
        _check_alone(config)
        check_pruning(params.pruning_mode, params.tree_complexity)
        training = _Training(model, columns, params, n_batches_per_layer, in_memory)
        training.read(labels)
        if weight_column is None:
            weights = tf.ones([1])
        else:
            if isinstance(weight_column, str):
                weight_column = tf.feature_column.numeric_column(weight_column)
            weights = _columns.Inputs(features, _columns.sort([weight_column])).floats()[:, 0]
    head, derivatives = _derivatives.of(head, closed_form)
    spec = head.create_estimator_spec(
        features=features,
        mode=mode,
        labels=labels,
        train_op_fn=lambda loss: training.step(
            *derivatives(loss, training.logits, labels), weights
        ),
        logits=training.logits,
    )
    stop = _StopHook(training.layer, params.n_trees, params.max_depth)
    return spec._replace(
        training_hooks=(*spec.training_hooks, stop),
        training_chief_hooks=(_StartHook(training.streams), *spec.training_chief_hooks),
    )


def _check_alone(config: Any) -> None:
    several = config.num_worker_replicas > 1 or config.num_ps_replicas > 0
    if several or config.train_distribute is not None:
        raise NotImplementedError(
            "Boosted trees train in one process and without a strategy; evaluation and prediction "
            f"know no such limit. Received: {config.num_worker_replicas} workers, "
            f"{config.num_ps_replicas} parameter servers, train_distribute="
            f"{config.train_distribute!r}"
        )


def _kept(initial: Any, name: str, shape: Any = None) -> Any:
    """A variable that is saved."""
    return tf.Variable(
        initial, trainable=False, name=name, use_resource=True, validate_shape=False, shape=shape
    )


def _passing(initial: Any, name: str, shape: Any) -> Any:
    """A variable that every session starts anew."""
    return tf.Variable(
        initial,
        trainable=False,
        name=name,
        use_resource=True,
        validate_shape=False,
        shape=shape,
        collections=[tf.GraphKeys.LOCAL_VARIABLES],
    )


class _Training:
    """The graph of a step."""

    layer: _ensemble.Layer
    logits: Any

    def __init__(
        self,
        model: Model,
        columns: list[_columns.Column],
        params: TreeParams,
        batches: Any,
        in_memory: bool,
    ) -> None:
        self._model, self._params, self._batches = model, params, batches
        self._quantiles = int(1.0 / params.quantile_sketch_epsilon)
        self._groups = _columns.groups(columns, self._quantiles)
        self.streams = _quantiles.Streams(params.quantile_sketch_epsilon, _columns.floats(columns))
        self._ready = _kept(model.boundaries is None, "are_boundaries_ready")
        self._each_batch = in_memory or (isinstance(batches, int) and batches == 1)
        self._cache: list[Any] = []
        self._features: list[Any] = []
        if in_memory:
            if batches != 1:
                raise AssertionError(
                    "train_in_memory takes all examples as one batch: n_batches_per_layer must be "
                    f"1. Received: {batches!r}"
                )
            # TF1 keeps the features of the step that finds the boundaries, and never uses them.
            self._features = [
                _kept(np.zeros(0, np.int32), f"cached_feature_{i}", [None])
                for i in range(sum(column.size for column in columns))
            ]
            self._kept_features = _kept(False, "are_features_cached")
            self._cache = [
                _kept(np.zeros(0, np.int32), "tree_ids_cache", [None]),
                _kept(np.zeros(0, np.int32), "node_ids_cache", [None]),
                _kept(np.zeros((0, 1), np.float32), "logits_cache", [None, 1]),
            ]
        self._center = _kept(params.center_bias, "center_bias_needed")

    def read(self, labels: Any) -> None:
        """The state before the step, and the logits."""
        ensemble = self._model.trees.read()
        self.layer = _ensemble.layer_of(ensemble)
        if self._cache:
            trees, nodes, logits = self._cached(tf.shape(labels)[0])
            found = _predict.predict_on(ensemble, self._model.buckets, trees, nodes)
            self.logits = logits + found.logits[:, None]
        else:
            found = _predict.predict_in_training(ensemble, self._model.buckets)
            self.logits = found.logits[:, None]
        self._nodes = found.nodes
        tf.summary.scalar("ensemble/num_trees", self.layer.trees)
        tf.summary.scalar("ensemble/num_finalized_trees", self.layer.finished)
        tf.summary.scalar("ensemble/num_attempted_layers", self.layer.attempted)

    def _cached(self, batch: Any) -> tuple[Any, Any, Any]:
        """What is known of each example; nothing at first."""
        trees, nodes, logits = (v.read_value() for v in self._cache)
        start = tf.equal(tf.size(trees), 0)
        return tf.cond(
            start,
            lambda: (
                tf.zeros([batch], tf.int32),
                -tf.ones([batch], tf.int32),
                tf.zeros([batch, 1]),
            ),
            lambda: (trees, nodes, logits),
        )

    def step(self, gradients: Any, hessians: Any, weights: Any) -> Any:
        """The operation that collects statistics, and grows a layer if there are enough."""
        # All that is fetched is the state before the step, and so are the buckets, which a first
        # prediction, without trees, doesn't wait for.
        with tf.control_dependencies([*self.layer, self.logits, self._model.buckets]):
            if self._model.boundaries is None:
                return self._grow(gradients, hessians)
            return tf.cond(
                self._ready.read_value(),
                lambda: self._grow(gradients, hessians),
                lambda: self._find_boundaries(weights),
            )

    def _find_boundaries(self, weights: Any) -> Any:
        """Adds the batch to the streams of float features; the last one makes the buckets."""
        boundaries = self._model.boundaries
        assert boundaries is not None

        def on_host(values: Any, weights: Any, batches: Any) -> Any:
            self.streams.add(list(np.ascontiguousarray(values.T)), weights)
            if self.streams.batches < batches:
                return np.False_, np.zeros((len(values.T), 0), np.float32), np.zeros(0, np.int32)
            return np.True_, *_padded(self.streams.boundaries(self._quantiles))

        inputs = [self._model.inputs.floats(), weights, tf.convert_to_tensor(self._batches)]
        types = [tf.bool, tf.float32, tf.int32]
        done, edges, counts = tf.numpy_function(on_host, inputs, types)

        def keep() -> Any:
            done = [boundaries.assign(edges, counts), *self._keep_features(self._model.buckets)]
            if self._features:
                done.append(self._kept_features.assign(True).op)
            with tf.control_dependencies(done):
                return tf.group(self._ready.assign(True).op)

        return tf.cond(tf.reshape(done, []), keep, tf.no_op)

    def _keep_features(self, buckets: Any) -> list[Any]:
        """Operations that fill the variables that only TF1's checkpoints need."""
        pairs = zip(self._features, tf.unstack(buckets, num=buckets.shape[1], axis=1), strict=False)
        return [variable.assign(values).op for variable, values in pairs]

    def _grow(self, gradients: Any, hessians: Any) -> Any:
        """Collects statistics, and grows a layer; or moves the bias, as long as it has to."""

        def layer() -> Any:
            remember = [self._remember()] if self._cache else []
            if self._features and self._model.boundaries is None:
                remember += self._keep_features(tf.zeros_like(self._model.buckets))
            return tf.group(self._collect(gradients, hessians), *remember)

        if self._params.center_bias:
            update = tf.cond(
                self._center.read_value(), lambda: self._move_bias(gradients, hessians), layer
            )
        else:
            update = layer()
        with tf.control_dependencies([update]):
            return tf.assign_add(tf.train.get_global_step(), 1).op

    def _remember(self) -> Any:
        """Keeps what is known of each example before the step's growth."""
        trees = tf.fill(tf.shape(self._nodes), tf.maximum(self.layer.trees - 1, 0))
        values = (trees, self._nodes, self.logits)
        pairs = zip(self._cache, values, strict=True)
        return tf.group(*[variable.assign(value).op for variable, value in pairs])

    def _enough(self, sums: list[Any], name: str, act: Callable[[list[Any]], Any]) -> Any:
        """Acts on the means of what so many batches gave, and starts again."""
        if self._each_batch:
            return act(sums)
        with tf.name_scope(name), tf.control_dependencies(None):
            count = _passing(0, "count", [])
            held = [
                _passing(np.zeros([0] * s.shape.rank, np.float32), "sum", [None] * s.shape.rank)
                for s in sums
            ]
        before = count.read_value()
        first = [v.assign for v in held]
        with tf.control_dependencies([before]):
            added = tf.cond(
                before > 0,
                lambda: tf.group(*[v.assign_add(s).op for v, s in zip(held, sums, strict=True)]),
                lambda: tf.group(*[a(s).op for a, s in zip(first, sums, strict=True)]),
            )
        now = before + 1

        def go() -> Any:
            means = [
                tf.ensure_shape(v.read_value(), s.shape) / tf.cast(now, tf.float32)
                for v, s in zip(held, sums, strict=True)
            ]
            with tf.control_dependencies(means):
                return tf.group(act(means), count.assign(0).op)

        with tf.control_dependencies([added]):
            return tf.cond(
                tf.greater_equal(now, self._batches), go, lambda: tf.group(count.assign(now).op)
            )

    def _collect(self, gradients: Any, hessians: Any) -> Any:
        """Sums of gradients and hessians by node and bucket; with enough of them a layer."""
        groups = self._groups
        inputs = [gradients, hessians, self._nodes, self.layer.nodes[1], self._model.buckets]

        def on_host(gradients: Any, hessians: Any, nodes: Any, end: Any, buckets: Any) -> Any:
            return _growth.statistics(groups, gradients, hessians, nodes, int(end), buckets)

        if self._each_batch:

            def both(ensemble: _growth.Ensemble, layer: Any, *inputs: Any) -> Any:
                return self._grown(ensemble, layer, *on_host(*inputs))

            return self._model.trees.change(both, [self.layer.nodes, *inputs])[0]
        stats = tf.numpy_function(on_host, inputs, [tf.float32] * len(groups))
        for value, group in zip(stats, groups, strict=True):
            value.set_shape([len(group.features), None, group.buckets, 2])
        return self._enough(stats, "layer", self._grow_layer)

    def _grow_layer(self, stats: list[Any]) -> Any:
        return self._model.trees.change(self._grown, [self.layer.nodes, *stats])[0]

    def _grown(self, ensemble: _growth.Ensemble, layer: Any, *stats: Any) -> Any:
        """The ensemble with a layer more, on the host."""
        params, groups = self._params, [group.features for group in self._groups]
        splits = _growth.best_splits(
            groups, stats, layer, params.l1, params.l2, params.tree_complexity,
            params.min_node_weight,
        )  # fmt: skip
        new = _growth.grow(
            ensemble, splits, params.learning_rate, params.max_depth, params.pruning_mode
        )
        return new, True

    def _move_bias(self, gradients: Any, hessians: Any) -> Any:
        means = tf.reduce_mean(tf.stack([gradients, hessians]), axis=1)
        return self._enough([means], "bias", self._center_bias)

    def _center_bias(self, means: list[Any]) -> Any:
        params = self._params

        def on_host(ensemble: _growth.Ensemble, means: Any) -> Any:
            gradient, hessian = means[:, 0]
            return _growth.center_bias(ensemble, gradient, hessian, params.l1, params.l2)

        done, moves = self._model.trees.change(on_host, means)
        return tf.group(done, self._center.assign(moves).op)


def _padded(boundaries: list[Any]) -> tuple[Any, Any]:
    """The boundaries as rows of one array, filled up with infinity, and how many there are."""
    counts = np.array([len(b) for b in boundaries], np.int32)
    edges = np.full((len(boundaries), max(1, *counts)), np.inf, np.float32)
    for row, found in zip(edges, boundaries, strict=True):
        row[: len(found)] = found
    return edges, counts


class _StartHook(tf.train.SessionRunHook):
    """A new session knows nothing of the values that another one has seen."""

    def __init__(self, streams: _quantiles.Streams) -> None:
        self._streams = streams

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._streams.reset()


class _StopHook(tf.train.SessionRunHook):
    """Stops once there are enough trees, or twice as many layers as they need were tried."""

    def __init__(self, layer: _ensemble.Layer, trees: int, depth: int) -> None:
        self._fetches = [layer.finished, layer.attempted]
        self._trees, self._layers = trees, 2 * trees * depth

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._fetches)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        finished, attempted = run_values.results
        if finished >= self._trees - 1 or attempted > self._layers - 1:
            # What was fetched is the state before the step.
            finished, attempted = run_context.session.run(self._fetches)
        if finished >= self._trees or attempted > self._layers:
            run_context.request_stop()
