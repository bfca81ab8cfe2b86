"""The interfaces of contrib.learn's Estimators."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["Evaluable", "Trainable"]


class Evaluable(abc.ABC):
    """What can be evaluated: has ``model_dir`` and ``evaluate``."""

    @property
    @abc.abstractmethod
    def model_dir(self) -> Any:
        """Where checkpoints and event files are."""

    @abc.abstractmethod
    def evaluate(self, *args: Any, **kwargs: Any) -> Any:
        """Evaluates; see `Estimator.evaluate`."""


class Trainable(abc.ABC):
    """What can be trained: has ``fit``."""

    @abc.abstractmethod
    def fit(self, *args: Any, **kwargs: Any) -> Any:
        """Trains; see `Estimator.fit`."""
