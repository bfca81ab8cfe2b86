"""TFM235 transposed-shape: a transposed convolution forgets the size of its batch.

https://www.tensorflow.org/api_docs/python/tf/nn/conv2d_transpose

In TF 1.15 the result's static shape was all that `output_shape` says. TF 2.21 takes the first size
from the input, which is often None: `tf.reshape(y, y.get_shape())` and `int(y.shape[0])` behind it
raise. In a program that keeps its graph the op comes from `migrate.tf1_shim`, which tells its
result the shape. Where `output_shape` takes the batch's size from a tensor, TF 1.15 didn't know it.
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound
from migrate.engine.findings import Applicability
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.engine.trees import all_of
from migrate.rewriters.compat_v1 import compat
from migrate.symbols import shims

TRANSPOSED = Rule(
    "TFM235",
    "transposed-shape",
    "a transposed convolution whose static shape is told",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/nn/conv2d_transpose",
)


@TRANSPOSED.compat("tensorflow.nn.conv2d_transpose", "tensorflow.nn.atrous_conv2d_transpose")
def transposed(site: Site) -> Result | None:
    """Take it from the shim."""
    home = shims.home(site.endpoint)
    if home is None or (site.call is not None and _of_a_tensor(site)):
        return compat(site)
    edits, imports, drops = site.rename(home)
    result = site.result(
        TRANSPOSED,
        f"{site.shown} of TF 2.21 takes the batch's size from its input; {home} tells all of it",
        fix=home,
        edits=edits,
        imports=imports,
        drops=drops,
    )
    result.applicability = Applicability.SAFE
    result.switch = True
    return result


def _of_a_tensor(site: Site) -> bool:
    """Whether the batch's size plainly is a tensor's."""
    try:
        given = site.bind().get("output_shape")
    except Unbound:
        return False
    shape = given.value if given is not None else None
    if isinstance(shape, ast.Call) and shape.args:
        shape = shape.args[0]  # tf.stack([…])
    if not isinstance(shape, (ast.List, ast.Tuple)) or not shape.elts:
        return False
    first = shape.elts[0]
    called = (n.func for n in all_of(first, ast.Call))
    return any(isinstance(f, ast.Attribute) and f.attr == "shape" for f in called)
