"""``tf.contrib.constrained_optimization``: not in the shim, each use says so."""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = []

_WHY = "it became a package of its own: pip install tensorflow-constrained-optimization"

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.constrained_optimization",
    dict.fromkeys(
        (
            "AdditiveExternalRegretOptimizer",
            "AdditiveSwapRegretOptimizer",
            "ConstrainedMinimizationProblem",
            "ConstrainedOptimizer",
            "MultiplicativeSwapRegretOptimizer",
            "find_best_candidate_distribution",
            "find_best_candidate_index",
        ),
        _WHY,
    ),
)
