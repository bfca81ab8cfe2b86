"""`Estimator`: trains, evaluates, predicts and exports what a model_fn builds."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _checks, _evaluate, _export, _predict, _train, util
from migrate.estimator_shim import run_config as run_config_lib
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec
from migrate.estimator_shim.warm_starting import VocabInfo, WarmStartSettings, settings_from

__all__ = [
    "Estimator",
    "EstimatorV2",
    "VocabInfo",
    "WarmStartSettings",
    "_load_global_step_from_checkpoint_dir",
]


#: What subclasses may override all the same, as in TF1.
_MAY_OVERRIDE = {"_create_and_assert_global_step", "model_fn"}


class Estimator:
    """Trains and evaluates the model that a ``model_fn`` builds, and writes down its state.

    Every call of `train`, `evaluate`, `predict` and `export_saved_model` builds a graph of its own
    with the model_fn, runs it in a session, and leaves nothing behind but files below `model_dir`:
    checkpoints, ``graph.pbtxt``, and event files for TensorBoard. A second `train`, in this or in
    another process, continues from the newest checkpoint; TF 1.15's checkpoints are continued, and
    TF 1.15 continues these.

    ``model_fn`` returns an `EstimatorSpec` and takes, by name and in any order, ``features``, and
    what it wants of ``labels``, ``mode``, ``params`` and ``config``.

    ``input_fn`` returns a ``tf.data.Dataset`` or tensors: features, or (features, labels). It may
    take ``params``, ``config`` and ``mode``.

    Subclasses give their model_fn to ``super().__init__``; they must not override the methods
    below.
    """

    def __init__(
        self,
        model_fn: Callable[..., EstimatorSpec],
        model_dir: str | None = None,
        config: run_config_lib.RunConfig | None = None,
        params: Any = None,
        warm_start_from: Any = None,
    ) -> None:
        """Checks the arguments; nothing is built yet.

        Args:
          model_fn: Builds the model.
          model_dir: Where to save; None for what ``config`` says, or else a temporary folder.
          config: A `RunConfig`; None for its defaults.
          params: Passed to the model_fn and to input_fns that take ``params``; copied.
          warm_start_from: Where variables start from while there is no checkpoint in model_dir: a
            checkpoint, a SavedModel or `WarmStartSettings`.

        Raises:
          ValueError: If model_fn is missing or has wrong arguments, or model_dir differs from the
            config's, or the class overrides what it must not.
        """
        self._check_overrides()
        if model_fn is None:
            raise ValueError("Estimator needs a model_fn. Received: model_fn=None")
        self._config = _checks.config_with_dir(config, model_dir)
        self._model_dir: str = self._config.model_dir
        self._session_config = self._config.session_config
        self._device_fn = self._config.device_fn or _checks.replica_device_setter(self._config)
        _checks.check_model_fn(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_settings = settings_from(warm_start_from)

    @property
    def model_dir(self) -> str:
        """Where checkpoints and event files are."""
        return self._model_dir

    @property
    def config(self) -> run_config_lib.RunConfig:
        """A copy of the configuration, with its model_dir set."""
        return copy.deepcopy(self._config)

    @property
    def params(self) -> Any:
        """A copy of the parameters."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., EstimatorSpec]:
        """The model_fn with its ``params`` bound: takes features, labels, mode and config."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return self._call_model_fn(features, labels, mode, config)

        return public_model_fn

    def get_variable_value(self, name: str) -> Any:
        """The value of a variable in the newest checkpoint.

        Args:
          name: The variable's name, such as "dense/kernel".

        Returns:
          An array.

        Raises:
          ValueError: If there is no checkpoint yet.
        """
        return self._reader().get_tensor(name.removesuffix(":0"))

    def get_variable_names(self) -> list[str]:
        """The names of the variables in the newest checkpoint.

        Returns:
          The names, sorted.

        Raises:
          ValueError: If there is no checkpoint yet.
        """
        return sorted(self._reader().get_variable_to_shape_map())

    def _reader(self) -> Any:
        path = self.latest_checkpoint()
        if not path:
            raise ValueError(
                f"There is no checkpoint in model_dir {self._model_dir!r} yet: train first"
            )
        return tf.train.NewCheckpointReader(path)

    def latest_checkpoint(self) -> str | None:
        """The path of the newest checkpoint, or None."""
        path: str | None = tf.train.latest_checkpoint(self._model_dir)
        return path

    def eval_dir(self, name: str | None = None) -> str:
        """Where `evaluate` writes its event files.

        Args:
          name: The name of the evaluation, if it has one.

        Returns:
          The folder ``eval`` or ``eval_<name>`` below model_dir.
        """
        return os.path.join(self._model_dir, "eval" if not name else f"eval_{name}")

    def train(
        self,
        input_fn: Callable[..., Any],
        hooks: Iterable[Any] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Iterable[Any] | None = None,
    ) -> Estimator:
        """Trains until the input ends, or for so many steps.

        Args:
          input_fn: The training data.
          hooks: More ``SessionRunHook`` objects.
          steps: How many steps to make in this call. Two calls with ``steps=100`` make 200.
          max_steps: The global step to train to. Does nothing if a checkpoint is there already.
          saving_listeners: ``CheckpointSaverListener`` objects, called around each save.

        Returns:
          self.

        Raises:
          ValueError: If steps and max_steps are both given, or not positive, or TF_CONFIG makes
            this process a parameter server or an evaluator.
        """
        if self._config.task_type in ("ps", "evaluator"):
            raise ValueError(
                "Estimator.train: this process does not train; train_and_evaluate plays each part. "
                f"Received: TF_CONFIG with the task {self._config.task_type!r}"
            )
        if steps is not None and max_steps is not None:
            raise ValueError(
                f"Give steps or max_steps, not both. Received: steps={steps}, max_steps={max_steps}"
            )
        _checks.check_positive(steps=steps, max_steps=max_steps)
        hooks = util.check_hooks(hooks)
        saving_listeners = util.check_listeners(saving_listeners)
        if max_steps is not None and _train.saved_step(self._model_dir) >= max_steps:
            tf.logging.info("Skipping training: a checkpoint has reached max_steps=%d.", max_steps)
            return self
        loss = _train.train(self, input_fn, hooks, steps, max_steps, saving_listeners)
        if loss is not None:
            tf.logging.info("Loss for final step: %s.", loss)
        return self

    def evaluate(
        self,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Iterable[Any] | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluates a checkpoint on the data of ``input_fn``.

        Args:
          input_fn: The evaluation data.
          steps: How many batches; None for all.
          hooks: More ``SessionRunHook`` objects.
          checkpoint_path: Which checkpoint; None for the newest. Without any the model is
            evaluated as it is initialised.
          name: Sets apart evaluations on several data sets: see `eval_dir`.

        Returns:
          The value of each metric, "loss" and "global_step". They are also written to the event
          files of `eval_dir`.

        Raises:
          ValueError: If steps is not positive.
        """
        _checks.check_positive(steps=steps)
        hooks = util.check_hooks(hooks)
        return _evaluate.evaluate(self, input_fn, steps, hooks, checkpoint_path, name)

    def predict(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Any = None,
        hooks: Iterable[Any] | None = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Yields predictions. A generator: nothing is done before its first value is asked for.

        Args:
          input_fn: The data; labels are ignored. It must end (or the caller must stop asking).
          predict_keys: The name or names of the predictions to compute, of a dict; None for all.
          hooks: More ``SessionRunHook`` objects.
          checkpoint_path: Which checkpoint; None for the newest, or else initial values.
          yield_single_examples: Whether to yield example by example, or batch by batch.

        Yields:
          The predictions: a dict of arrays, or an array if the model_fn's predictions are a
          tensor.

        Raises:
          ValueError: If predict_keys name nothing, or predictions have different batch sizes.
        """
        hooks = util.check_hooks(hooks)
        yield from _predict.predict(
            self, input_fn, predict_keys, hooks, checkpoint_path, yield_single_examples
        )

    def export_saved_model(
        self,
        export_dir_base: str,
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> bytes:
        """Writes a SavedModel into a new folder, named by the time, below ``export_dir_base``.

        Args:
          export_dir_base: The folder of the exports.
          serving_input_receiver_fn: Returns a `ServingInputReceiver`.
          assets_extra: Destination (relative to ``assets.extra``) -> file to copy.
          as_text: Whether to write ``saved_model.pbtxt``.
          checkpoint_path: Which checkpoint; None for the newest.
          experimental_mode: The mode to export; "train" and "eval" need a receiver of features and
            labels (`experimental.build_raw_supervised_input_receiver_fn`).

        Returns:
          The path of the new folder, as bytes.

        Raises:
          ValueError: If there is no checkpoint, or no signature.
        """
        receivers = {experimental_mode: serving_input_receiver_fn}
        return self.experimental_export_all_saved_models(
            export_dir_base, receivers, assets_extra, as_text, checkpoint_path
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
        """The older name of `export_saved_model`.

        Args:
          export_dir_base: See `export_saved_model`.
          serving_input_receiver_fn: See `export_saved_model`.
          assets_extra: See `export_saved_model`.
          as_text: See `export_saved_model`.
          checkpoint_path: See `export_saved_model`.
          strip_default_attrs: Whether to leave out attributes that have their default value.

        Returns:
          The path of the new folder, as bytes.
        """
        return _export.export(
            self,
            export_dir_base,
            {ModeKeys.PREDICT: serving_input_receiver_fn},
            assets_extra,
            as_text,
            checkpoint_path,
            strip_default_attrs,
        )

    def experimental_export_all_saved_models(
        self,
        export_dir_base: str,
        input_receiver_fn_map: Mapping[str, Callable[[], Any]],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
    ) -> bytes:
        """Writes one SavedModel with a graph for each of several modes.

        Args:
          export_dir_base: See `export_saved_model`.
          input_receiver_fn_map: Mode -> function that returns the mode's receiver.
          assets_extra: See `export_saved_model`.
          as_text: See `export_saved_model`.
          checkpoint_path: See `export_saved_model`.

        Returns:
          The path of the new folder, as bytes.

        Raises:
          ValueError: If there is no checkpoint, no mode, or no signature.
        """
        return _export.export(
            self, export_dir_base, input_receiver_fn_map, assets_extra, as_text, checkpoint_path
        )

    def _check_overrides(self) -> None:
        """TF1's rule for subclasses: the methods of Estimator stay as they are."""
        if type(self) in (Estimator, EstimatorV2):
            return
        ours = {m for m in vars(Estimator) if not m.startswith("__")}
        mro = type(self).__mro__
        base = EstimatorV2 if EstimatorV2 in mro else Estimator
        below = {name for cls in mro[: mro.index(base)] for name in vars(cls)}
        clash = sorted(ours & below - _MAY_OVERRIDE)
        if clash:
            raise ValueError(
                "Subclasses of Estimator must not override its members; give them another "
                f"model_fn instead. Received: {type(self).__name__} overrides {', '.join(clash)}"
            )

    def _create_global_step(self, graph: Any) -> Any:
        return tf.train.create_global_step(graph)

    def _create_and_assert_global_step(self, graph: Any) -> Any:
        step = self._create_global_step(graph)
        if step.dtype.base_dtype not in (tf.int32, tf.int64):
            raise TypeError(f"The global step must be an integer. Received: {step!r}")
        return step

    def _build_replicated(self, input_fn: Callable[..., Any], mode: str) -> Any:
        """The EstimatorSpec and the input's hooks, of an Estimator that runs on several cores."""

    def _call_input_fn(
        self, input_fn: Callable[..., Any], mode: str, input_context: Any = None
    ) -> Any:
        """Calls an input_fn with those of mode, params, config and input_context it takes."""
        names = util.fn_args(input_fn)
        kwargs: dict[str, Any] = {}
        if "mode" in names:
            kwargs["mode"] = mode
        if "params" in names:
            kwargs["params"] = self.params
        if "config" in names:
            kwargs["config"] = self.config
        if "input_context" in names:
            kwargs["input_context"] = input_context
        with tf.device("/cpu:0"):
            return input_fn(**kwargs)

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        """Calls the model_fn with those of its arguments that it takes."""
        names = util.fn_args(self._model_fn)
        kwargs: dict[str, Any] = {}
        if "labels" in names:
            kwargs["labels"] = labels
        elif labels is not None:
            raise ValueError(
                "The input_fn returns labels, but model_fn has no argument `labels`. "
                f"Received: a model_fn of {names}"
            )
        if "mode" in names:
            kwargs["mode"] = mode
        if "params" in names:
            kwargs["params"] = self.params
        if "config" in names:
            kwargs["config"] = config
        tf.logging.info("Calling model_fn.")
        spec = self._model_fn(features=features, **kwargs)
        tf.logging.info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            raise ValueError(f"model_fn must return an EstimatorSpec. Received: {spec!r}")
        return spec


class EstimatorV2(Estimator):
    """``tf.compat.v2.estimator.Estimator``: an `Estimator` without `export_savedmodel`."""

    @property
    def export_savedmodel(self) -> Any:
        """Gone.

        Raises:
          AttributeError: Always; `export_saved_model` does the same.
        """
        raise AttributeError(
            "tf.compat.v2.estimator.Estimator has no export_savedmodel: use export_saved_model"
        )


def _load_global_step_from_checkpoint_dir(checkpoint_dir: str) -> int:
    """The global step of a folder's newest checkpoint; 0 if there is none.

    It was never public, but TPU programs ask it where training goes on.

    Args:
      checkpoint_dir: A model_dir.

    Returns:
      The step.
    """
    path = tf.train.latest_checkpoint(checkpoint_dir)
    if path is None:
        return 0
    return int(tf.train.NewCheckpointReader(path).get_tensor(tf.GraphKeys.GLOBAL_STEP))
