"""``tf.layers``: the layers of TF1, with their variables in variable scopes.

Functions make a layer and call it: ``dense(x, 3)`` makes ``dense/kernel`` and ``dense/bias``, the
next one ``dense_1/…``. Classes do the same in two steps, and can be called again to share their
weights. Initial values, regularizers, reuse and partitioners follow the variable scope.
"""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.layers._conv import (
    Conv1D,
    Conv2D,
    Conv3D,
    conv1d,
    conv2d,
    conv3d,
)
from migrate.tf1_shim.layers._core import Dense, Dropout, Flatten, dense, dropout, flatten
from migrate.tf1_shim.layers._layer import Layer
from migrate.tf1_shim.layers._normalization import BatchNormalization, batch_normalization
from migrate.tf1_shim.layers._pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
    average_pooling1d,
    average_pooling2d,
    average_pooling3d,
    max_pooling1d,
    max_pooling2d,
    max_pooling3d,
)
from migrate.tf1_shim.layers._separable import (
    SeparableConv1D,
    SeparableConv2D,
    separable_conv1d,
    separable_conv2d,
)
from migrate.tf1_shim.layers._spec import InputSpec
from migrate.tf1_shim.layers._transposed import (
    Conv2DTranspose,
    Conv3DTranspose,
    conv2d_transpose,
    conv3d_transpose,
)

__all__ = [
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "BatchNormalization",
    "Conv1D",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "Dense",
    "Dropout",
    "Flatten",
    "InputSpec",
    "Layer",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "SeparableConv1D",
    "SeparableConv2D",
    "average_pooling1d",
    "average_pooling2d",
    "average_pooling3d",
    "batch_normalization",
    "conv1d",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "dense",
    "dropout",
    "flatten",
    "max_pooling1d",
    "max_pooling2d",
    "max_pooling3d",
    "separable_conv1d",
    "separable_conv2d",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.layers")
