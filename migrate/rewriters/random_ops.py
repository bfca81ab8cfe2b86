"""TFM210 graph-seed: tf.set_random_seed is tf.random.set_seed.

https://www.tensorflow.org/api_docs/python/tf/random/set_seed

In eager TF 1 a seed gave the values that it gives in TF 2. In a graph every op without a seed of
its own drew another stream than it does now: a program that isn't eager stays at compat level.
Where Keras trains, which Keras 3 does without a graph, it is renamed too: Keras 3 draws numbers of
its own from any seed, whatever the level.
"""

from __future__ import annotations

from migrate.engine.plan import EAGER
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.rewriters.keras_seeds import KERAS, keras_draws

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
    target = "tensorflow.random.set_seed"
    if site.file.eager:
        if any(r.name in EAGER for r in site.file.names.references):
            return site.renamed_result(SEED, target)
        what = f"{site.shown}: Keras 3 draws other numbers from a seed than TF 1's Keras did"
        if keras_draws(site.file.text):
            what += f", and its initial values need tf.{KERAS}"
        return site.renamed_result(SEED, target, what)
    return site.result(
        SEED,
        f"{site.shown}: in TF 2 a graph's ops draw other streams from the same seed",
        blocks=True,
    )
