"""`tf.contrib.image`: `rotate`, `translate` and `transform` are functions of the file.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/image/python/ops/image_ops.py
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import RUNTIME, Blocked, Kind, Value

NAMES = {"rotate": "angles", "translate": "translations", "transform": "transforms"}
TRANSFORM = '''def transform_images(images, transforms, interpolation="NEAREST"):
    """Images whose points come from where projections have them, zeros from outside."""
    images = {tf}.convert_to_tensor(images)
    one, channel = [1] * (images.shape.rank < 4), [1] * (images.shape.rank < 3)
    several = {tf}.reshape(images, {tf}.concat([one, {tf}.shape(images), channel], 0))
    out = {tf}.raw_ops.ImageProjectiveTransformV2(
        images=several, transforms={tf}.reshape({tf}.cast(transforms, {tf}.float32), [-1, 8]),
        output_shape={tf}.shape(several)[1:3], interpolation=interpolation)
    return {tf}.ensure_shape({tf}.reshape(out, {tf}.shape(images)), images.shape)
'''
ROTATE = '''def rotate_images(images, angles, interpolation="NEAREST"):
    """Images turned around their middles."""
    images = {tf}.convert_to_tensor(images)
    first = int(images.shape.rank == 4)  # behind the number of images
    height, width = (
        {tf}.cast({tf}.shape(images)[first + i] - 1, {tf}.float32) for i in range(2))
    angles = {tf}.reshape({tf}.cast(angles, {tf}.float32), [-1])
    cosine, sine, zeros = {tf}.cos(angles), {tf}.sin(angles), {tf}.zeros_like(angles)
    x = (width - (cosine * width - sine * height)) / 2.0
    y = (height - (sine * width + cosine * height)) / 2.0
    rows = [cosine, -sine, x, sine, cosine, y, zeros, zeros]
    return transform_images(images, {tf}.stack(rows, 1), interpolation)
'''
TRANSLATE = '''def translate_images(images, translations, interpolation="NEAREST"):
    """Images moved to the right and down."""
    x, y = {tf}.unstack({tf}.reshape({tf}.cast(translations, {tf}.float32), [-1, 2]), axis=1)
    ones, zeros = {tf}.ones_like(x), {tf}.zeros_like(x)
    rows = [ones, zeros, -x, zeros, ones, -y, zeros, zeros]
    return transform_images(images, {tf}.stack(rows, 1), interpolation)
'''
SOURCES = {"rotate": ROTATE, "translate": TRANSLATE}


@family(*(f"{T}contrib.image.{name}" for name in NAMES))
def projected(walker: Any, name: str, node: ast.Call) -> Value:
    """Images that are projected."""
    kind = name.rpartition(".")[2]
    given = dict(walker.bound(name, node))
    given.pop("name", None)
    said = given.pop("interpolation", None)
    values = [walker.expression(given[k]) for k in given]
    if set(given) != {"images", NAMES[kind]}:
        raise Blocked(node, f"these arguments of tf.contrib.image.{kind}")
    if said is not None and not isinstance(said, ast.Constant):
        raise Blocked(said, "`interpolation` that isn't seen")

    def written(writer: Any) -> str:
        writer.helper("transform_images", TRANSFORM)
        if kind in SOURCES:
            writer.helper(f"{kind}_images", SOURCES[kind])
        parts = [writer.source(given[k]) for k in ("images", NAMES[kind])]
        if said is not None and str(said.value).upper() != "NEAREST":
            parts.append(f'"{str(said.value).upper()}"')
        return f"{kind}_images({', '.join(parts)})"

    walker.rewrites[id(node)] = written
    runtime = any(v.kind in RUNTIME for v in values)
    return Value(Kind.TENSOR if runtime else walker.join(values, node).kind, node=node)
