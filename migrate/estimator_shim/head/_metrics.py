"""Metric objects of heads, for graphs and eagerly: Keras 3's keep their state outside of a session.

They have what heads and their callers use of Keras metrics: ``name``, ``update_state``, ``result``,
``updates``, ``variables``, ``reset_state``.
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

_EPSILON = 1e-7
_NUM_THRESHOLDS = 200


class Metric:
    """Sums of a fixed shape, and a value computed from them."""

    def __init__(self, name: str, **shapes: int | None) -> None:
        """Makes the variables, in the default graph if there is one.

        Args:
          name: The metric's name.
          **shapes: Name of a sum -> its length, None for a scalar.
        """
        self.name = name
        self.updates: list[Any] = []
        self._sums: dict[str, Any] = {}
        local = [tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.METRIC_VARIABLES]
        for key, length in shapes.items():
            self._sums[key] = tf.Variable(
                tf.zeros([] if length is None else [length]), trainable=False, name=key,
                collections=None if tf.executing_eagerly() else local, use_resource=True,
            )  # fmt: skip

    @property
    def variables(self) -> list[Any]:
        """The sums."""
        return list(self._sums.values())

    def reset_state(self) -> None:
        """Sets the sums to zero (eagerly)."""
        for v in self._sums.values():
            v.assign(tf.zeros_like(v))

    reset_states = reset_state

    def _add(self, **values: Any) -> Any:
        ops = [self._sums[k].assign_add(v) for k, v in values.items()]
        if tf.executing_eagerly():
            return None
        op = tf.group(*[o.op if hasattr(o, "op") else o for o in ops])
        self.updates.append(op)
        return op

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch; see the subclasses."""
        raise NotImplementedError(f"{type(self).__name__}.update_state")

    def result(self) -> Any:
        """The value so far."""
        raise NotImplementedError(f"{type(self).__name__}.result")


def _weights(values: Any, sample_weight: Any) -> Any:
    """Weights of the shape of the values."""
    if sample_weight is None:
        return tf.ones_like(values)
    weights = tf.cast(sample_weight, tf.float32)
    if weights.shape.rank is not None and values.shape.rank == weights.shape.rank - 1:
        weights = tf.squeeze(weights, [-1])
    return weights * tf.ones_like(values)


class Mean(Metric):
    """The weighted mean of all values."""

    def __init__(self, name: str) -> None:
        super().__init__(name, total=None, count=None)

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        """Adds values of any shape."""
        values = tf.cast(values, tf.float32)
        weights = _weights(values, sample_weight)
        return self._add(total=tf.reduce_sum(values * weights), count=tf.reduce_sum(weights))

    def result(self) -> Any:
        """The mean; 0 before the first value."""
        return tf.math.divide_no_nan(self._sums["total"], self._sums["count"])


class AccuracyBaseline(Metric):
    """The accuracy of saying always the more frequent class, from the mean of labels 0 and 1."""

    def __init__(self, name: str, label_mean: Mean) -> None:
        super().__init__(name)
        self._label_mean = label_mean

    def update_state(self) -> Any:
        """Nothing to add: the labels' mean has its own update."""
        return self._add()

    def result(self) -> Any:
        """max(mean, 1 - mean)."""
        mean = self._label_mean.result()
        return tf.maximum(mean, 1.0 - mean)


class Accuracy(Mean):
    """How often predictions equal labels; with a threshold: predictions > threshold."""

    def __init__(self, name: str, threshold: float | None = None) -> None:
        super().__init__(name)
        self._threshold = threshold

    def update_state(self, labels: Any, predictions: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]
        """Adds labels and predictions of the same shape."""
        if self._threshold is not None:
            predictions = predictions > self._threshold
        same = tf.equal(tf.cast(labels, tf.float32), tf.cast(predictions, tf.float32))
        return super().update_state(same, sample_weight)


class _Ratio(Metric):
    """True positives among something."""

    def __init__(self, name: str, threshold: float = 0.5) -> None:
        super().__init__(name, hits=None, others=None)
        self._threshold = threshold

    def _others(self, labels: Any, predicted: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._others")

    def update_state(self, labels: Any, predictions: Any, sample_weight: Any = None) -> Any:
        """Adds labels 0 or 1 and predictions of the same shape."""
        labels = tf.cast(labels, tf.bool)
        predicted = tf.cast(predictions, tf.float32) > self._threshold
        hits = tf.cast(labels & predicted, tf.float32)
        weights = _weights(hits, sample_weight)
        others = tf.cast(self._others(labels, predicted), tf.float32)
        return self._add(hits=tf.reduce_sum(hits * weights), others=tf.reduce_sum(others * weights))

    def result(self) -> Any:
        """The ratio; 0 where there is nothing."""
        hits = self._sums["hits"]
        return tf.math.divide_no_nan(hits, hits + self._sums["others"])


class Precision(_Ratio):
    """The share of labels 1 among predictions above the threshold."""

    def _others(self, labels: Any, predicted: Any) -> Any:
        return ~labels & predicted


class Recall(_Ratio):
    """The share of predictions above the threshold among labels 1."""

    def _others(self, labels: Any, predicted: Any) -> Any:
        return labels & ~predicted


class AUC(Metric):
    """The area under the ROC or the precision-recall curve, over 200 thresholds.

    Between two thresholds true positives are interpolated (Davis and Goadrich, The relationship
    between precision-recall and ROC curves, ICML 2006, section 3.3).
    """

    def __init__(self, name: str, curve: str = "ROC") -> None:
        n = _NUM_THRESHOLDS
        super().__init__(name, tp=n, fp=n, fn=n, tn=n)
        self._curve = curve

    def update_state(self, labels: Any, predictions: Any, sample_weight: Any = None) -> Any:
        """Adds labels 0 or 1 and predictions within [0, 1] of the same shape."""
        n = _NUM_THRESHOLDS
        steps = [(i + 1) / (n - 1) for i in range(n - 2)]
        thresholds = tf.constant([-_EPSILON, *steps, 1.0 + _EPSILON], shape=[n, 1])
        predictions = tf.cast(predictions, tf.float32)
        weights = tf.reshape(_weights(predictions, sample_weight), [1, -1])
        labels = tf.reshape(tf.cast(labels, tf.bool), [1, -1])
        above = tf.reshape(predictions, [1, -1]) > thresholds

        def count(which: Any) -> Any:
            return tf.reduce_sum(tf.cast(which, tf.float32) * weights, 1)

        return self._add(
            tp=count(labels & above), fp=count(~labels & above),
            fn=count(labels & ~above), tn=count(~labels & ~above),
        )  # fmt: skip

    def result(self) -> Any:
        """The area."""
        tp, fp, fn, tn = (self._sums[k].read_value() for k in ("tp", "fp", "fn", "tn"))
        ratio = tf.math.divide_no_nan
        if self._curve == "ROC":
            x, y = ratio(fp, fp + tn), ratio(tp, tp + fn)
            return tf.reduce_sum((x[:-1] - x[1:]) * (y[:-1] + y[1:]) / 2.0)
        hits = tp[:-1] - tp[1:]
        found = tp + fp
        slope = ratio(hits, tf.maximum(found[:-1] - found[1:], 0))
        intercept = tp[1:] - slope * found[1:]
        both = (found[:-1] > 0) & (found[1:] > 0)
        step = tf.where(both, ratio(found[:-1], tf.maximum(found[1:], 0)), tf.ones_like(intercept))
        area = slope * (hits + intercept * tf.log(step))
        return tf.reduce_sum(ratio(area, tf.maximum(tp[1:] + fn[1:], 0)))
