"""TFM213 sparse-split: splitting strings gave a SparseTensor and gives a RaggedTensor in TF 2.

https://www.tensorflow.org/api_docs/python/tf/strings/split

For a literal list of strings `tf.strings.split(…).to_sparse()` is what TF 1's `tf.strings.split`
gave. `tf.string_split` splits at every character of its delimiter, of which it skips repeats, and
what isn't a list may be a scalar; these keep TF 1's function from `tf.compat.v1`.
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound
from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import Site
from migrate.rewriters.kept import keep

SPLIT = Rule(
    "TFM213",
    "sparse-split",
    "a split of strings that gives a SparseTensor",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/strings/split",
)


@SPLIT.endpoint("tensorflow.string_split")
def string_split(site: Site) -> Result | None:
    """Keep TF 1's."""
    return keep(
        site, SPLIT, "TF 2 splits at the whole separator and gives a RaggedTensor", always=True
    )


@SPLIT.endpoint("tensorflow.strings.split")
def split(site: Site) -> Result | None:
    """Make the ragged result of a list sparse; keep TF 1's otherwise."""
    why = "TF 2 gives a RaggedTensor"
    try:
        call = site.bind()
    except Unbound as error:
        return keep(site, SPLIT, f"{why}; {error}")
    name = "source" if "source" in call.args else "input"
    given = call.get(name)
    if call.hidden or "result_type" in call.args or given is None:
        return keep(site, SPLIT, why)
    if not isinstance(given.value, (ast.List, ast.Tuple)):
        return keep(site, SPLIT, why)
    parent = site.ref.parent
    assert site.call is not None
    if isinstance(parent, ast.Call) and _made_sparse(site):
        return None
    if given.keyword == "source":
        call.rename("source", "input")
    _, end = site.file.index.span(site.call)
    return site.result(
        SPLIT,
        f"{site.shown}: {why}",
        fix="tf.strings.split(…).to_sparse()",
        edits=[*call.finish(), Edit(end, end, ".to_sparse()")],
    )


def _made_sparse(site: Site) -> bool:
    """Whether `.to_sparse()` stands behind the call already."""
    assert site.call is not None
    _, end = site.file.index.span(site.call)
    return site.file.text[end:].lstrip(" )\t\r\n").startswith(".to_sparse(")
