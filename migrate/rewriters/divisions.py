"""TFM236 python2-division: tf.div divides as Python 2 did.

https://www.tensorflow.org/api_docs/python/tf/math/divide

Floats it divides as `tf.divide` does, integers it gives the floor of. Where one of the two surely
is a float, the other one is, too: TF 1 converts no types. What isn't seen keeps
`tf.compat.v1.div`.
"""

from __future__ import annotations

from migrate.engine.calls import Unbound
from migrate.engine.floating import Floating
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, Site
from migrate.rewriters.kept import keep

DIVISION = Rule(
    "TFM236",
    "python2-division",
    "a division as in Python 2",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/math/divide",
)


@DIVISION.endpoint("tensorflow.div")
def div(site: Site) -> Result | None:
    """Name the division of floats."""
    why = "divides as Python 2 did: integers give their floor"
    if not site.file.tf1:
        return None
    try:
        call = site.bind()
    except Unbound:
        return keep(site, DIVISION, why, always=True)
    known = site.file.memo.get("floating")
    if known is None:
        endpoints = {
            id(r.node): r.name.replace(V1, "tensorflow") for r in site.file.names.references
        }
        known = site.file.memo["floating"] = Floating(site.file.tree, endpoints)
    parts = [call.get("x"), call.get("y")]
    if any(part is not None and known.of(part.value) for part in parts):
        return site.renamed_result(DIVISION, "tensorflow.divide", f"{site.shown} of floats")
    return keep(site, DIVISION, why, always=True)
