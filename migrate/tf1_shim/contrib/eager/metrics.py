"""``tf.contrib.eager.metrics``: metrics as objects, eagerly or in a graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow
import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "Accuracy",
    "BinaryAccuracy",
    "CategoricalAccuracy",
    "Mean",
    "Metric",
    "SparseAccuracy",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.eager.metrics")


class Metric(tensorflow.__internal__.tracking.AutoTrackable):
    """Base class of the metrics.

    A subclass makes variables in `build` with `add_variable`, takes in a batch in `call` and says
    the value in `result`. Example::

        m = tfe.metrics.Mean()
        for batch in dataset:
            m(loss(batch))
        print(m.result().numpy())

    In a graph, what the call returns must be run to take in a batch, and what `init_variables`
    returns to begin.
    """

    def __init__(self, name: str | None = None, use_global_variables: bool = False) -> None:
        """Make a metric; its variables come with the first call.

        Args:
          name: Its name and its variables' scope; by default that of the class.
          use_global_variables: Whether the variables are global and not local ones, in a graph.
        """
        own = name or type(self).__name__
        scope_name = re.sub("[^A-Za-z0-9.]", "_", own)
        with tf.variable_scope(scope_name, use_resource=True, reuse=False) as scope:
            at = scope.name.rfind(scope_name)
            suffix = scope.name[at + len(scope_name) :]
        self._state: dict[str, Any]
        hidden = {
            "built": False,
            "vars": [],
            "initial": [],
            "global": use_global_variables,
            "name": own + suffix,
            "scope": scope,
            "graph": None if tf.executing_eagerly() else tf.get_default_graph(),
        }
        # Not for tracking: it would become part of the checkpoint.
        object.__setattr__(self, "_state", hidden)
        if not tf.executing_eagerly():
            call: Callable[..., Any] = tf.function(self.call, autograph=False)
            object.__setattr__(self, "call", call)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Take in a batch: see the class's `call`."""
        if not self._state["built"]:
            with tf.variable_scope(self._state["scope"]):
                self.build(*args, **kwargs)
            self._state["built"] = True
        return self.call(*args, **kwargs)

    @property
    def name(self) -> str:
        """The metric's name."""
        return str(self._state["name"])

    @property
    def variables(self) -> list[Any]:
        """The metric's variables."""
        return list(self._state["vars"])

    def init_variables(self) -> Any:
        """Set the variables back: at once when eager, else by running what is returned."""
        if not tf.executing_eagerly():
            return tf.group([v.initializer for v in self._state["vars"]])
        for variable, value in zip(self._state["vars"], self._state["initial"], strict=True):
            variable.assign(value)
        return None

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Make the variables; gets the arguments of the first call."""
        raise NotImplementedError(f"{type(self).__name__} must define build()")

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Take in a batch and return the inputs."""
        raise NotImplementedError(f"{type(self).__name__} must define call()")

    def result(self) -> Any:
        """The value so far."""
        raise NotImplementedError(f"{type(self).__name__} must define result()")

    def value(self) -> Any:
        """`result` in a graph, the function that computes it when executing eagerly."""
        return self.result if tf.executing_eagerly() else self.result()

    def aggregate(self, metrics: Sequence[Metric]) -> None:
        """Add the variables of metrics of the same class to this one's, when executing eagerly.

        Raises:
          TypeError: If one is of another class.
          ValueError: If their variables have other names.
        """
        for metric in metrics:
            if type(metric) is not type(self):
                raise TypeError(f"All metrics must be {type(self)}. Received: {type(metric)}")
        for i, variable in enumerate(self._state["vars"]):
            others = [metric.variables[i] for metric in metrics]
            if any(other.name != variable.name for other in others):
                raise ValueError(
                    f"Variable {i} is {variable.name} here and {[o.name for o in others]} there"
                )
            variable.assign_add(tf.add_n([other.read_value() for other in others]))

    def add_variable(
        self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None
    ) -> Any:
        """Make a variable; only in `build`.

        Args:
          name: Its name in the metric's scope and in checkpoints.
          shape: Its shape.
          dtype: Its type.
          initializer: What makes its first value.

        Returns:
          A resource variable.

        Raises:
          RuntimeError: If the metric is built.
        """
        if self._state["built"]:
            raise RuntimeError("add_variable() can only be called in build()")
        kind = "GLOBAL_VARIABLES" if self._state["global"] else "LOCAL_VARIABLES"
        eager = tf.executing_eagerly()
        collections = [getattr(tf.GraphKeys, kind), tf.GraphKeys.METRIC_VARIABLES]
        variable = tf.get_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=False,
            collections=None if eager else collections,
            use_resource=True,
        )
        setattr(self, name, variable)
        self._state["vars"].append(variable)
        if eager:
            self._state["initial"].append(variable.read_value())
        return variable


class Mean(Metric):
    """The weighted mean of all values."""

    def __init__(
        self, name: str | None = None, dtype: Any = tf.float64, use_global_variables: bool = False
    ) -> None:
        """Make a mean.

        Args:
          name: Its name; by default that of the class.
          dtype: The type of the sums and of the result.
          use_global_variables: As in `Metric`.
        """
        super().__init__(name=name, use_global_variables=use_global_variables)
        self.dtype = dtype

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Make the two sums."""
        zeros = tf.zeros_initializer
        self.numer = self.add_variable("numer", shape=(), dtype=self.dtype, initializer=zeros)
        self.denom = self.add_variable("denom", shape=(), dtype=self.dtype, initializer=zeros)

    def call(self, values: Any, weights: Any = None) -> Any:
        """Take in values.

        Args:
          values: A tensor.
          weights: None, or a tensor that can be broadcast to the values.

        Returns:
          The sum of the values, or the weighted values and the weights.
        """
        if weights is None:
            self.denom.assign_add(tf.cast(tf.identity(tf.size(values)), self.dtype))
            values = tf.reduce_sum(values)
            self.numer.assign_add(tf.cast(values, self.dtype))
            return values
        weights = tf.cast(weights, self.dtype)
        self.denom.assign_add(tf.reduce_sum(weights))
        values = tf.cast(values, self.dtype) * weights
        self.numer.assign_add(tf.reduce_sum(values))
        return values, weights

    def result(self, write_summary: Any = True) -> Any:
        """The mean; NaN if there was nothing.

        Args:
          write_summary: Whether to write it with ``contrib.summary.scalar`` too, where summaries
            are recorded: a bool or a bool tensor.
        """
        # The summaries are loaded on use: they are a package of their own.
        from migrate.tf1_shim.contrib import summary

        mean = self.numer / self.denom

        def write() -> Any:
            summary.scalar(name=self.name, tensor=mean)
            return mean

        known = tf.get_static_value(tf.convert_to_tensor(write_summary))
        if known is None:
            tf.cond(write_summary, write, lambda: mean)
        elif known:
            write()
        return mean


def _same_shape(labels: Any, predictions: Any) -> None:
    tf.assert_equal(
        tf.shape(labels),
        tf.shape(predictions),
        message="labels and predictions need one shape",
    )


class Accuracy(Mean):
    """How often the predictions equal the labels."""

    def __init__(self, name: str | None = None, dtype: Any = tf.float64) -> None:
        """Make an accuracy: see `Mean`."""
        super().__init__(name=name, dtype=dtype)

    def _count(self, labels: Any, predictions: Any, weights: Any) -> None:
        matches = tf.cast(tf.equal(labels, predictions), self.dtype)
        Mean.call(self, matches, weights=weights)

    def call(  # type: ignore[override]
        self, labels: Any, predictions: Any, weights: Any = None
    ) -> Any:
        """Take in labels and predictions of the same shape; returns what it was given."""
        _same_shape(labels, predictions)
        self._count(labels, predictions, weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)


class CategoricalAccuracy(Accuracy):
    """How often the largest prediction is where the largest label is, in the last dimension."""

    def call(  # type: ignore[override]
        self, labels: Any, predictions: Any, weights: Any = None
    ) -> Any:
        """Take in labels and predictions (batch, num_classes); returns the classes of both."""
        _same_shape(labels, predictions)
        labels, predictions = tf.argmax(labels, axis=-1), tf.argmax(predictions, axis=-1)
        self._count(labels, predictions, weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)


class BinaryAccuracy(Accuracy):
    """How often a prediction above a threshold has a true label."""

    def __init__(self, threshold: float, name: str | None = None, dtype: Any = tf.float64) -> None:
        """Make a binary accuracy.

        Args:
          threshold: What a prediction must exceed to be positive.
          name: Its name; by default that of the class.
          dtype: The type of the sums and of the result.
        """
        super().__init__(name=name, dtype=dtype)
        self.threshold = threshold

    def call(  # type: ignore[override]
        self, labels: Any, predictions: Any, weights: Any = None
    ) -> Any:
        """Take in labels and predictions of the same shape; returns both as bools."""
        _same_shape(labels, predictions)
        predictions = tf.convert_to_tensor(predictions) > self.threshold
        labels = tf.cast(labels, tf.bool)
        self._count(labels, predictions, weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)


class SparseAccuracy(Accuracy):
    """How often the largest prediction is at the label, in the last dimension."""

    def call(  # type: ignore[override]
        self, labels: Any, predictions: Any, weights: Any = None
    ) -> Any:
        """Take in class ids (batch) and predictions (batch, num_classes); returns class ids."""
        tf.assert_equal(
            tf.shape(labels),
            tf.shape(predictions)[0],
            message="labels and predictions need one batch size",
        )
        predictions = tf.argmax(predictions, axis=-1)
        labels = tf.cast(labels, tf.int64)
        self._count(labels, predictions, weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)
