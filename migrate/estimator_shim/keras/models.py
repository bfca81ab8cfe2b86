"""`model_to_estimator`: an Estimator that trains a compiled Keras 3 model."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import run_config as run_config_lib
from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.export.export_output import PredictOutput
from migrate.estimator_shim.keras import _optimizers, metrics
from migrate.estimator_shim.keras._values import dimensions_as_numbers, empty, numpy_values, outside
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec
from migrate.estimator_shim.warm_starting import WarmStartSettings

__all__ = ["model_to_estimator"]

#: Layers whose variables Keras 3 keeps one level deeper than TF 1.15 did.
_CELL = re.compile(r"/(lstm|gru|simple_rnn)_cell(?=/)")
#: How Keras 3 calls an input that the program gave no name.
_UNNAMED = re.compile(r"^(input_layer|keras_tensor)(_\d+)?$")


def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: str | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    model_dir: str | None = None,
    config: Any = None,
    checkpoint_format: str = "saver",
) -> Estimator:
    """An `Estimator` of a compiled Keras model.

    The model itself is not changed: the Estimator trains variables of its own graphs, which start
    with the model's weights, written to ``<model_dir>/keras/keras_model.ckpt``. Checkpoints have
    the names of TF 1.15 (``dense/kernel``, ``training/Adam/dense/kernel/m``), so that a model_dir
    of TF 1.15 is continued, and the updates of the optimizer are those of TF 1.15's tf.keras.

    input_fns give features as one tensor, or as a dict by the names of the model's inputs
    (``<first layer>_input`` for an unnamed input, as in TF 1.15), and labels as one tensor or as a
    dict by the names of its outputs. Predictions are a dict by these.

    Args:
      keras_model: A compiled model.
      keras_model_path: The file of a compiled model, in place of the model.
      custom_objects: Name -> class or function, to load the file.
      model_dir: Where to save; goes before the config's.
      config: A `RunConfig`.
      checkpoint_format: "saver".

    Returns:
      The Estimator.

    Raises:
      ValueError: If there is no model or two, it is not compiled, or the format is unknown.
      NotImplementedError: For ``checkpoint_format="checkpoint"`` (checkpoints by objects), and for
        optimizers without a rule for graphs.

    Example::

        model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,))])
        model.compile("sgd", "mse")
        est = model_to_estimator(model)
        est.train(lambda: tf.data.Dataset.from_tensors(({"dense_input": x}, y)))
    """
    if checkpoint_format not in ("saver", "checkpoint", None):
        raise ValueError(f"checkpoint_format must be 'saver'. Received: {checkpoint_format!r}")
    if checkpoint_format == "checkpoint":
        raise NotImplementedError(
            "model_to_estimator(checkpoint_format='checkpoint'): checkpoints by objects are not "
            "implemented; 'saver' writes them by names. Received: 'checkpoint'"
        )
    if (keras_model is None) == (keras_model_path is None):
        raise ValueError(
            "model_to_estimator needs keras_model or keras_model_path, one of them. "
            f"Received: {keras_model!r} and {keras_model_path!r}"
        )
    if keras_model_path is not None:
        import keras

        keras_model = keras.models.load_model(keras_model_path, custom_objects=custom_objects)
    if not getattr(keras_model, "optimizer", None) or not getattr(keras_model, "compiled", False):
        raise ValueError(
            "The model must be compiled before model_to_estimator: call model.compile(). "
            f"Received: {keras_model!r}"
        )
    _optimizers.check(keras_model.optimizer)
    config = _config(config, model_dir)
    wrapped = _Model(keras_model)

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        return wrapped.spec(features, labels, mode)

    estimator = Estimator(model_fn, config=config)
    if keras_model.built:
        path = _save_first(wrapped, estimator.model_dir)
        names = [f"{re.escape(key)}:0" for key in wrapped.weight_keys()]
        estimator._warm_start_settings = WarmStartSettings(path, names)
    return estimator


def _config(config: Any, model_dir: Any) -> Any:
    config = run_config_lib.RunConfig() if config is None else config
    if not isinstance(config, run_config_lib.RunConfig):
        raise ValueError(f"config must be a RunConfig. Received: {config!r}")
    return config.replace(model_dir=os.fspath(model_dir)) if model_dir else config


def _save_first(model: _Model, model_dir: str) -> str:
    """The checkpoint from which variables start; an existing one is kept, as in TF 1.15."""
    folder = os.path.join(model_dir, "keras")
    found: str | None = tf.train.latest_checkpoint(folder)
    if found:
        return found
    tf.io.gfile.makedirs(folder)
    with tf.Graph().as_default():
        variables = model.make_variables()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            saver = tf.train.Saver(list(variables.values()))
            path: str = saver.save(session, os.path.join(folder, "keras_model.ckpt"))
    return path


class _Model:
    """A Keras model, its variables' names in checkpoints, and its inputs' and outputs'."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._values: dict[str, Any] = {}
        self._keys: dict[str, Any] = {}

    def spec(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        """What the model_fn returns."""
        import keras

        model, training = self._model, mode == ModeKeys.TRAIN
        if not model.built:
            self._build(features)
        x, y = self._inputs(features), self._targets(labels)
        variables = self.make_variables()
        held = [(self._keys[key], variable) for key, variable in variables.items()] + self._seeds()
        values = {id(weight): variable.value() for weight, variable in held}
        if mode != ModeKeys.PREDICT and y is None:
            raise ValueError(
                "model_to_estimator: training and evaluation need labels. Received: an input_fn "
                "that returns only features"
            )

        given = [(weight, values[id(weight)]) for weight, _ in held]

        def forward() -> dict[str, Any]:
            with keras.StatelessScope(given) as scope:
                found: dict[str, Any] = {"outputs": model(x, training=training)}
            new = {i: scope.get_current_value(weight) for i, (weight, _) in enumerate(given)}
            found["new"] = {i: v for i, v in new.items() if v is not given[i][1]}
            if mode != ModeKeys.PREDICT:
                metrics.build(model._compile_loss, y, found["outputs"])
                with keras.StatelessScope(given + metrics.zeros(model._compile_loss)):
                    found["loss"] = model.compute_loss(x, y, found["outputs"], training=training)
            return found

        if not tf.control_flow_v2_enabled():
            # Keras 3 has loops that only functions can run after disable_v2_behavior().
            forward = tf.function(forward, autograph=False)
        # identity: what depends on the loss must not run before a function has returned it. The
        # scope's name makes the summary's tag "loss_1", as in TF 1.15.
        with dimensions_as_numbers(), tf.name_scope("loss"):
            found = tf.nest.map_structure(tf.identity, forward())
        outputs, loss = found["outputs"], found.get("loss")
        named = dict(zip(self._output_names(), tf.nest.flatten(outputs), strict=True))
        if mode == ModeKeys.PREDICT:
            exports = {tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(named)}
            return EstimatorSpec(mode, predictions=named, export_outputs=exports)
        if mode == ModeKeys.EVAL:
            with dimensions_as_numbers():
                measured = metrics.compiled(model, y, outputs)
            return EstimatorSpec(mode, named, loss, eval_metric_ops=measured)
        updates = [held[i][1].assign(value) for i, value in found["new"].items()]
        trainable = {
            key: _optimizers.Trained(variable, values[id(self._keys[key])], self._keys[key])
            for key, variable in variables.items()
            if variable.trainable
        }
        with tf.control_dependencies(updates):
            step = tf.train.get_global_step()
            train_op = _optimizers.minimize(model.optimizer, loss, trainable, step)
        return EstimatorSpec(mode, named, loss, train_op)

    def weight_keys(self) -> list[str]:
        """What checkpoints call the weights."""
        self._read()
        return list(self._keys)

    def make_variables(self) -> dict[str, Any]:
        """Variables of this graph for the model's weights, by checkpoint key."""
        self._read()
        trainable = {id(w) for w in self._model.trainable_weights}
        return {
            key: _variable(key, value, trainable=id(self._keys[key]) in trainable)
            for key, value in self._values.items()
        }

    def _read(self) -> None:
        """The weights' names and first values, once."""
        if self._keys:
            return
        weights = list(self._model.weights)
        prefix = f"{self._model.name}/"
        for weight in weights:
            key = weight.path
            if _is_sequential(self._model):
                key = key.removeprefix(prefix)
            key = _CELL.sub("", key)
            self._keys[_free(key, self._keys)] = weight
        self._values = dict(zip(self._keys, numpy_values(weights), strict=True))

    def _build(self, features: Any) -> None:
        """Makes the weights of a model that has not seen data yet."""
        inputs = self._inputs(features)
        like = tf.nest.map_structure(lambda t: empty(t.dtype, t.shape.as_list()), inputs)
        outside(lambda: self._model(tf.nest.map_structure(lambda make: make(), like)))

    def _seeds(self) -> list[Any]:
        """States of random generators: local variables, as TF 1.15's checkpoints have none."""
        known = {id(w) for w in self._model.weights}
        states = [v for v in self._model.non_trainable_variables if id(v) not in known]
        local = {"trainable": False, "collections": [tf.GraphKeys.LOCAL_VARIABLES]}
        return [
            (state, _variable(f"keras_random_state/{i}", value, **local))
            for i, (state, value) in enumerate(zip(states, numpy_values(states), strict=True))
        ]

    def _input_names(self) -> list[str]:
        model = self._model
        names = [tensor.name for tensor in getattr(model, "inputs", None) or []]
        unnamed = not names or (len(names) == 1 and _UNNAMED.match(names[0]))
        if _is_sequential(model) and unnamed:
            return [f"{model.layers[0].name}_input"]
        return names

    def _output_names(self) -> list[str]:
        model = self._model
        if getattr(model, "output_names", None):
            return list(model.output_names)
        if _is_sequential(model):
            return [model.layers[-1].name]
        return ["output_1"]

    def _inputs(self, features: Any) -> Any:
        """The features in the order of the model's inputs."""
        names = self._input_names()
        if isinstance(features, dict):
            if set(features) != set(names):
                raise KeyError(
                    f"features must have the names of the model's inputs {sorted(names)}. "
                    f"Received: {sorted(map(str, features))}"
                )
            found = [features[name] for name in names]
        elif isinstance(features, (list, tuple)):
            found = list(features)
        else:
            return features
        return found[0] if len(found) == 1 else found

    def _targets(self, labels: Any) -> Any:
        """The labels as the model's losses take them."""
        if labels is None:
            return None
        names = self._output_names()
        if isinstance(labels, dict):
            if set(labels) != set(names):
                raise KeyError(
                    f"labels must have the names of the model's outputs {sorted(names)}. "
                    f"Received: {sorted(map(str, labels))}"
                )
            found = [labels[name] for name in names]
        elif isinstance(labels, (list, tuple)):
            found = list(labels)
        else:
            return labels
        return found[0] if len(found) == 1 else found


def _is_sequential(model: Any) -> bool:
    import keras

    return isinstance(model, keras.Sequential)


def _free(key: str, taken: Mapping[str, Any]) -> str:
    """The key, with a number behind it if another weight has it."""
    count, found = 0, key
    while found in taken:
        count += 1
        found = f"{key}_{count}"
    return found


def _variable(key: str, value: Any, **kwargs: Any) -> Any:
    def start(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        return tf.constant(value, dtype)

    dtype = tf.as_dtype(value.dtype)
    return tf.get_variable(key, value.shape, dtype, start, use_resource=True, **kwargs)
