"""Training and evaluation under a ``tf.distribute.Strategy``: the model_fn runs once per replica.

The graph is one, or one per worker of MultiWorkerMirroredStrategy; input_fns are split as TF1 did:
the replicas of a worker take turns on its Dataset, each with a whole batch.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _keras_graph, util
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec

#: What stock hooks read the global step from; outside of replicas they could not read it.
_STEP_READ = "global_step_read_op_cache"


@contextlib.contextmanager
def new_graph(estimator: Any, strategy: Any) -> Iterator[Any]:
    """A graph with the Estimator's seed in the strategy's scope, without a global step yet.

    Optimizers of TF1 divide the loss by the number of replicas in it, unless it is a sum.
    """
    # The flag that compat.v1's optimizers look at has no public name.
    scaled = strategy._scale_loss_for_estimator_enabled()
    with _keras_graph.new_graph() as graph, strategy.scope(), scaled:
        tf.set_random_seed(estimator._config.tf_random_seed)
        yield graph


def configure(estimator: Any, strategy: Any) -> None:
    """Lets the strategy of training change how sessions are made.

    Raises:
      ValueError: If the strategy leads a cluster, and this was not called by train_and_evaluate.
    """
    config = estimator.config
    if config._cluster.coordinated:
        raise ValueError(
            "With a train_distribute and a cluster in TF_CONFIG each process must call "
            "train_and_evaluate, not Estimator.train. "
            f"Received: {config.train_distribute!r} and the jobs {config.cluster_spec.jobs}"
        )
    if not config.cluster_spec.jobs:
        strategy.configure(estimator._session_config)


def is_collective(strategy: Any) -> bool:
    """Whether every worker has a graph and a session of its own, and all must do the same."""
    import tensorflow

    kinds = (
        tf.distribute.experimental.MultiWorkerMirroredStrategy,
        tensorflow.distribute.MultiWorkerMirroredStrategy,
    )
    return isinstance(strategy, kinds)


class InitializeIterator(tf.train.SessionRunHook):
    """Starts the replicas' iterator whenever a session is created."""

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator
        self._initializer: Any = None

    def begin(self) -> None:
        self._initializer = self._iterator.initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._initializer)


def _input(estimator: Any, strategy: Any, input_fn: Any, mode: str) -> tuple[Any, Any, list[Any]]:
    """The replicas' features and labels, and the hook that their iterator needs."""

    def of_worker(context: Any) -> Any:
        result = estimator._call_input_fn(input_fn, mode, context)
        if not isinstance(result, util.DATASETS) and not callable(result):
            raise ValueError(
                "With a distribution strategy the input_fn must return a tf.data.Dataset. "
                f"Received: {result!r}"
            )
        return result

    iterator = strategy.make_input_fn_iterator(of_worker)
    result = iterator.get_next()
    features, labels = util.features_and_labels(result)
    return features, labels, [InitializeIterator(iterator)]


def build_train(
    estimator: Any, strategy: Any, input_fn: Callable[..., Any], graph: Any
) -> tuple[EstimatorSpec, list[Any]]:
    """Calls the input_fn and, once per replica, the model_fn.

    Args:
      estimator: The Estimator.
      strategy: The strategy, whose scope is entered.
      input_fn: The training data.
      graph: The default graph.

    Returns:
      One EstimatorSpec for all replicas, and the hooks that the input needs.
    """
    features, labels, hooks = _input(estimator, strategy, input_fn, ModeKeys.TRAIN)
    step = estimator._create_and_assert_global_step(graph)
    tf.add_to_collection(_STEP_READ, strategy.extended.read_var(step))
    specs = strategy.extended.call_for_each_replica(
        estimator._call_model_fn, args=(features, labels, ModeKeys.TRAIN, estimator.config)
    )
    # What is reported is the mean where the optimizer has taken the mean: also a private flag.
    scaled = getattr(graph, "_is_loss_scaled_by_optimizer", False)
    how = tf.distribute.get_loss_reduction() if scaled else tf.distribute.ReduceOp.SUM
    spec = EstimatorSpec(
        mode=ModeKeys.TRAIN,
        loss=strategy.reduce(how, specs.loss, axis=None),
        train_op=strategy.group(specs.train_op),
        training_hooks=_of_the_first(strategy, specs.training_hooks),
        training_chief_hooks=_of_the_first(strategy, specs.training_chief_hooks),
        scaffold=_scaffold(strategy, specs.scaffold),
    )
    return spec, hooks


def build_eval(
    estimator: Any, strategy: Any, input_fn: Callable[..., Any]
) -> tuple[dict[str, Any], Any, list[Any], Any, list[Any]]:
    """Calls the input_fn and, once per replica, the model_fn, for an evaluation.

    Args:
      estimator: The Estimator.
      strategy: The strategy, whose scope is entered.
      input_fn: The evaluation data.

    Returns:
      The metrics (name -> (value, update)), the loss per replica, the model's hooks, the scaffold
      and the hooks that the input needs.
    """
    features, labels, hooks = _input(estimator, strategy, input_fn, ModeKeys.EVAL)
    specs = strategy.extended.call_for_each_replica(
        estimator._call_model_fn, args=(features, labels, ModeKeys.EVAL, estimator.config)
    )
    metrics = {
        name: (_first(strategy, value), strategy.group(update))
        for name, (value, update) in specs.eval_metric_ops.items()
    }
    spec_hooks = _of_the_first(strategy, specs.evaluation_hooks)
    return metrics, specs.loss, spec_hooks, _scaffold(strategy, specs.scaffold), hooks


def mean_loss(strategy: Any, loss: Any) -> tuple[Any, Any]:
    """The metric of the replicas' losses: value and update."""
    value, update = strategy.extended.call_for_each_replica(tf.metrics.mean, args=(loss,))
    return _first(strategy, value), strategy.group(update)


def _first(strategy: Any, value: Any) -> Any:
    return strategy.experimental_local_results(value)[0]


def _of_the_first(strategy: Any, hooks: Any) -> list[Any]:
    """The hooks of the first replica: one may do for all, or there is one of each."""
    return [_first(strategy, hook) for hook in _first(strategy, hooks)]


def _scaffold(strategy: Any, scaffolds: Any) -> Any:
    """One Scaffold of all replicas': operations together, the rest from the first one."""
    each = strategy.experimental_local_results(scaffolds)

    def together(name: str) -> Any:
        found = [getattr(s, name) for s in each if getattr(s, name) is not None]
        return tf.group(*found) if found else None

    def all_ready(name: str) -> Any:
        found = [getattr(s, name) for s in each if getattr(s, name) is not None]
        if len(found) > 1:
            return tf.concat([tf.reshape(f, [-1]) for f in found], 0)
        return found[0] if found else None

    return tf.train.Scaffold(
        init_op=together("init_op"),
        ready_op=all_ready("ready_op"),
        ready_for_local_init_op=all_ready("ready_for_local_init_op"),
        local_init_op=together("local_init_op"),
        summary_op=together("summary_op"),
        copy_from_scaffold=each[0],
    )
