"""TFM210 graph-seed: tf.set_random_seed is tf.random.set_seed.

https://www.tensorflow.org/api_docs/python/tf/random/set_seed

In eager TF 1 a seed gave the values that it gives in TF 2. In a graph every op without a seed of
its own drew another stream than it does now: a program that isn't eager stays at compat level.
"""

from __future__ import annotations

from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site

SEED = Rule(
    "TFM210",
    "graph-seed",
    "a seed for all random ops of a graph",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/random/set_seed",
)


@SEED.endpoint("tensorflow.set_random_seed", "tensorflow.random.set_random_seed")
def seed(site: Site) -> Result | None:
    """Rename it in an eager program."""
    if site.file.eager:
        return site.renamed_result(SEED, "tensorflow.random.set_seed")
    return site.result(
        SEED,
        f"{site.shown}: in TF 2 a graph's ops draw other streams from the same seed",
        blocks=True,
    )
