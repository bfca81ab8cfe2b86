"""tf.image."""

from __future__ import annotations

from migrate.symbols.curated.decisions import Args, Change, Decision

_RESIZE = (
    "samples at half-pixel centres where 1.15 did not, and has no align_corners; only "
    "tf.compat.v1.image.resize keeps the values"
)

DECISIONS: dict[str, Decision] = {
    "image.ResizeMethod": Change("members are strings; 1.15's were ints"),
    "image.crop_and_resize": Args(
        renamed={"box_ind": "box_indices"}, same_defaults=("extrapolation_value", "method")
    ),
    "image.draw_bounding_boxes": Args(defaults={"colors": "None"}),
    "image.extract_glimpse": Change("centres glimpses half a pixel away; uniform_noise is noise"),
    "image.extract_image_patches": Args("image.extract_patches", {"ksizes": "sizes"}),
    "image.resize": Change(_RESIZE),
    "image.resize_area": Change(
        "tf.image.resize(method='area') gives the same unless align_corners", "image.resize"
    ),
    "image.resize_bicubic": Change(_RESIZE, "image.resize"),
    "image.resize_bilinear": Change(_RESIZE, "image.resize"),
    "image.resize_nearest_neighbor": Change(_RESIZE, "image.resize"),
    "image.resize_image_with_pad": Change(_RESIZE, "image.resize_with_pad"),
    "image.sample_distorted_bounding_box": Change(
        "takes one seed (seed2 is gone) and draws another box for it eagerly"
    ),
}
