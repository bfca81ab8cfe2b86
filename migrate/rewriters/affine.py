"""TFM224 affine-op: `tf.nn.xw_plus_b(x, w, b)` is `tf.nn.bias_add(tf.matmul(x, w), b)`.

https://www.tensorflow.org/api_docs/python/tf/nn/bias_add

It was those two ops, and `tf.nn.relu_layer(x, w, b)` was `tf.nn.relu` of them. Where the arguments
can't be told apart TF 1's function is kept from `tf.compat.v1`.
"""

from __future__ import annotations

from migrate.engine.calls import Unbound
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.rewriters.kept import keep

AFFINE = Rule(
    "TFM224",
    "affine-op",
    "tf.nn.xw_plus_b and relu_layer, a product and a bias in one",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/nn/bias_add",
)


@AFFINE.endpoint("tensorflow.nn.xw_plus_b")
def xw_plus_b(site: Site) -> Result | None:
    """Write the two ops."""
    return _written(site)


@AFFINE.endpoint("tensorflow.nn.relu_layer")
def relu_layer(site: Site) -> Result | None:
    """Write the three ops."""
    return _written(site, "tensorflow.nn.relu")


def _written(site: Site, outer: str = "") -> Result | None:
    try:
        call = site.bind()
    except Unbound as error:
        return keep(site, AFFINE, str(error))
    names = ("x", "weights", "biases")
    given = [call.get(name) for name in names]
    if call.hidden or any(a is None or a.keyword is not None or a.bare for a in given):
        return keep(site, AFFINE, "its arguments aren't three in a row")
    matmul, imports = site.spell("tensorflow.matmul")
    call.wrap("weights", "", ")")
    said, fix = "tf.matmul and tf.nn.bias_add", "tf.nn.bias_add(tf.matmul(…), …)"
    if outer:
        bias_add, more = site.spell("tensorflow.nn.bias_add")
        imports = [*imports, *more]
        call.wrap("x", f"{bias_add}({matmul}(", "")
        call.wrap("biases", "", ")")
        said, fix = "tf.matmul, tf.nn.bias_add and tf.nn.relu", f"tf.nn.relu({fix})"
    else:
        call.wrap("x", f"{matmul}(", "")
    edits, needs, drops = site.rename(outer or "tensorflow.nn.bias_add")
    return site.result(
        AFFINE,
        f"{site.shown} is {said} in TF 2",
        fix=fix,
        edits=[*edits, *call.finish()],
        imports=[*imports, *needs],
        drops=drops,
    )
