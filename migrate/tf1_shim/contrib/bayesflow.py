"""``tf.contrib.bayesflow``: not in the shim, each use says so."""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = []

_WHY = (
    "use tf.reduce_mean(f(samples)) with samples of tf.contrib.distributions, or "
    "tfp.monte_carlo, which needs tf_keras beside TF 2.21"
)

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.bayesflow",
    dict.fromkeys(
        ("monte_carlo",),
        _WHY,
    ),
)
