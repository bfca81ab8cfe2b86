"""``slim.summaries``: summaries of activations, tensors and collections."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.layers.summaries import (
    summarize_activation,
    summarize_activations,
    summarize_biases,
    summarize_collection,
    summarize_tensor,
    summarize_tensors,
    summarize_variables,
    summarize_weights,
)

__all__ = [
    "summarize_activation",
    "summarize_activations",
    "summarize_biases",
    "summarize_collection",
    "summarize_tensor",
    "summarize_tensors",
    "summarize_variables",
    "summarize_weights",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.summaries")
