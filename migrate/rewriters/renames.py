"""TFM101 renamed-endpoint: the endpoint lives on under another name.

`tf.log` is `tf.math.log`, `tf.random_normal` is `tf.random.normal`. The new name takes the same
calls and gives the same values, in a graph and eagerly, so only the name changes. Where the name
was imported by itself (`from tensorflow import log`) the import changes and its uses stay.
"""

from __future__ import annotations

from migrate.engine.findings import Level
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.symbols.outcomes import Renamed, Same

RENAMED = Rule(
    "TFM101",
    "renamed-endpoint",
    "an endpoint that TF 2 has under another name",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/guide/migrate/upgrade",
)


@RENAMED.outcome(Renamed, Level.NATIVE)
def rename(site: Site) -> Result | None:
    """Write the new name."""
    assert site.record is not None
    assert isinstance(site.record.outcome, Renamed)
    return site.renamed_result(RENAMED, site.record.outcome.target)


@RENAMED.outcome(Same, Level.NATIVE)
def named_otherwise(site: Site) -> Result | None:
    """Write the public name where the place has another one, `tf.contrib.keras.preprocessing`."""
    if not site.ref.name.startswith("tensorflow.contrib.") or site.ref.literal is not None:
        return None
    return site.renamed_result(RENAMED, site.endpoint)
