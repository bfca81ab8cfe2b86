"""`MetricSpec`: a metric function and what it is given."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["MetricSpec"]

#: What metric functions may call their arguments, newest first.
_LABELS = ("labels", "label", "targets", "target")
_PREDICTIONS = ("predictions", "prediction", "outputs", "output", "logits", "logit")
_WEIGHTS = ("weights", "weight")


def _parameters(function: Callable[..., Any]) -> list[str]:
    bound: set[str] = set()
    while isinstance(function, functools.partial):
        bound |= set(function.keywords)
        function = function.func
    return [name for name in inspect.signature(function).parameters if name not in bound]


class MetricSpec:
    """A metric of an evaluation: ``metric_fn(labels=..., predictions=..., weights=...)``.

    The function's arguments are found by their names ("labels" or "targets", "predictions",
    "outputs" or "logits", "weights"), or else by position: labels last.
    """

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: str | None = None,
        label_key: str | None = None,
        weight_key: str | None = None,
    ) -> None:
        """Looks at the function's arguments.

        Args:
          metric_fn: Returns a tensor or ``(value, update_op)``.
          prediction_key: Which of a dict of predictions; None for a single tensor.
          label_key: Which of a dict of labels; None for a single tensor.
          weight_key: Which feature holds weights; None for none.

        Raises:
          ValueError: If the function has no argument for labels or weights whose key is given.
        """
        self._call = _adapted(metric_fn, label_key is not None, weight_key is not None)
        name = getattr(metric_fn, "__name__", None)
        if name is None and isinstance(metric_fn, functools.partial):
            name = getattr(metric_fn.func, "__name__", None)
        self._name = name or str(metric_fn)
        self._keys = (prediction_key, label_key, weight_key)

    @property
    def prediction_key(self) -> str | None:
        """Which of a dict of predictions."""
        return self._keys[0]

    @property
    def label_key(self) -> str | None:
        """Which of a dict of labels."""
        return self._keys[1]

    @property
    def weight_key(self) -> str | None:
        """Which feature holds weights."""
        return self._keys[2]

    @property
    def metric_fn(self) -> Callable[..., Any]:
        """A function of ``labels``, ``predictions`` and ``weights``."""
        return self._call

    def __str__(self) -> str:
        prediction, label, weight = self._keys
        return (
            f"MetricSpec(metric_fn={self._name}, prediction_key={prediction}, "
            f"label_key={label}, weight_key={weight})"
        )

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Calls the function.

        Args:
          inputs: The features.
          labels: A tensor or a dict of tensors.
          predictions: A tensor or a dict of tensors.

        Returns:
          What the function returns.

        Raises:
          ValueError: If a key is given for a single tensor, or none for a dict of several.
          KeyError: If a key is not there.
        """
        return self.metric_fn(
            labels=_chosen("label", labels, self.label_key),
            predictions=_chosen("prediction", predictions, self.prediction_key),
            weights=inputs[self.weight_key] if self.weight_key else None,
        )


def _chosen(what: str, values: Any, key: str | None) -> Any:
    if isinstance(values, dict):
        if key:
            if key not in values:
                raise KeyError(
                    f"MetricSpec: {what}_key={key!r} is none of {sorted(map(str, values))}"
                )
            return values[key]
        if len(values) != 1:
            raise ValueError(
                f"MetricSpec needs a {what}_key to choose one of several {what}s. "
                f"Received: {sorted(map(str, values))}"
            )
        return next(iter(values.values()))
    if key:
        raise ValueError(
            f"MetricSpec: {what}_key={key!r} chooses from a dict, but there is one tensor. "
            f"Received: {values!r}"
        )
    return values


def _adapted(
    metric_fn: Callable[..., Any], needs_labels: bool, needs_weights: bool
) -> Callable[..., Any]:
    names = _parameters(metric_fn)

    def first(candidates: tuple[str, ...]) -> str | None:
        return next((name for name in candidates if name in names), None)

    label, prediction, weight = first(_LABELS), first(_PREDICTIONS), first(_WEIGHTS)
    anything = "kwargs" in names
    if needs_labels and label is None and not anything and len(names) < 2:
        raise ValueError(f"metric_fn needs an argument for labels. Received: arguments {names}")
    if needs_weights and weight is None and not anything:
        raise ValueError(f"metric_fn needs an argument `weights`. Received: arguments {names}")

    def call(labels: Any = None, predictions: Any = None, weights: Any = None) -> Any:
        more = {} if weights is None else {weight or "weights": weights}
        if prediction is not None and (label is not None or labels is None):
            if label is not None and labels is not None:
                more[label] = labels
            return metric_fn(**{prediction: predictions}, **more)
        if prediction is None and label is None and anything:
            return metric_fn(predictions=predictions, labels=labels, **more)
        if prediction is not None and label is None:
            rest = [n for n in names if n not in (prediction, weight)]
            if not rest:
                return metric_fn(**{prediction: predictions}, **more)
        if label is not None:
            return metric_fn(predictions, **{label: labels}, **more)
        # Without names that tell: (predictions, labels).
        given = (predictions,) if labels is None or len(names) < 2 else (predictions, labels)
        return metric_fn(*given, **more)

    return call
