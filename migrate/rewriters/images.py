"""TFM208 legacy-resize: TF 2 resizes images with other arithmetic.

https://www.tensorflow.org/api_docs/python/tf/image/resize

`tf.image.resize` of TF 2 samples at the centres of pixels and has no `align_corners`: bilinear,
bicubic and nearest give other values. TF 1's functions live on in `tf.compat.v1.image` and keep
them. Area resizing is the same in both.
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.rewriters.kept import keep

RESIZE = Rule(
    "TFM208",
    "legacy-resize",
    "an image function whose TF 2 namesake samples pixels elsewhere",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/image/resize",
)
SAMPLED = "TF 2 samples at the centres of pixels, which gives other values"
KEPT = {
    "extract_glimpse": "TF 2 centres glimpses half a pixel away",
    "resize_bicubic": SAMPLED,
    "resize_bilinear": SAMPLED,
    "resize_image_with_pad": SAMPLED,
    "resize_images": SAMPLED,
    "resize_nearest_neighbor": SAMPLED,
    "sample_distorted_bounding_box": "TF 2 draws another box for the same seed",
    "ResizeMethod": "the members are strings in TF 2, and were numbers",
}


@RESIZE.endpoint(*(f"tensorflow.image.{name}" for name in KEPT))
def kept(site: Site) -> Result | None:
    """Keep TF 1's arithmetic."""
    return keep(site, RESIZE, KEPT[site.endpoint.rpartition(".")[2]], always=True)


@RESIZE.endpoint("tensorflow.image.resize")
def resize(site: Site) -> Result | None:
    """Keep TF 1's arithmetic, unless it is that of an area."""
    try:
        call = site.bind()
    except Unbound as error:
        return keep(site, RESIZE, f"{SAMPLED}; {error}")
    method = call.get("method")
    if method is not None and "align_corners" not in call.args and not call.hidden:
        if isinstance(method.value, ast.Constant) and method.value.value == "area":
            return None
    return keep(site, RESIZE, SAMPLED)


@RESIZE.endpoint("tensorflow.image.resize_area")
def area(site: Site) -> Result | None:
    """Name the method; keep TF 1's function where corners are aligned."""
    try:
        call = site.bind()
    except Unbound as error:
        return keep(site, RESIZE, str(error))
    corners = call.get("align_corners")
    if call.hidden or (corners is not None and not _false(corners.value)):
        return keep(site, RESIZE, "corners may be aligned, which TF 2 doesn't do")
    if corners is not None:
        call.remove("align_corners")
    call.append('method="area"')
    edits, imports, drops = site.rename("tensorflow.image.resize")
    return site.result(
        RESIZE,
        f"{site.shown} is tf.image.resize(…, method='area') in TF 2",
        fix="tf.image.resize",
        edits=[*edits, *call.finish()],
        imports=imports,
        drops=drops,
    )


def _false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is False
