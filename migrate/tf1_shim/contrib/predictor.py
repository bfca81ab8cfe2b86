"""``tf.contrib.predictor``: functions from arrays to arrays, from a SavedModel or an Estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["from_contrib_estimator", "from_estimator", "from_saved_model"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.predictor")

#: How `tf.contrib.learn` called the signature of a model's only input.
_ALTERNATIVE = "default_input_alternative:{}"


class Predictor:
    """A session with a graph, to be called with a dictionary of arrays.

    Args:
      graph: The graph.
      session: A session of it.
      feed_tensors: The names of the inputs, each with its tensor.
      fetch_tensors: The names of the outputs, each with its tensor.
    """

    def __init__(
        self,
        graph: Any,
        session: Any,
        feed_tensors: Mapping[str, Any],
        fetch_tensors: Mapping[str, Any],
    ) -> None:
        self._graph, self._session = graph, session
        self._feed_tensors, self._fetch_tensors = dict(feed_tensors), dict(fetch_tensors)

    @property
    def graph(self) -> Any:
        """The graph."""
        return self._graph

    @property
    def session(self) -> Any:
        """The session."""
        return self._session

    @property
    def feed_tensors(self) -> dict[str, Any]:
        """The inputs by name."""
        return self._feed_tensors

    @property
    def fetch_tensors(self) -> dict[str, Any]:
        """The outputs by name."""
        return self._fetch_tensors

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__} with feed tensors {self._feed_tensors} and fetch_tensors "
            f"{self._fetch_tensors}"
        )

    def __call__(self, input_dict: Mapping[str, Any]) -> dict[str, Any]:
        """Compute the outputs.

        Args:
          input_dict: Inputs by name; None and what is left out is not fed.

        Returns:
          The outputs by name, as arrays.

        Raises:
          ValueError: If there is an input of another name.
        """
        unexpected = set(input_dict) - set(self._feed_tensors)
        if unexpected:
            raise ValueError(
                f"Got unexpected keys in input_dict: {sorted(unexpected)}; expected: "
                f"{sorted(self._feed_tensors)}"
            )
        feed = {
            tensor: input_dict[key]
            for key, tensor in self._feed_tensors.items()
            if input_dict.get(key) is not None
        }
        found: dict[str, Any] = self._session.run(self._fetch_tensors, feed)
        return found


class SavedModelPredictor(Predictor):
    """A `Predictor` from a SavedModel."""


class ContribEstimatorPredictor(Predictor):
    """A `Predictor` from the latest checkpoint of one of contrib.learn's Estimators."""


class CoreEstimatorPredictor(Predictor):
    """A `Predictor` from an Estimator's latest checkpoint."""


def _signature(meta_graph: Any, key: str | None) -> Any:
    key = key or tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    signatures = meta_graph.signature_def
    for name in (key, _ALTERNATIVE.format(key)):
        if name in signatures:
            return signatures[name]
    raise ValueError(
        f"Got signature_def_key {key!r}. Available signatures are {sorted(signatures)}."
    )


def from_saved_model(
    export_dir: str,
    signature_def_key: str | None = None,
    signature_def: Any = None,
    input_names: Mapping[str, str] | None = None,
    output_names: Mapping[str, str] | None = None,
    tags: str | None = None,
    graph: Any = None,
    config: Any = None,
) -> SavedModelPredictor:
    """Make a predictor from a SavedModel.

    Args:
      export_dir: The folder of the SavedModel.
      signature_def_key: Which signature; by default "serving_default".
      signature_def: A ``SignatureDef`` to take instead.
      input_names: Names of inputs, each with the name of its tensor, instead of a signature.
      output_names: The same of the outputs; both or none.
      tags: The tags of the meta graph, separated by commas; by default "serve".
      graph: The graph to load it into; by default a new one.
      config: The session's ``ConfigProto``.

    Returns:
      The predictor.

    Raises:
      ValueError: If more than one of the three ways is given, or there is no such signature.
    """
    if (input_names is None) != (output_names is None):
        raise ValueError("input_names and output_names must both be given or both be left out")
    ways = (signature_def_key, signature_def, input_names)
    if sum(way is not None for way in ways) > 1:
        raise ValueError(
            "Give at most one of signature_def_key, signature_def, and input_names with "
            "output_names"
        )
    graph = graph or tf.Graph()
    with graph.as_default():
        session = tf.Session(config=config)
        meta_graph = tf.saved_model.loader.load(session, (tags or "serve").split(","), export_dir)
    if input_names is None or output_names is None:
        signature = signature_def or _signature(meta_graph, signature_def_key)
        input_names = {key: info.name for key, info in signature.inputs.items()}
        output_names = {key: info.name for key, info in signature.outputs.items()}
    return SavedModelPredictor(
        graph,
        session,
        {key: graph.get_tensor_by_name(name) for key, name in input_names.items()},
        {key: graph.get_tensor_by_name(name) for key, name in output_names.items()},
    )


def from_estimator(
    estimator: Any,
    serving_input_receiver_fn: Any,
    output_key: str | None = None,
    graph: Any = None,
    config: Any = None,
) -> CoreEstimatorPredictor:
    """Make a predictor from an Estimator's latest checkpoint.

    Args:
      estimator: An Estimator, such as those of ``migrate.estimator_shim``.
      serving_input_receiver_fn: A function that returns a ``ServingInputReceiver``.
      output_key: Which of the exported outputs; by default "serving_default".
      graph: The graph to build in; by default a new one.
      config: The session's ``ConfigProto``.

    Returns:
      The predictor.

    Raises:
      KeyError: If the model exports no output of that key.
    """
    key = output_key or tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    graph = graph or tf.Graph()
    with graph.as_default():
        receiver = serving_input_receiver_fn()
        spec = estimator.model_fn(receiver.features, None, "infer", estimator.config)
        outputs = spec.export_outputs or {}
        if key not in outputs:
            raise KeyError(f"output_key must be one of {sorted(outputs)}; got {key!r}")
        signature = outputs[key].as_signature_def(receiver.receiver_tensors)
        session = tf.train.MonitoredSession(
            tf.train.ChiefSessionCreator(config=config, checkpoint_dir=estimator.model_dir)
        )
    return CoreEstimatorPredictor(
        graph,
        session,
        {k: graph.get_tensor_by_name(info.name) for k, info in signature.inputs.items()},
        {k: graph.get_tensor_by_name(info.name) for k, info in signature.outputs.items()},
    )


def from_contrib_estimator(
    estimator: Any,
    prediction_input_fn: Any,
    input_alternative_key: str | None = None,
    output_alternative_key: str | None = None,
    graph: Any = None,
    config: Any = None,
) -> ContribEstimatorPredictor:
    """Make a predictor from the latest checkpoint of one of contrib.learn's Estimators.

    Args:
      estimator: An Estimator of ``migrate.estimator_shim.contrib.learn``.
      prediction_input_fn: A function that returns ``InputFnOps``.
      input_alternative_key: Which of the inputs; by default the only one.
      output_alternative_key: Which of the model's output alternatives; it must be given if there
        are several.
      graph: The graph to build in; by default a new one.
      config: The session's ``ConfigProto``.

    Returns:
      The predictor.

    Raises:
      TypeError: If the Estimator is one of ``tf.estimator``.
      ValueError: If there is no such output alternative.
    """
    from migrate.estimator_shim.contrib.learn.utils import saved_model_export_utils as export
    from migrate.estimator_shim.estimator import Estimator

    if isinstance(estimator, Estimator):
        raise TypeError(
            f"An Estimator of tf.estimator goes into from_estimator. Received: {estimator!r}"
        )
    graph = graph or tf.Graph()
    with graph.as_default():
        inputs = prediction_input_fn()
        labels = estimator._label_placeholders()
        ops = estimator._call_model_fn(inputs.features, labels, "infer")
        path = tf.train.latest_checkpoint(estimator.model_dir)
        session = tf.train.MonitoredSession(
            tf.train.ChiefSessionCreator(config=config, checkpoint_filename_with_path=path)
        )
    feeds, _ = export.get_input_alternatives(inputs)
    outputs, key = export.get_output_alternatives(ops, output_alternative_key)
    return ContribEstimatorPredictor(
        graph,
        session,
        feeds[input_alternative_key or export.DEFAULT_INPUT_ALTERNATIVE_KEY],
        outputs[key][1],
    )
