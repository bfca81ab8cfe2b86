"""TFM207 pairwise-loss: mean_pairwise_squared_error gives another number outside a graph.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses

TF 1's losses are in `tf.compat.v1.losses` and give the same numbers without a graph, reductions and
weights included; Keras 3 has no reduction that divides by the number of weights that aren't zero.
This one alone does not, so its program keeps its graph.
"""

from __future__ import annotations

from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site

PAIRWISE = Rule(
    "TFM207",
    "pairwise-loss",
    "tf.losses.mean_pairwise_squared_error",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses",
)


@PAIRWISE.endpoint("tensorflow.losses.mean_pairwise_squared_error")
def pairwise(site: Site) -> Result | None:
    """Say that it needs its graph."""
    return site.result(
        PAIRWISE, f"{site.shown} gives another number in TF 2 without a graph", blocks=True
    )
