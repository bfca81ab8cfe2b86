"""``tf.contrib.feature_column``: columns of sequences, and the layer that takes them."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = [
    "sequence_categorical_column_with_hash_bucket",
    "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file",
    "sequence_categorical_column_with_vocabulary_list",
    "sequence_input_layer",
    "sequence_numeric_column",
]

__getattr__ = _lazy.names(
    __name__,
    dict.fromkeys(__all__, f"{__name__}.sequence_feature_column"),
    "tf.contrib.feature_column",
)


def __dir__() -> list[str]:
    return sorted(__all__)
