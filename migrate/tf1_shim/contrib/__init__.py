"""``tf.contrib``, as far as it can live on TF 2.21.

Each sub-package is imported on first use. What is missing raises `AttributeError` with the name
of the endpoint and what to use instead.
"""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib._gone import GONE

__all__ = [
    "bayesflow",
    "cluster_resolver",
    "compiler",
    "constrained_optimization",
    "crf",
    "cudnn_rnn",
    "data",
    "deprecated",
    "distribute",
    "distributions",
    "eager",
    "factorization",
    "feature_column",
    "framework",
    "graph_editor",
    "grid_rnn",
    "hooks",
    "image",
    "integrate",
    "layers",
    "learn",
    "legacy_seq2seq",
    "linear_optimizer",
    "lookup",
    "losses",
    "memory_stats",
    "metrics",
    "nn",
    "opt",
    "predictor",
    "quantize",
    "resampler",
    "rnn",
    "saved_model",
    "seq2seq",
    "signal",
    "slim",
    "sparsemax",
    "stateless",
    "summary",
    "tensor_forest",
    "tensorboard",
    "tfprof",
    "training",
    "util",
]

__getattr__ = _lazy.attributes(__name__, __all__, "tf.contrib", GONE)
