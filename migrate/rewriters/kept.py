"""TFM220 legacy-op: an op whose TF 2 namesake gives other numbers.

`tf.compat.v1` of TF 2.21 has the op of TF 1, and without a graph too it gives TF 1's values. Where
no TF 2 form is sure to give them, a program without a graph keeps the old op, so that its numbers
stay: `tf.nn.ctc_loss`, whose arguments and blank label moved, and the fractional pools. A decoder
that is told `merge_repeated=False` is TF 2's.
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound
from migrate.engine.findings import Edit, Level
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, Site

LEGACY = Rule(
    "TFM220",
    "legacy-op",
    "an op whose TF 2 namesake gives other numbers",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/compat/v1",
)
DECODER = "tensorflow.nn.ctc_beam_search_decoder"
WHY = {
    "nn.ctc_loss": "TF 2 orders its arguments otherwise and takes another index as the blank",
    "nn.ctc_beam_search_decoder": "TF 2 never merges repeated labels",
    "nn.fractional_avg_pool": "TF 2 has no `deterministic` and `seed2`",
    "nn.fractional_max_pool": "TF 2 has no `deterministic` and `seed2`",
}


def keep(site: Site, rule: Rule, why: str, *, always: bool = False) -> Result:
    """The op of TF 1, under the name that TF 2.21 has for it.

    ``always``: whatever its arguments, so that an import of the name alone may change.
    """
    target = V1 + site.endpoint.removeprefix("tensorflow")
    message = f"{site.shown}: {why}"
    binding = site.ref.binding
    if always or site.ref.literal is not None or binding.target != site.endpoint:
        return site.renamed_result(rule, target, message)
    # `from tensorflow import where`: its other uses may mean TF 2's.
    text, imports = site.spell(target)
    return site.result(
        rule,
        message,
        fix="tf" + target.removeprefix("tensorflow"),
        edits=[Edit(*site.file.index.span(site.node), text)],
        imports=imports,
        drops=True,
    )


@LEGACY.endpoint(*(f"tensorflow.{name}" for name in WHY))
def legacy(site: Site) -> Result | None:
    """Keep TF 1's op, but for a decoder that is told to do as TF 2's does."""
    return _unmerged(site) or keep(
        site, LEGACY, WHY[site.endpoint.removeprefix("tensorflow.")], always=True
    )


def _unmerged(site: Site) -> Result | None:
    """``merge_repeated=False``: what TF 2 does, which lacks the argument."""
    if site.endpoint != DECODER or site.level is not Level.NATIVE or site.call is None:
        return None
    try:
        call = site.bind()
    except Unbound:
        return None
    merged = call.get("merge_repeated")
    value = merged.value if merged is not None else None
    if call.hidden or not isinstance(value, ast.Constant) or value.value is not False:
        return None
    call.remove("merge_repeated")
    edits, imports, drops = site.rename(DECODER)
    why = "TF 2 has no `merge_repeated`, and never merges repeated labels"
    edits += call.finish()
    fix = "tf.nn.ctc_beam_search_decoder"
    return site.result(
        LEGACY, f"{site.shown}: {why}", fix=fix, edits=edits, imports=imports, drops=drops
    )
