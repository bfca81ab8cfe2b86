"""The static shapes of what reads and distorts inputs: records, crops, pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from migrate.programs.graph.sizing.static_run.sizes import shape_of, size, sizes
from migrate.programs.graph.sizing.static_run.values import OPEN, UNKNOWN, Sizes, Tensor

Given = Mapping[str, Any]
DECODED = ("decode_jpeg", "decode_png", "decode_bmp", "decode_and_crop_jpeg")
PICTURES = [f"{module}.{name}" for module in ("image", "io") for name in DECODED]


def _decoded(given: Given, _: Sizes | None) -> Tensor:
    below = shape_of(given.get("bytes", given.get("input_bytes", UNKNOWN)))
    return Tensor((*below, None)) if below is not None else OPEN


def _picture(given: Given, _: Sizes | None) -> Tensor:
    """A picture of some height and width; how many channels is told, or isn't (0)."""
    number = size(given.get("channels"))
    return Tensor((None, None, number or None))


def _alike(given: Given, _: Sizes | None) -> Tensor:
    return Tensor(shape_of(given.get("image", given.get("images", UNKNOWN))))


def _cropped(given: Given, _: Sizes | None) -> Tensor:
    """Crops and pads to a height and a width; the channels stay."""
    below = shape_of(given.get("image", UNKNOWN))
    if below is None or len(below) not in (3, 4):
        return OPEN
    new = (size(given.get(f"target_{side}")) for side in ("height", "width"))
    return Tensor((*below[:-3], *new, below[-1]))


OPS: dict[str, Callable[[Given, Sizes | None], Any]] = {
    "decode_raw": _decoded,
    "io.decode_raw": _decoded,
    **dict.fromkeys(PICTURES, _picture),
    "random_crop": lambda given, _: Tensor(sizes(given.get("size"))),
    "image.random_crop": lambda given, _: Tensor(sizes(given.get("size"))),
    **dict.fromkeys(
        ("image.resize_image_with_crop_or_pad", "image.crop_to_bounding_box"), _cropped
    ),
    **dict.fromkeys(
        (
            *("image.per_image_standardization", "image.random_brightness"),
            *("image.random_flip_left_right", "image.random_flip_up_down"),
            *("image.random_hue", "image.random_saturation", "image.random_contrast"),
            *("image.flip_left_right", "image.flip_up_down", "image.convert_image_dtype"),
            *("image.adjust_brightness", "image.adjust_contrast"),
        ),
        _alike,
    ),
}
