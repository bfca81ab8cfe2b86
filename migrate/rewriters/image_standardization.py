"""TFM239 image-standardization: tf.image.per_image_standardization keeps an image's type in 1.15.

https://www.tensorflow.org/api_docs/python/tf/image/per_image_standardization

TF 2 gives float32, whatever the image was. 1.15.5 gives integers for integers: it takes an image
of bytes as numbers between 0 and 1, and what comes out is made bytes again: what is negative is 0,
what is above 1 is 255. Both conversions are written out where the image isn't surely of floats.
Early releases of TF 1 gave float32, as TF 2 does: a program of that time is better without them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.engine.calls import Unbound
from migrate.engine.findings import Edit
from migrate.engine.floating import OTHERS, TYPES, Floating
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, Site
from migrate.engine.trees import all_of, parents_of

RULE = Rule(
    "TFM239",
    "image-standardization",
    "an image of integers that is standardized",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/image/per_image_standardization",
)
DECODED = frozenset({"decode_jpeg", "decode_png", "decode_bmp", "decode_gif", "decode_image"})
# What gives the type of the image that it is given first.
KEPT = frozenset(
    [
        *("random_crop", "resize_image_with_crop_or_pad", "resize_with_crop_or_pad", "reshape"),
        *("random_flip_left_right", "random_flip_up_down", "flip_left_right", "flip_up_down"),
        *("random_brightness", "random_contrast", "random_hue", "random_saturation", "transpose"),
        *("adjust_brightness", "adjust_contrast", "crop_to_bounding_box", "pad_to_bounding_box"),
        *("central_crop", "rot90", "transpose_image", "squeeze", "expand_dims", "slice"),
        *("strided_slice", "identity"),
    ]
)
FLOAT, BYTES = "float", "uint8"
STANDARDIZE = "tensorflow.image.per_image_standardization"


@RULE.compat(STANDARDIZE)
@RULE.endpoint(STANDARDIZE)
def standardized(site: Site) -> Result | None:
    """Convert the image, and what comes out of it."""
    if not site.file.tf1:
        return None
    said = "gives float32 in TF 2, and gave integers for an image of integers"
    try:
        call = site.bind()
    except Unbound as error:
        return RULE.report(site.node, f"{site.shown} {said}; {error}", blocks=False)
    image = call.get("image")
    if image is None or site.call is None:
        return RULE.report(site.node, f"{site.shown} {said}", blocks=False)
    known = Told(site).of(image.value, site.call)
    if known == FLOAT:
        return None
    if not known and not isinstance(image.value, (ast.Name, ast.Attribute)):
        return RULE.report(site.node, f"{site.shown} {said}", blocks=False)
    convert, imports = site.spell("tensorflow.image.convert_image_dtype")
    float32, more = site.spell("tensorflow.float32")
    dtype = f"{site.file.source(image.value)}.dtype"
    if known:
        dtype, again = site.spell(f"tensorflow.{known}")
        more += again
    call.wrap("image", f"{convert}(", f", {float32})")
    edits, needs, drops = site.rename(STANDARDIZE)
    start, end = site.file.index.span(site.call)
    around = [Edit(start, start, f"{convert}("), Edit(end, end, f", {dtype}, saturate=True)")]
    return site.result(
        RULE,
        f"{site.shown} {said}",
        fix="tf.image.convert_image_dtype(…, saturate=True)",
        edits=[around[0], *edits, *call.finish(), around[1]],
        imports=[*imports, *more, *needs],
        drops=drops,
    )


class Told:
    """What is told of an image's type where it stands."""

    def __init__(self, site: Site) -> None:
        file = site.file
        self.endpoints = {
            id(r.node): r.name.replace(V1, "tensorflow") for r in file.names.references
        }
        floating = file.memo.get("floating")
        if floating is None:
            floating = file.memo["floating"] = Floating(file.tree, self.endpoints)
        self.floating: Floating = floating
        self.parents = parents_of(file.tree)

    def of(self, node: ast.expr, at: ast.AST) -> str:
        """Whether it is of floats, or which integers these are; nothing where that isn't seen."""
        if isinstance(node, ast.Name):
            value, home = self._before(node.id, at)
            if value is not None and home is not None:
                return self.of(value, home)
        if isinstance(node, ast.BinOp):
            both = {self.of(node.left, at), self.of(node.right, at)}
            return FLOAT if FLOAT in both else ""
        if isinstance(node, ast.Call):
            kind = self.endpoints.get(id(node.func), "").rpartition(".")[2]
            given = dict(zip(range(9), node.args, strict=False))
            named = {k.arg: k.value for k in node.keywords}
            if kind in DECODED and "dtype" not in named:
                return BYTES
            if kind in ("cast", "convert_image_dtype", "decode_raw"):
                place = named.get("dtype", named.get("out_type", given.get(1)))
                return self._type(place)
            if kind in KEPT and (first := given.get(0, named.get("image"))) is not None:
                return self.of(first, at)
        return FLOAT if self.floating.of(node) else ""

    def _type(self, node: ast.expr | None) -> str:
        said = getattr(node, "attr", getattr(node, "id", getattr(node, "value", "")))
        if said in TYPES:
            return FLOAT
        return said if said in OTHERS else ""

    def _before(self, name: str, at: ast.AST) -> tuple[ast.expr | None, ast.stmt | None]:
        """What a name was given last, above a place of the same function, and where."""
        node = at
        while (outer := self.parents.get(id(node))) is not None:
            for body in (getattr(outer, "body", None), getattr(outer, "orelse", None)):
                if isinstance(body, list) and node in body:
                    found = self._last(body[: body.index(node)], name)
                    if isinstance(found, ast.Assign) and isinstance(found.targets[0], ast.Name):
                        return found.value, found
                    if found is not None:
                        return None, None
            if isinstance(outer, (ast.For, ast.While, ast.FunctionDef, ast.Lambda, ast.Try)):
                break  # another round, or a caller, may have given it something else
            node = outer
        return None, None

    @staticmethod
    def _last(body: Sequence[ast.stmt], name: str) -> ast.stmt | None:
        for stmt in reversed(body):
            names = all_of(stmt, ast.Name)
            if any(n.id == name and not isinstance(n.ctx, ast.Load) for n in names):
                return stmt
        return None
