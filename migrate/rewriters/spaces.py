"""TFM217 block-size: tf.space_to_batch takes a block size per dimension, before its paddings.

https://www.tensorflow.org/api_docs/python/tf/space_to_batch

TF 1's `block_size=2` (or `block_shape=2`) is `block_shape=[2, 2]`. A size that isn't
a literal keeps TF 1's function from `tf.compat.v1`.
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.rewriters.kept import keep

BLOCK = Rule(
    "TFM217",
    "block-size",
    "tf.space_to_batch with one block size",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/space_to_batch",
)


@BLOCK.endpoint("tensorflow.space_to_batch", "tensorflow.nn.space_to_batch")
def space_to_batch(site: Site) -> Result | None:
    """Name the arguments and give a size per dimension."""
    try:
        call = site.bind()
    except Unbound as error:
        return keep(site, BLOCK, str(error))
    name = "block_size" if "block_size" in call.args else "block_shape"
    size = call.get(name)
    if call.hidden or size is None or not isinstance(size.value, (ast.Constant, ast.List)):
        return keep(site, BLOCK, "TF 2 takes a size per dimension")
    if isinstance(size.value, ast.Constant):
        call.replace_value(name, "[{0}, {0}]".format(call.source(name)))
    call.rename(name, "block_shape")
    edits = call.finish(lambda place, _: place < 1)
    if not edits:
        return None
    return site.result(
        BLOCK, f"{site.shown} takes `block_shape` before `paddings` in TF 2", fix="block_shape",
        edits=edits,
    )  # fmt: skip
