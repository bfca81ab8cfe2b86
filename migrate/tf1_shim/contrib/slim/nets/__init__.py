"""``slim.nets``: the networks that slim came with.

Each module has the builders of one family, under the names, variable scopes and ``end_points`` that
the published checkpoints use.
"""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = [
    "alexnet",
    "inception",
    "inception_v1",
    "inception_v2",
    "inception_v3",
    "overfeat",
    "resnet_utils",
    "resnet_v1",
    "resnet_v2",
    "vgg",
]

__getattr__ = _lazy.attributes(__name__, __all__, "tf.contrib.slim.nets")
