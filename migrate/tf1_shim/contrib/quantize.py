"""``tf.contrib.quantize``: the graph rewriter for quantization is gone, each use says so."""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = []

_WHY = (
    "TF 2 has no rewriter of graphs for quantization: train without it and quantize "
    "afterwards with tf.lite.TFLiteConverter (post-training quantization), or put "
    "tf.quantization.fake_quant_with_min_max_vars into the model"
)

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.quantize",
    dict.fromkeys(
        (
            "create_eval_graph",
            "create_training_graph",
            "experimental_create_eval_graph",
            "experimental_create_training_graph",
        ),
        _WHY,
    ),
)
