"""``tf.contrib.opt``: further optimizers."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.opt._adam import (
    LazyAdamOptimizer,
    MovingAverageOptimizer,
    clip_gradients_by_global_norm,
)
from migrate.tf1_shim.contrib.opt._adam_more import (
    AdaMaxOptimizer,
    AdamGSOptimizer,
    LazyAdamGSOptimizer,
    NadamOptimizer,
)
from migrate.tf1_shim.contrib.opt._averaging import (
    AGNCustomGetter,
    AGNOptimizer,
    ElasticAverageCustomGetter,
    ElasticAverageOptimizer,
    ModelAverageCustomGetter,
    ModelAverageOptimizer,
)
from migrate.tf1_shim.contrib.opt._decay import (
    AdamWOptimizer,
    DecoupledWeightDecayExtension,
    MomentumWOptimizer,
    extend_with_decoupled_weight_decay,
)
from migrate.tf1_shim.contrib.opt._external import (
    ExternalOptimizerInterface,
    ScipyOptimizerInterface,
)
from migrate.tf1_shim.contrib.opt._matrices import (
    GGTOptimizer,
    ShampooOptimizer,
)
from migrate.tf1_shim.contrib.opt._sign import (
    AddSignOptimizer,
    LARSOptimizer,
    PowerSignOptimizer,
)
from migrate.tf1_shim.contrib.opt._wrapping import (
    DropStaleGradientOptimizer,
    MultitaskOptimizerWrapper,
    RegAdagradOptimizer,
    VariableClippingOptimizer,
)

__all__ = [
    "AGNCustomGetter",
    "AGNOptimizer",
    "AdaMaxOptimizer",
    "AdamGSOptimizer",
    "AdamWOptimizer",
    "AddSignOptimizer",
    "DecoupledWeightDecayExtension",
    "DropStaleGradientOptimizer",
    "ElasticAverageCustomGetter",
    "ElasticAverageOptimizer",
    "ExternalOptimizerInterface",
    "GGTOptimizer",
    "LARSOptimizer",
    "LazyAdamGSOptimizer",
    "LazyAdamOptimizer",
    "ModelAverageCustomGetter",
    "ModelAverageOptimizer",
    "MomentumWOptimizer",
    "MovingAverageOptimizer",
    "MultitaskOptimizerWrapper",
    "NadamOptimizer",
    "PowerSignOptimizer",
    "RegAdagradOptimizer",
    "ScipyOptimizerInterface",
    "ShampooOptimizer",
    "VariableClippingOptimizer",
    "clip_gradients_by_global_norm",
    "extend_with_decoupled_weight_decay",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.opt")
