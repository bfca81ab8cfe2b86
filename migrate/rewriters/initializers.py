"""TFM209 initializer-dtype: initializers take their type when called, and draw other values.

https://www.tensorflow.org/api_docs/python/tf/random_normal_initializer

TF 1's initializers took `dtype` when made, `tf.random_normal_initializer` had a deviation of 1.0
(0.05 in TF 2) and a seed gave other values. `tf.compat.v1` has them, Keras 3 takes them, and their
values stay. Zeros and ones without a dtype, and a constant float, are the same in TF 2 and stay.
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.rewriters.kept import keep

INITIALIZER = Rule(
    "TFM209",
    "initializer-dtype",
    "an initializer whose TF 2 namesake takes other arguments or draws other values",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/random_normal_initializer",
)
KERAS = (
    "constant glorot_normal glorot_uniform he_normal he_uniform identity lecun_normal "
    "lecun_uniform ones orthogonal random_normal random_uniform truncated_normal "
    "variance_scaling zeros"
)

DRAWN = (
    "glorot_normal glorot_uniform orthogonal random_normal random_uniform truncated_normal "
    "variance_scaling"
)


@INITIALIZER.endpoint(
    *(f"tensorflow.{name}_initializer" for name in DRAWN.split()),
    *(f"tensorflow.initializers.{name}" for name in KERAS.split()),
)
def drawn(site: Site) -> Result | None:
    """Keep TF 1's initializer."""
    return keep(site, INITIALIZER, "TF 2's has other defaults and draws other values", always=True)


@INITIALIZER.endpoint("tensorflow.zeros_initializer", "tensorflow.ones_initializer")
def plain(site: Site) -> Result | None:
    """Leave one that is made without a dtype."""
    if site.call is None:
        return None
    if not site.call.args and not site.call.keywords:
        return None
    return keep(site, INITIALIZER, "TF 2's takes its dtype when called, not when made")


@INITIALIZER.endpoint("tensorflow.constant_initializer")
def constant(site: Site) -> Result | None:
    """Leave a float without a dtype."""
    try:
        call = site.bind()
    except Unbound:
        return keep(site, INITIALIZER, "what it is made of can't be seen")
    value = call.get("value")
    if set(call.args) == {"value"} and value is not None and not call.hidden:
        if isinstance(value.value, ast.Constant) and isinstance(value.value.value, float):
            return None
    return keep(site, INITIALIZER, "TF 2's takes the type of its value unless it is told another")
