"""``tf.contrib.opt``: weight decay, lazy Adam, moving averages."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.opt._adam import (
    LazyAdamOptimizer,
    MovingAverageOptimizer,
    clip_gradients_by_global_norm,
)
from migrate.tf1_shim.contrib.opt._decay import (
    AdamWOptimizer,
    DecoupledWeightDecayExtension,
    MomentumWOptimizer,
    extend_with_decoupled_weight_decay,
)

__all__ = [
    "AdamWOptimizer",
    "DecoupledWeightDecayExtension",
    "LazyAdamOptimizer",
    "MomentumWOptimizer",
    "MovingAverageOptimizer",
    "clip_gradients_by_global_norm",
    "extend_with_decoupled_weight_decay",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.opt")
