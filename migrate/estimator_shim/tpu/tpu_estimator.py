"""`TPUEstimator`: an Estimator that tells its functions the batch size, on CPU, GPU or TPU."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _checks, util
from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec
from migrate.estimator_shim.tpu import _cores
from migrate.estimator_shim.tpu.tpu_config import InputPipelineConfig, RunConfig, loop_length
from migrate.estimator_shim.tpu.tpu_spec import TPUEstimatorSpec

__all__ = ["ExamplesPerSecondHook", "ExportSavedModelApiVersion", "TPUEstimator"]

_RESERVED = ("batch_size", "context")


class ExportSavedModelApiVersion(enum.Enum):
    """Which graph `export_saved_model` makes for TPUs. None is made here."""

    V1 = 1
    V2 = 2


class ExamplesPerSecondHook(tf.train.StepCounterHook):
    """Logs, and writes summaries of, "global_step/sec" and "examples/sec"."""

    def __init__(
        self,
        batch_size: int,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        """Sets when to log.

        Args:
          batch_size: The examples of a step.
          every_n_steps: Steps between two lines.
          every_n_secs: Seconds between two lines; not together with `every_n_steps`.
          output_dir: Where to write summaries.
          summary_writer: A writer, in place of `output_dir`.
        """
        self._batch_size = batch_size
        super().__init__(
            every_n_steps=every_n_steps,
            every_n_secs=every_n_secs,
            output_dir=output_dir,
            summary_writer=summary_writer,
        )

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        steps = elapsed_steps / elapsed_time
        for tag, value in (("global_step/sec", steps), ("examples/sec", self._batch_size * steps)):
            if self._summary_writer is not None:
                summary = tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)])
                self._summary_writer.add_summary(summary, global_step)
            tf.logging.info("%s: %g", tag, value)


class TPUEstimator(Estimator):
    """An `Estimator` whose functions find the batch size in ``params["batch_size"]``.

    Input_fns and model_fns must take ``params``. Besides "batch_size" these have "use_tpu" in
    model_fns. A model_fn returns a `TPUEstimatorSpec`, or without a TPU an `EstimatorSpec`.

    With ``use_tpu=True`` the model_fn runs on each core of a TPU, see `_cores`; training,
    evaluation and prediction raise `RuntimeError` where there is no TPU.
    """

    def __init__(
        self,
        model_fn: Any = None,
        model_dir: str | None = None,
        config: Any = None,
        params: Any = None,
        use_tpu: bool = True,
        train_batch_size: int | None = None,
        eval_batch_size: int | None = None,
        predict_batch_size: int | None = None,
        batch_axis: Any = None,
        eval_on_tpu: bool = True,
        export_to_tpu: bool = True,
        export_to_cpu: bool = True,
        warm_start_from: Any = None,
        embedding_config_spec: Any = None,
        export_saved_model_api_version: Any = ExportSavedModelApiVersion.V1,
    ) -> None:
        """Checks the arguments; nothing is built yet.

        Args:
          model_fn: Builds the model; takes ``params``.
          model_dir: Where to save: see `Estimator`.
          config: A `RunConfig` of this package; required.
          params: A dict, or an object with ``add_hparam``. "batch_size" and "context" are
            reserved.
          use_tpu: Whether to run on TPUs.
          train_batch_size: ``params["batch_size"]`` in training.
          eval_batch_size: The same in evaluation.
          predict_batch_size: The same in prediction.
          batch_axis: The axes along which batches are cut over TPU cores: without effect without a
            TPU, as in TF1; with ``use_tpu=True`` only the first, 0.
          eval_on_tpu: Whether to evaluate on TPUs as well.
          export_to_tpu: Whether exports have a second graph, for TPUs. It is left out here, with
            a warning.
          export_to_cpu: Whether exports have a graph for CPUs and GPUs; must be true here.
          warm_start_from: See `Estimator`.
          embedding_config_spec: Embeddings on TPUs; must be None here.
          export_saved_model_api_version: An `ExportSavedModelApiVersion`.

        Raises:
          ValueError: If an argument is missing or wrong.
          NotImplementedError: For embeddings on TPUs, exports for TPUs only, and batches that are
            cut along another axis than the first.
        """
        if not isinstance(config, RunConfig):
            raise ValueError(
                "TPUEstimator needs config, a RunConfig of migrate.estimator_shim.tpu (what was "
                f"tf.contrib.tpu.RunConfig). Received: {config!r}"
            )
        if params is not None and any(key in params for key in _RESERVED):
            raise ValueError(f"params must not have {' or '.join(_RESERVED)}. Received: {params!r}")
        if use_tpu:
            if train_batch_size is None:
                raise ValueError("TPUEstimator with use_tpu=True needs train_batch_size")
            sizes = {"train": train_batch_size, "eval": eval_batch_size}
            sizes["predict"] = predict_batch_size
            _checks.check_positive(**{f"{k}_batch_size": v for k, v in sizes.items()})
            if any(tf.nest.flatten(batch_axis)):
                raise NotImplementedError(
                    "TPUEstimator(batch_axis=...) with use_tpu=True cuts batches along axis 0. "
                    f"Received: {batch_axis!r}"
                )
        if embedding_config_spec is not None:
            raise NotImplementedError(
                "TPUEstimator(embedding_config_spec=...) is not in this package; "
                "tf.tpu.experimental.embedding has embeddings on TPUs. "
                f"Received: {embedding_config_spec!r}"
            )
        if not export_to_cpu:
            raise NotImplementedError(
                "TPUEstimator(export_to_cpu=False): exports for TPUs are not in this package, only "
                "those for CPUs and GPUs"
            )
        if not isinstance(export_saved_model_api_version, ExportSavedModelApiVersion):
            raise ValueError(
                "export_saved_model_api_version must be an ExportSavedModelApiVersion. "
                f"Received: {export_saved_model_api_version!r}"
            )
        _checks.check_model_fn(model_fn, params)
        self._user_model_fn = model_fn
        self._use_tpu, self._eval_on_tpu, self._export_to_tpu = use_tpu, eval_on_tpu, export_to_tpu
        self._batch_sizes = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }
        length, in_seconds = loop_length(config.tpu_config.iterations_per_loop)
        every = config.log_step_count_steps
        self._log_steps = None if in_seconds or every is None else math.ceil(every / length)
        self._log_secs = length if in_seconds else None
        self._has_input = False
        self._running_on: _cores.Cores | None = None
        super().__init__(
            model_fn=self._augmented,
            model_dir=model_dir,
            config=config.replace(log_step_count_steps=None),
            params=params or {},
            warm_start_from=warm_start_from,
        )

    def _check_overrides(self) -> None:
        """This class may override what users' classes must not."""
        if type(self) is not TPUEstimator:
            ours = {m for m in {**vars(Estimator), **vars(TPUEstimator)} if not m.startswith("__")}
            clash = sorted(ours & set(vars(type(self))))
            if clash:
                raise ValueError(
                    "Subclasses of TPUEstimator must not override its members; give them another "
                    f"model_fn instead. Received: {type(self).__name__} overrides "
                    f"{', '.join(clash)}"
                )

    def _cores_for(self, mode: str) -> _cores.Cores | None:
        """The TPU that runs a mode; None for CPU or GPU.

        Raises:
          RuntimeError: If there should be one and is none.
        """
        if not self._use_tpu or (mode == ModeKeys.EVAL and not self._eval_on_tpu):
            return None
        return _cores.Cores(_cores.find(self.config), self.config)

    def train(
        self,
        input_fn: Callable[..., Any],
        hooks: Iterable[Any] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Iterable[Any] | None = None,
    ) -> Estimator:
        """See `Estimator`; with ``use_tpu=True`` steps or max_steps must be given, as in TF1."""
        if self._use_tpu and steps is None and max_steps is None:
            raise ValueError("TPUEstimator.train with use_tpu=True needs steps or max_steps")
        self._running_on = self._cores_for(ModeKeys.TRAIN)
        try:
            return super().train(input_fn, hooks, steps, max_steps, saving_listeners)
        finally:
            self._running_on = None

    def evaluate(
        self,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Iterable[Any] | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """See `Estimator`; on a TPU steps must be given, as in TF1."""
        self._running_on = self._cores_for(ModeKeys.EVAL)
        if steps is None and self._running_on is not None:
            raise ValueError("TPUEstimator.evaluate on a TPU needs steps")
        try:
            return super().evaluate(input_fn, steps, hooks, checkpoint_path, name)
        finally:
            self._running_on = None

    def _create_global_step(self, graph: Any) -> Any:
        """A resource, as in TF1: schedules read it anew where a reference would be read once."""
        with graph.as_default(), graph.name_scope(None):
            return tf.get_variable(
                tf.GraphKeys.GLOBAL_STEP,
                shape=[],
                dtype=tf.int64,
                initializer=tf.zeros_initializer(),
                trainable=False,
                use_resource=True,
                aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA,
                collections=[tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.GLOBAL_STEP],
            )

    def _create_and_assert_global_step(self, graph: Any) -> Any:
        if self._running_on is None:
            return super()._create_and_assert_global_step(graph)
        with self._running_on.strategy.scope():
            return super()._create_and_assert_global_step(graph)

    def _build_replicated(self, input_fn: Callable[..., Any], mode: str) -> Any:
        cores = self._cores_for(mode)
        if cores is None:
            return None
        spec, hooks = _cores.build(self, cores, input_fn, mode, self._batch_sizes[mode])
        return self._with_speed(spec, mode), hooks

    def _call_input_fn(
        self, input_fn: Callable[..., Any], mode: str, input_context: Any = None
    ) -> Any:
        names = util.fn_args(input_fn)
        if "params" not in names:
            raise ValueError(
                "The input_fn of a TPUEstimator must take `params`, in which it finds "
                f'params["batch_size"]. Received: an input_fn of {names}'
            )
        cores = self._cores_for(mode)
        sliced = InputPipelineConfig.SLICED
        if self.config.tpu_config.eval_training_input_configuration == sliced:  # type: ignore[attr-defined]
            raise ValueError("TPUConfig: eval_training_input_configuration=SLICED is not here")
        self._has_input = True
        kwargs: dict[str, Any] = {"params": self.params}
        size = self._batch_sizes[mode]
        if size is not None:
            _add(kwargs["params"], "batch_size", cores.sizes(size, mode)[0] if cores else size)
        if "config" in names:
            kwargs["config"] = self.config
        if "mode" in names:
            kwargs["mode"] = mode
        if "input_context" in names:
            kwargs["input_context"] = input_context
        with tf.device("/device:CPU:0"):
            return input_fn(**kwargs)

    def _augmented(
        self, features: Any, labels: Any, mode: str, config: Any, params: Any
    ) -> EstimatorSpec:
        """The user's model_fn, with what TPUEstimator adds to its parameters and hooks."""
        exporting, self._has_input = not self._has_input, False
        size = None if exporting else self._batch_sizes[mode]
        tf.logging.info("Running %s on CPU", mode)
        spec = self._call_user(features, labels, mode, config, params, size, False)
        if isinstance(spec, TPUEstimatorSpec):
            spec = spec.as_estimator_spec()
        return self._with_speed(spec, mode)

    def _call_user_model_fn(self, features: Any, labels: Any, mode: str, size: int) -> Any:
        """Calls the model_fn on a core, for which a batch has so many examples."""
        return self._call_user(features, labels, mode, self.config, self.params, size, True)

    def _call_user(
        self,
        features: Any,
        labels: Any,
        mode: str,
        config: Any,
        params: Any,
        size: int | None,
        on_tpu: bool,
    ) -> Any:
        names = util.fn_args(self._user_model_fn)
        if "params" not in names:
            raise ValueError(
                "The model_fn of a TPUEstimator must take `params`, in which it finds "
                f'params["batch_size"]. Received: a model_fn of {names}'
            )
        if size is not None:
            _add(params, "batch_size", size)
        _add(params, "use_tpu", on_tpu)
        given = {"labels": labels, "mode": mode, "config": config, "params": params}
        if "labels" not in names and labels is not None:
            raise ValueError(
                "The input_fn returns labels, but model_fn has no argument `labels`. "
                f"Received: a model_fn of {names}"
            )
        spec = self._user_model_fn(
            features=features, **{k: v for k, v in given.items() if k in names}
        )
        if not isinstance(spec, TPUEstimatorSpec) and (
            on_tpu or not isinstance(spec, EstimatorSpec)
        ):
            raise ValueError(
                "The model_fn of a TPUEstimator must return a TPUEstimatorSpec, or an "
                f"EstimatorSpec if it does not run on a TPU. Received: {spec!r}"
            )
        return spec

    def _with_speed(self, spec: EstimatorSpec, mode: str) -> EstimatorSpec:
        """The spec with the hook that logs examples per second."""
        size = self._batch_sizes.get(mode)
        if size is None or (self._log_steps is None and self._log_secs is None):
            return spec
        hook = ExamplesPerSecondHook(
            size,
            output_dir=self.model_dir if self.config.save_summary_steps else None,
            every_n_steps=self._log_steps,
            every_n_secs=self._log_secs,
        )
        return spec._replace(training_hooks=(*spec.training_hooks, hook))

    def experimental_export_all_saved_models(
        self,
        export_dir_base: str,
        input_receiver_fn_map: Mapping[str, Callable[[], Any]],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
    ) -> bytes:
        """See `Estimator`. The graph for TPUs that TF1 added is left out."""
        self._warn_of_export()
        return super().experimental_export_all_saved_models(
            export_dir_base, input_receiver_fn_map, assets_extra, as_text, checkpoint_path
        )

    def export_savedmodel(
        self,
        export_dir_base: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """See `Estimator`. The graph for TPUs that TF1 added is left out."""
        self._warn_of_export()
        return super().export_savedmodel(
            export_dir_base,
            serving_input_receiver_fn,
            assets_extra,
            as_text,
            checkpoint_path,
            strip_default_attrs,
        )

    def _warn_of_export(self) -> None:
        self._has_input = False
        if self._export_to_tpu:
            tf.logging.warning(
                "TPUEstimator: the export has no graph for TPUs (export_to_tpu=True); it has the "
                "one for CPUs and GPUs"
            )


def _add(params: Any, key: str, value: Any) -> None:
    """Set an entry of a dict or of HParams."""
    if not hasattr(params, "set_hparam"):
        params[key] = value
    elif key in params:
        params.set_hparam(key, value)
    else:
        params.add_hparam(key, value)
