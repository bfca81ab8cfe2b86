"""The names of contrib.learn's problem types and predictions."""

from __future__ import annotations

__all__ = ["PredictionKey", "ProblemType"]


class ProblemType:
    """What kind of problem a model solves."""

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3


class PredictionKey:
    """How predictions are called."""

    CLASSES = "classes"
    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    LOGISTIC = "logistic"
    SCORES = "scores"
    TOP_K = "top_k"
    GENERIC = "output"
