"""What a signature of an exported model returns."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["ClassificationOutput", "ExportOutput", "PredictOutput", "RegressionOutput"]


def _single_input(kind: str, receiver_tensors: dict[str, Any]) -> Any:
    """The one input of a signature that takes serialized examples."""
    if len(receiver_tensors) != 1:
        raise ValueError(
            f"A {kind} signature takes exactly one input, of type string. "
            f"Received: {sorted(receiver_tensors)}"
        )
    (examples,) = receiver_tensors.values()
    if tf.as_dtype(examples.dtype) != tf.string:
        raise ValueError(f"The input of a {kind} signature must be strings. Received: {examples!r}")
    return examples


class ExportOutput:
    """The outputs of one signature. See its three subclasses."""

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        """The signature from the receiver's tensors to these outputs.

        Args:
          receiver_tensors: Name -> the tensor that is fed.

        Returns:
          A ``SignatureDef``.
        """
        raise NotImplementedError(f"{type(self).__name__}.as_signature_def")


class ClassificationOutput(ExportOutput):
    """Scores, class labels or both, for TensorFlow Serving's classify call.

    The input of its signature is a single tensor of serialized ``tf.train.Example``.
    """

    def __init__(self, scores: Any = None, classes: Any = None) -> None:
        """Checks the types.

        Args:
          scores: A float tensor, or None.
          classes: A string tensor, or None.

        Raises:
          ValueError: If both are None or a tensor has a wrong type.
        """
        if scores is None and classes is None:
            raise ValueError("ClassificationOutput needs scores or classes. Received: neither")
        if scores is not None and not (tf.is_tensor(scores) and scores.dtype.is_floating):
            raise ValueError(f"scores must be a float tensor. Received: {scores!r}")
        if classes is not None and not (
            tf.is_tensor(classes) and tf.as_dtype(classes.dtype) == tf.string
        ):
            raise ValueError(f"classes must be a string tensor. Received: {classes!r}")
        self._scores = scores
        self._classes = classes

    @property
    def scores(self) -> Any:
        """The float tensor, or None."""
        return self._scores

    @property
    def classes(self) -> Any:
        """The string tensor, or None."""
        return self._classes

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        """See `ExportOutput`."""
        examples = _single_input("classification", receiver_tensors)
        return tf.saved_model.classification_signature_def(examples, self.classes, self.scores)


class RegressionOutput(ExportOutput):
    """One float tensor, for TensorFlow Serving's regress call."""

    def __init__(self, value: Any) -> None:
        """Checks the type.

        Args:
          value: A float tensor.

        Raises:
          ValueError: If it is none.
        """
        if not (tf.is_tensor(value) and value.dtype.is_floating):
            raise ValueError(f"RegressionOutput takes a float tensor. Received: {value!r}")
        self._value = value

    @property
    def value(self) -> Any:
        """The float tensor."""
        return self._value

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        """See `ExportOutput`."""
        examples = _single_input("regression", receiver_tensors)
        return tf.saved_model.regression_signature_def(examples, self.value)


class PredictOutput(ExportOutput):
    """Any tensors by name, from any inputs: TensorFlow Serving's predict call."""

    def __init__(self, outputs: Any) -> None:
        """Checks names and tensors.

        Args:
          outputs: A dict of tensors, or one tensor, which is called "output".

        Raises:
          ValueError: If a key is no string or a value no tensor.
        """
        if not isinstance(outputs, dict):
            outputs = {"output": outputs}
        self._outputs = {}
        for key, value in outputs.items():
            name = "/".join(key) if isinstance(key, tuple) else key
            if not isinstance(name, str):
                raise ValueError(f"Keys of PredictOutput must be strings. Received: {key!r}")
            if not tf.is_tensor(value):
                raise ValueError(
                    f"Values of PredictOutput must be tensors. Received: {key!r}: {value!r}"
                )
            self._outputs[name] = value

    @property
    def outputs(self) -> dict[str, Any]:
        """Name -> tensor."""
        return self._outputs

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        """See `ExportOutput`."""
        return tf.saved_model.predict_signature_def(receiver_tensors, self.outputs)


class _Supervised(ExportOutput):
    """Loss, predictions and metrics, for models exported in the modes "train" and "eval"."""

    method_name = ""

    def __init__(self, loss: Any, predictions: Any, metrics: dict[str, Any]) -> None:
        self.outputs: dict[str, Any] = {"loss": loss} if loss is not None else {}
        if not isinstance(predictions, dict):
            predictions = {"output": predictions}
        for name, value in predictions.items():
            self.outputs[name if name.startswith("prediction") else f"predictions/{name}"] = value
        for name, (value, update) in metrics.items():
            self.outputs[f"metrics/{name}/value"] = value
            self.outputs[f"metrics/{name}/update_op"] = _as_tensor(update)

    def as_signature_def(self, receiver_tensors: dict[str, Any]) -> Any:
        """See `ExportOutput`."""
        info = tf.saved_model.build_tensor_info
        return tf.saved_model.build_signature_def(
            {k: info(v) for k, v in receiver_tensors.items()},
            {k: info(v) for k, v in self.outputs.items()},
            self.method_name,
        )


class TrainOutput(_Supervised):
    """The signature of a model exported with mode "train"."""

    method_name = "tensorflow/supervised/training"


class EvalOutput(_Supervised):
    """The signature of a model exported with mode "eval"."""

    method_name = "tensorflow/supervised/eval"


def _as_tensor(op: Any) -> Any:
    """An operation has no value to fetch through a signature: an empty tensor stands for it."""
    if not isinstance(op, tf.Operation):
        return op
    with tf.control_dependencies([op]):
        return tf.constant([], name="metric_op_wrapper")
