"""``tf.contrib.image``: projective transforms, warping, components, matching."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.image._color import adjust_hsv_in_yiq, random_hsv_in_yiq
from migrate.tf1_shim.contrib.image._segment import bipartite_match, connected_components
from migrate.tf1_shim.contrib.image._transform import (
    angles_to_projective_transforms,
    compose_transforms,
    flat_transforms_to_matrices,
    matrices_to_flat_transforms,
    rotate,
    transform,
    translate,
    translations_to_projective_transforms,
)
from migrate.tf1_shim.contrib.image._warp import (
    dense_image_warp,
    interpolate_spline,
    sparse_image_warp,
)

__all__ = [
    "adjust_hsv_in_yiq",
    "angles_to_projective_transforms",
    "bipartite_match",
    "compose_transforms",
    "connected_components",
    "dense_image_warp",
    "flat_transforms_to_matrices",
    "interpolate_spline",
    "matrices_to_flat_transforms",
    "random_hsv_in_yiq",
    "rotate",
    "sparse_image_warp",
    "transform",
    "translate",
    "translations_to_projective_transforms",
]

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.image",
    {
        "single_image_random_dot_stereograms": "its kernel is gone from TF 2 and draws its dots "
        "with a generator of its own, so there is nothing to compute the same picture with; make "
        "it with NumPy before the graph"
    },
)
