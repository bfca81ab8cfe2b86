"""TFM206 dimension-value: the size of a dimension is an int now, without a `.value`.

https://www.tensorflow.org/guide/migrate/tf1_vs_tf2#tensorshape

`x.shape[0]` was a Dimension and its size `x.shape[0].value`; in TF 2 `x.shape[0]` is the int or
None itself. `.value` goes where what it stands on is provably a dimension of a static shape: an
item of a `.shape` or a `.get_shape()`, or a name that only ever stands for one; `.dims[0].value`
still works and stays.
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit, Level
from migrate.engine.rule import Result, Rule
from migrate.engine.site import MethodSite
from migrate.engine.values import values_of

DIMENSION = Rule(
    "TFM206",
    "dimension-value",
    "the .value of a dimension",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/migrate/tf1_vs_tf2#tensorshape",
)


@DIMENSION.method("value")
def value(site: MethodSite) -> Result | None:
    """Drop the `.value`."""
    if site.level is not Level.NATIVE or not site.file.tf1 or site.use.call is not None:
        return None
    node = site.use.node
    if not isinstance(node.ctx, ast.Load):
        return None
    values = values_of(site.file)
    if values.kind(node.value, site.use.scope) != "dimension":
        return None
    _, inner = site.file.index.span(node.value)
    _, end = site.file.index.span(node)
    dot = site.file.text.rindex(".", inner, end)
    return DIMENSION.fixed(
        node,
        "a dimension of a shape is an int in TF 2, without `.value`",
        "the dimension",
        [Edit(dot, end, "")],
    )
