"""contrib.learn's `Estimator`: fit, evaluate, predict and export what an older model_fn builds."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _checks, _keras_graph, util
from migrate.estimator_shim.contrib.learn import _feeding, monitors
from migrate.estimator_shim.contrib.learn.model_fn import ModeKeys, ModelFnOps
from migrate.estimator_shim.contrib.learn.run_config import RunConfig
from migrate.estimator_shim.contrib.learn.trainable import Evaluable, Trainable

__all__ = [
    "BaseEstimator",
    "Estimator",
    "NotFittedError",
    "SKCompat",
    "infer_real_valued_columns_from_input",
    "infer_real_valued_columns_from_input_fn",
]

_LOSS, _STEP = "loss", "global_step"


class NotFittedError(ValueError, AttributeError):
    """There is no checkpoint yet."""


def _check_inputs(x: Any, y: Any, input_fn: Any, feed_fn: Any, batch_size: Any) -> None:
    if x is None and y is None and input_fn is None:
        raise ValueError("Give x (and y) or input_fn. Received: neither")
    if input_fn is None:
        if x is None:
            raise ValueError(f"y needs x. Received: x=None, y={y!r}")
        if feed_fn is not None:
            raise ValueError(f"feed_fn belongs to an input_fn. Received: {feed_fn!r} without one")
    else:
        if x is not None or y is not None:
            raise ValueError("Give x and y or input_fn, not both. Received: both")
        if batch_size is not None:
            raise ValueError(f"batch_size is for x and y. Received: {batch_size} with an input_fn")


class BaseEstimator(Evaluable, Trainable):
    """The part that does not know of model_fns. Use `Estimator`."""

    _Config = RunConfig

    def __init__(self, model_dir: str | None = None, config: Any = None) -> None:
        """Settles model_dir and config.

        Args:
          model_dir: Where to save; None for the config's, or else a temporary folder.
          config: A `RunConfig` of contrib.learn or of ``tf.estimator``.

        Raises:
          ValueError: If model_dir differs from the config's.
        """
        self._config = _checks.config_with_dir(config or self._Config(), model_dir)
        self._model_dir: str = self._config.model_dir
        self._session_config = self._config.session_config
        if self._session_config is None:
            self._session_config = tf.ConfigProto(allow_soft_placement=True)
        self._device_fn = _checks.replica_device_setter(self._config)
        self._signature: dict[str, Any] = {}

    @property
    def model_dir(self) -> str:
        """Where checkpoints and event files are."""
        return self._model_dir

    @property
    def config(self) -> Any:
        """A copy of the configuration."""
        return copy.deepcopy(self._config)

    @property
    def model_fn(self) -> Callable[..., Any]:
        """The model_fn with its ``params`` bound: takes features, labels, mode and config."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return self._call_model_fn(features, labels, mode, config=config)

        return public_model_fn

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], Any] | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Iterable[Any] | None = None,
        max_steps: int | None = None,
    ) -> Any:
        """Trains.

        Args:
          x: An array of features, in place of input_fn.
          y: An array of labels.
          input_fn: Returns (features, labels).
          steps: How many steps to make in this call.
          batch_size: The batches' size of x and y; 128 if not given.
          monitors: Monitors or ``SessionRunHook`` objects.
          max_steps: The global step to train to.

        Returns:
          self.

        Raises:
          ValueError: If steps and max_steps, or arrays and an input_fn, are both given.
        """
        if steps is not None and max_steps is not None:
            raise ValueError(
                f"Give steps or max_steps, not both. Received: steps={steps}, max_steps={max_steps}"
            )
        _check_inputs(x, y, input_fn, None, batch_size)
        if x is not None:
            SKCompat(self).fit(x, y, batch_size, steps, max_steps, monitors)
            return self
        latest = tf.train.latest_checkpoint(self._model_dir)
        if max_steps is not None and latest:
            if tf.train.NewCheckpointReader(latest).get_tensor(_STEP) >= max_steps:
                tf.logging.info("Skipping training: a checkpoint has reached max_steps.")
                return self
        hooks = _hooks(monitors, self)
        if steps is not None or max_steps is not None:
            hooks.append(tf.train.StopAtStepHook(steps, max_steps))
        loss = self._train(input_fn, hooks)
        tf.logging.info("Loss for final step: %s.", loss)
        return self

    def partial_fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], Any] | None = None,
        steps: int | None = 1,
        batch_size: int | None = None,
        monitors: Iterable[Any] | None = None,
    ) -> Any:
        """`fit` for one step."""
        return self.fit(x, y, input_fn, steps, batch_size, monitors)

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], Any] | None = None,
        feed_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Mapping[str, Any] | None = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Iterable[Any] | None = None,
        log_progress: bool = True,
    ) -> dict[str, Any]:
        """Evaluates a checkpoint.

        Args:
          x: An array of features, in place of input_fn.
          y: An array of labels.
          input_fn: Returns (features, labels).
          feed_fn: Returns what placeholders of the input_fn are fed with.
          batch_size: The batches' size of x and y; 128 if not given.
          steps: How many batches; None for all.
          metrics: Name -> `MetricSpec`.
          name: Sets apart evaluations on several data sets.
          checkpoint_path: Which checkpoint; None for the newest.
          hooks: ``SessionRunHook`` objects.
          log_progress: Whether to log how far it is.

        Returns:
          The value of each metric, "loss" and "global_step".

        Raises:
          ValueError: If arguments don't go together, or metrics is no dict.
          NotFittedError: If there is no checkpoint.
        """
        _check_inputs(x, y, input_fn, feed_fn, batch_size)
        if x is not None:
            return SKCompat(self).score(x, y, batch_size, steps, metrics, name)
        _check_metrics(metrics)
        given = list(hooks or [])
        if feed_fn:
            given.append(tf.train.FeedFnHook(feed_fn))
        return self._evaluate(input_fn, steps, metrics, name, checkpoint_path, given, log_progress)

    def predict(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        outputs: Iterable[str] | None = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Predicts.

        Args:
          x: An array of features, in place of input_fn.
          input_fn: Returns features or (features, labels).
          batch_size: The batches' size of x; 128 if not given.
          outputs: Which predictions; None for all.
          as_iterable: Whether to return an iterator over examples, or one batch.
          iterate_batches: Whether the iterator goes by batches.

        Returns:
          An iterator, or arrays.

        Raises:
          ValueError: If arguments don't go together, or outputs name nothing.
          NotFittedError: If there is no checkpoint.
        """
        _check_inputs(x, None, input_fn, None, batch_size)
        if x is not None and not as_iterable:
            return SKCompat(self).predict(x, batch_size or 128)
        feed_fn = None
        if x is not None:
            input_fn, feed_fn = _feeding.input_of(x, None, batch_size)
        run = self._infer(input_fn, feed_fn, outputs, as_iterable, iterate_batches)
        return run if as_iterable else next(run)

    def get_variable_value(self, name: str) -> Any:
        """The value of a variable in the newest checkpoint."""
        return tf.train.load_variable(self._model_dir, name)

    def get_variable_names(self) -> list[str]:
        """The names of the variables in the newest checkpoint."""
        return [name for name, _ in tf.train.list_variables(self._model_dir)]

    def _call_model_fn(
        self, features: Any, labels: Any, mode: str, metrics: Any = None, config: Any = None
    ) -> ModelFnOps:
        raise NotImplementedError(f"{type(self).__name__} has no model_fn")

    def _check_signature(self, features: Any, labels: Any) -> None:
        for what, values in (("features", features), ("labels", labels)):
            if values is None:
                continue
            named = values if isinstance(values, dict) else {"": values}
            found = {k: (v.dtype.base_dtype, v.shape[1:]) for k, v in named.items()}
            known = self._signature.setdefault(what, found)
            fits = set(known) <= set(found) and all(
                found[k][0] == dtype and found[k][1].is_compatible_with(shape)
                for k, (dtype, shape) in known.items()
            )
            if not fits:
                raise ValueError(
                    f"{what} must be like those of the first call: {known}. Received: {found}"
                )

    def _train(self, input_fn: Any, hooks: list[Any]) -> Any:
        config = self._config
        with _keras_graph.new_graph() as graph, graph.device(self._device_fn):
            tf.set_random_seed(config.tf_random_seed)
            step = tf.train.create_global_step(graph)
            features, labels, input_hooks = util.parse_input_fn_result(input_fn())
            self._check_signature(features, labels)
            ops = self._call_model_fn(features, labels, ModeKeys.TRAIN)
            tf.add_to_collection(tf.GraphKeys.LOSSES, ops.loss)
            shown = tf.train.LoggingTensorHook({"loss": ops.loss, "step": step}, every_n_iter=100)
            every = [*input_hooks, *hooks, tf.train.NanTensorHook(ops.loss), shown]
            scaffold = ops.scaffold or tf.train.Scaffold()
            if not (scaffold.saver or tf.get_collection(tf.GraphKeys.SAVERS)):
                tf.add_to_collection(
                    tf.GraphKeys.SAVERS,
                    tf.train.Saver(
                        sharded=True,
                        max_to_keep=config.keep_checkpoint_max,
                        keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
                        defer_build=True,
                        save_relative_paths=True,
                    ),
                )
            chief = []
            saving = config.save_checkpoints_secs or config.save_checkpoints_steps
            known = [*every, *ops.training_hooks, *ops.training_chief_hooks]
            if saving and not any(isinstance(h, tf.train.CheckpointSaverHook) for h in known):
                chief.append(
                    tf.train.CheckpointSaverHook(
                        self._model_dir,
                        save_secs=config.save_checkpoints_secs,
                        save_steps=config.save_checkpoints_steps,
                        scaffold=scaffold,
                    )
                )
            loss = None
            with tf.train.MonitoredTrainingSession(
                master=config.master,
                is_chief=config.is_chief,
                checkpoint_dir=self._model_dir,
                scaffold=scaffold,
                hooks=[*every, *ops.training_hooks],
                chief_only_hooks=[*chief, *ops.training_chief_hooks],
                save_checkpoint_secs=0,
                save_summaries_steps=config.save_summary_steps,
                max_wait_secs=config.session_creation_timeout_secs,
                config=self._session_config,
            ) as session:
                while not session.should_stop():
                    _, loss = session.run([ops.train_op, ops.loss])
        return loss

    def _checkpoint(self, path: str | None = None) -> str:
        found = path or tf.train.latest_checkpoint(self._model_dir)
        if not found:
            raise NotFittedError(
                f"There is no checkpoint in model_dir {self._model_dir!r} yet: call fit first"
            )
        return str(found)

    def _evaluate(
        self,
        input_fn: Any,
        steps: int | None,
        metrics: Any,
        name: str | None,
        checkpoint_path: str | None,
        hooks: list[Any],
        log_progress: bool = True,
    ) -> dict[str, Any]:
        from migrate.tf1_shim.contrib import training

        path = self._checkpoint(checkpoint_path)
        with _keras_graph.new_graph() as graph:
            tf.set_random_seed(self._config.tf_random_seed)
            step = tf.train.create_global_step(graph)
            features, labels, input_hooks = util.parse_input_fn_result(input_fn())
            self._check_signature(features, labels)
            ops = self._call_model_fn(features, labels, ModeKeys.EVAL, metrics)
            found = dict(ops.eval_metric_ops)
            found.setdefault(_LOSS, tf.metrics.mean(ops.loss))
            pairs = {k: v for k, v in found.items() if isinstance(v, (list, tuple)) and len(v) == 2}
            values = {k: v[0] if k in pairs else v for k, v in found.items()}
            values[_STEP] = step
            stop = [training.StopAfterNEvalsHook(steps, log_progress)] if steps else []
            result: dict[str, Any] = training.evaluate_once(
                checkpoint_path=path,
                master=self._config.evaluation_master,
                scaffold=ops.scaffold,
                eval_ops=tf.group(*[update for _, update in pairs.values()]),
                final_ops=values,
                hooks=[*input_hooks, *hooks, *stop],
                config=self._session_config,
            )
        folder = os.path.join(self._model_dir, "eval" if not name else f"eval_{name}")
        _write_summary(folder, result)
        return result

    def _infer(
        self,
        input_fn: Any,
        feed_fn: Callable[[], Any] | None,
        outputs: Iterable[str] | None,
        as_iterable: bool,
        by_batches: bool,
    ) -> Any:
        path = self._checkpoint()
        with _keras_graph.new_graph() as graph:
            tf.set_random_seed(self._config.tf_random_seed)
            tf.train.create_global_step(graph)
            features, _, input_hooks = util.parse_input_fn_result(input_fn())
            ops = self._call_model_fn(features, self._label_placeholders(), ModeKeys.INFER)
            wanted = _wanted(ops.predictions, outputs)
            ends = bool(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS) or feed_fn or input_hooks)
            creator = tf.train.ChiefSessionCreator(
                scaffold=ops.scaffold,
                config=self._session_config,
                checkpoint_filename_with_path=path,
            )
            session = tf.train.MonitoredSession(creator, input_hooks)
        return _predictions(graph, session, wanted, feed_fn, ends and as_iterable, by_batches
                            or not as_iterable)  # fmt: skip

    def _label_placeholders(self) -> Any:
        """What stands for labels in a model_fn that asks for them although it is to predict."""
        known = self._signature.get("labels")
        if known is None:
            return None
        made = {k: tf.placeholder(t, [None, *s.as_list()]) for k, (t, s) in known.items()}
        return made[""] if set(made) == {""} else made


def _predictions(
    graph: Any, session: Any, wanted: Any, feed_fn: Any, ends: bool, by_batches: bool
) -> Any:
    with session:
        while not session.should_stop():
            with graph.as_default():
                batch = session.run(wanted, feed_fn() if feed_fn else None)
            if by_batches:
                yield batch
            elif isinstance(batch, dict):
                rows = len(next(iter(batch.values())))
                yield from ({k: v[i] for k, v in batch.items()} for i in range(rows))
            else:
                yield from batch
            if not ends:
                return


def _wanted(predictions: Any, outputs: Iterable[str] | None) -> Any:
    if not outputs:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError(f"outputs choose from a dict of predictions. Received: {predictions!r}")
    found = {k: v for k, v in predictions.items() if k in outputs}
    if not found:
        raise ValueError(
            f"outputs must name some of the predictions {sorted(predictions)}. "
            f"Received: {outputs!r}"
        )
    return found


def _check_metrics(metrics: Any) -> None:
    if metrics is not None and not isinstance(metrics, dict):
        raise ValueError(f"metrics must be a dict: name -> MetricSpec. Received: {metrics!r}")


def _hooks(found: Iterable[Any] | None, estimator: Any) -> list[Any]:
    return monitors.replace_monitors_with_hooks(found, estimator)


def _write_summary(folder: str, values: dict[str, Any]) -> None:
    summary = tf.Summary()
    for name, value in values.items():
        if name == _STEP or value is None:
            continue
        if isinstance(value, (float, int, np.float32, np.int32, np.int64)):
            summary.value.add(tag=name, simple_value=float(value))
        elif isinstance(value, np.ndarray):
            added = summary.value.add(tag=name, node_name=name)
            added.tensor.CopyFrom(tf.make_tensor_proto(value))
        else:
            tf.logging.warn("No summary for %s: it is no number and no array.", name)
    with tf.Graph().as_default():  # eagerly none can be made
        writer = tf.summary.FileWriterCache.get(folder)
    writer.add_summary(summary, values[_STEP])
    writer.flush()


class Estimator(BaseEstimator):
    """Trains, evaluates, predicts and exports what a model_fn of contrib.learn builds.

    The model_fn takes ``features, labels`` and, by name, what it wants of ``mode``, ``params``,
    ``config`` and ``model_dir``. It returns `ModelFnOps` or a tuple (predictions, loss, train_op).
    Checkpoints and event files are those of TF 1.15. `migrate.estimator_shim.Estimator` is newer.
    """

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: str | None = None,
        config: Any = None,
        params: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        """Checks the arguments.

        Args:
          model_fn: See above.
          model_dir: Where to save.
          config: A `RunConfig`.
          params: Passed to the model_fn.
          feature_engineering_fn: From (features, labels) to others, before the model_fn.

        Raises:
          ValueError: If params are given to a model_fn that does not take them.
        """
        super().__init__(model_dir, config)
        names = util.fn_args(model_fn) if model_fn is not None else ()
        if params is not None and model_fn is not None and "params" not in names:
            raise ValueError(
                f"model_fn must take `params`, since params={params!r} are given. "
                f"Received: a model_fn of {names}"
            )
        self._model_fn = model_fn
        self.params = params
        self._engineer = feature_engineering_fn

    def _call_model_fn(
        self, features: Any, labels: Any, mode: str, metrics: Any = None, config: Any = None
    ) -> ModelFnOps:
        if self._engineer is not None:
            features, labels = self._engineer(features, labels)
        given = {
            "mode": mode,
            "params": self.params,
            "config": config or self.config,
            "model_dir": self.model_dir,
        }
        assert self._model_fn is not None
        names = util.fn_args(self._model_fn)
        kwargs = {k: v for k, v in given.items() if k in names}
        ops = self._model_fn(features, labels, **kwargs)
        if not isinstance(ops, ModelFnOps):
            if not isinstance(ops, (list, tuple)) or len(ops) != 3:
                raise ValueError(
                    "model_fn must return ModelFnOps or (predictions, loss, train_op). "
                    f"Received: {ops!r}"
                )
            predictions, loss, train_op = ops
            ops = ModelFnOps(mode, predictions, loss, train_op)
        for name, spec in (metrics or {}).items():
            if not hasattr(spec, "create_metric_ops"):
                raise ValueError(
                    f"metrics must be MetricSpec objects. Received: {name!r}: {spec!r}"
                )
            made = spec.create_metric_ops(features, labels, ops.predictions)
            ops.eval_metric_ops[name] = made
        return ops

    def export_savedmodel(
        self,
        export_dir_base: str,
        serving_input_fn: Callable[[], Any],
        default_output_alternative_key: str | None = None,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        graph_rewrite_specs: Any = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Writes a SavedModel into a new folder, named by the time.

        Args:
          export_dir_base: The folder of the exports.
          serving_input_fn: Returns `InputFnOps`.
          default_output_alternative_key: Which output alternative is the default signature.
          assets_extra: Destination (relative to ``assets.extra``) -> file to copy.
          as_text: Whether to write ``saved_model.pbtxt``.
          checkpoint_path: Which checkpoint; None for the newest.
          graph_rewrite_specs: Must be None: TF 2.21 has no graph transforms.
          strip_default_attrs: Whether to leave out attributes that have their default value.

        Returns:
          The path of the new folder, as bytes.

        Raises:
          ValueError: If serving_input_fn is None, or no output alternative is the default.
          NotFittedError: If there is no checkpoint.
          NotImplementedError: If graph_rewrite_specs are given.
        """
        from migrate.estimator_shim.contrib.learn.utils import saved_model_export_utils

        if serving_input_fn is None:
            raise ValueError("export_savedmodel needs serving_input_fn. Received: None")
        if graph_rewrite_specs is not None:
            raise NotImplementedError(
                "export_savedmodel(graph_rewrite_specs=...): TF 2.21 has no graph transforms. "
                f"Received: {graph_rewrite_specs!r}"
            )
        path = self._checkpoint(checkpoint_path)
        return saved_model_export_utils.export(
            self,
            export_dir_base,
            serving_input_fn,
            default_output_alternative_key,
            assets_extra,
            as_text,
            path,
            strip_default_attrs,
        )


class SKCompat:
    """An Estimator of contrib.learn with scikit-learn's ``fit``, ``score`` and ``predict``."""

    def __init__(self, estimator: BaseEstimator) -> None:
        """Wraps it.

        Args:
          estimator: The Estimator.
        """
        self._estimator = estimator

    def fit(
        self,
        x: Any,
        y: Any,
        batch_size: int | None = 128,
        steps: int | None = None,
        max_steps: int | None = None,
        monitors: Iterable[Any] | None = None,
    ) -> SKCompat:
        """Trains on arrays in a random order, over and over. See `Estimator.fit`."""
        input_fn, feed_fn = _feeding.input_of(x, y, batch_size, shuffle=True, epochs=None)
        hooks = [tf.train.FeedFnHook(feed_fn), *(monitors or [])]
        self._estimator.fit(input_fn=input_fn, steps=steps, max_steps=max_steps, monitors=hooks)
        return self

    def score(
        self,
        x: Any,
        y: Any,
        batch_size: int | None = 128,
        steps: int | None = None,
        metrics: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluates on arrays. See `Estimator.evaluate`."""
        _check_metrics(metrics)
        input_fn, feed_fn = _feeding.input_of(x, y, batch_size)
        hooks = [tf.train.FeedFnHook(feed_fn)]
        return self._estimator._evaluate(input_fn, steps, metrics, name, None, hooks)

    def predict(
        self, x: Any, batch_size: int | None = 128, outputs: Iterable[str] | None = None
    ) -> Any:
        """Predicts for an array of features.

        Args:
          x: The features.
          batch_size: The batches' size.
          outputs: Which predictions; None for all.

        Returns:
          An array, or a dict of arrays.
        """
        input_fn, feed_fn = _feeding.input_of(x, None, batch_size)
        parts = list(self._estimator._infer(input_fn, feed_fn, outputs, True, True))
        if not isinstance(parts[0], dict):
            return np.concatenate(parts, axis=0)
        return {key: np.concatenate([p[key] for p in parts], axis=0) for key in parts[0]}


def infer_real_valued_columns_from_input_fn(input_fn: Callable[[], Any]) -> list[Any]:
    """Numeric columns for all features of an input_fn.

    Args:
      input_fn: Returns (features, labels); features are tensors [batch, n].

    Returns:
      ``tf.feature_column.numeric_column`` objects; that of a single tensor is called "".
    """
    with tf.Graph().as_default():
        features, _, _ = util.parse_input_fn_result(input_fn())
        named = features if isinstance(features, dict) else {"": features}
        return [
            tf.feature_column.numeric_column(
                key, shape=tuple(t.shape[1:].as_list()) or (1,), dtype=t.dtype
            )
            for key, t in sorted(named.items())
        ]


def infer_real_valued_columns_from_input(x: Any) -> list[Any]:
    """Numeric columns for an array of features. See `infer_real_valued_columns_from_input_fn`.

    Args:
      x: An array [rows, n], or a dict of these.

    Returns:
      ``tf.feature_column.numeric_column`` objects.
    """
    input_fn, _ = _feeding.input_of(x, None, None)
    return infer_real_valued_columns_from_input_fn(input_fn)
