"""The heads of ``tf.estimator``."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__getattr__ = _lazy.names(
    __name__,
    dict.fromkeys(
        ("base_head", "binary_class_head", "multi_class_head", "multi_head", "multi_label_head",
         "regression_head"), "",
    ),
    "tf.estimator.head",
)  # fmt: skip
