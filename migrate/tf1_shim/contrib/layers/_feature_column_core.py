"""``tf.contrib.layers``: its feature columns among those of ``tf.feature_column``.

TF 1.15's canned Estimators, ``input_layer`` and ``linear_model`` take contrib's columns too: these
derive from the bases of the core's first columns. TF 2.21 still has these bases; what follows gives
contrib's columns their methods. A categorical one has ids and weights for a linear model, a
dense one a tensor for a network.

Source: https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/feature_column/feature_column.py
(the protocol, ``_CategoricalColumn`` and ``_DenseColumn``).
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf
from tensorflow.python.feature_column import feature_column as core

__all__ = ["Categorical", "Dense"]


class _Column:
    """What both kinds have: ``self.config`` and ``self._transform`` under the core's names."""

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        """What ``tf.io.parse_example`` needs: from feature names to their specs."""
        spec: dict[str, Any] = self.config  # type: ignore[attr-defined]
        return spec

    def _transform_feature(self, inputs: Any) -> Any:
        """What the column makes of the features that ``inputs.get(name)`` gives."""
        return self._transform(inputs)  # type: ignore[attr-defined]


class Categorical(_Column, core._CategoricalColumn):
    """A column of ids: int64 in a SparseTensor [batch, …], each below ``self.length``."""

    @property
    def _num_buckets(self) -> int:
        length: int = self.length
        return length

    def _get_sparse_tensors(
        self, inputs: Any, weight_collections: Any = None, trainable: Any = None
    ) -> Any:
        """The ids, and their weights (float32, of the same shape) or None."""
        del weight_collections, trainable
        tensor = inputs.get(self)
        ids = self.id_tensor(tensor)
        return self.IdWeightPair(ids, self.weight_tensor(tensor))


class Dense(_Column, core._DenseColumn):
    """A column of numbers: float32 [batch, width]."""

    @property
    def _variable_shape(self) -> Any:
        return tf.TensorShape([self.width])

    def _get_dense_tensor(
        self, inputs: Any, weight_collections: Any = None, trainable: Any = None
    ) -> Any:
        """The tensor for a network's first layer."""
        del weight_collections, trainable
        return self.dnn(inputs.get(self), 2)
