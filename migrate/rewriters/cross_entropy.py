"""TFM214 label-gradient: softmax_cross_entropy_with_logits now lets gradients into the labels.

https://www.tensorflow.org/api_docs/python/tf/nn/softmax_cross_entropy_with_logits

TF 1's function stopped them. `tf.stop_gradient` around the labels says the same in TF 2; it is left
out where the labels plainly have no gradient (`tf.one_hot`, numbers). Arguments without names are
those of 0.x (TFM127); `dim` is `axis`. Labels that a `**` hides keep TF 1's function.
"""

from __future__ import annotations

import ast

from migrate.engine.calls import BoundCall, Unbound
from migrate.engine.rule import Import, Result, Rule
from migrate.engine.site import Site
from migrate.engine.values import values_of
from migrate.rewriters.kept import keep
from migrate.rewriters.unnamed_labels import as_before, refused, starred

LABELS = Rule(
    "TFM214",
    "label-gradient",
    "softmax_cross_entropy_with_logits, which stopped the gradient of its labels",
    module=__name__,
    doc=__doc__,
    url="https://www.tensorflow.org/api_docs/python/tf/nn/softmax_cross_entropy_with_logits",
)
# Nothing flows back through these.
STOPS = frozenset({"one_hot", "stop_gradient", "eye", "zeros", "ones", "constant"})


def constant(site: Site, node: ast.expr, depth: int = 3) -> bool:
    """Whether an expression has no gradient, whatever its parts are."""
    values = values_of(site.file)
    if isinstance(node, ast.Call):
        return values.endpoint(node.func) in STOPS
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(constant(site, item, depth) for item in node.elts)
    if isinstance(node, ast.Name) and depth:
        found = values.assigned_to(node.id, site.ref.scope)
        return bool(found) and all(constant(site, item, depth - 1) for item in found or ())
    return isinstance(node, ast.Constant)


@LABELS.endpoint("tensorflow.nn.softmax_cross_entropy_with_logits")
def cross_entropy(site: Site) -> Result | None:
    """Stop the gradient of the labels."""
    try:
        before = as_before(site)
    except Unbound as error:
        return keep(site, LABELS, str(error)) if starred(site) else refused(site, str(error))
    try:
        call = before or site.bind()
    except Unbound as error:
        return keep(site, LABELS, str(error))
    if call.hidden or not {"labels", "logits"} <= set(call.args):
        return keep(site, LABELS, "its arguments can't be seen")
    if before is None and call.get("_sentinel") is not None:
        return site.result(LABELS, f"{site.shown} takes named arguments only", blocks=True)
    imports = _stop(site, call)
    if "dim" in call.args:
        call.rename("dim", "axis")
    edits = call.finish(lambda place, _: False)
    if not edits:
        return None
    return site.result(
        LABELS,
        f"{site.shown} lets gradients into its labels in TF 2",
        fix="tf.stop_gradient(labels)",
        edits=edits,
        imports=imports,
    )


def _stop(site: Site, call: BoundCall) -> list[Import]:
    if constant(site, call.args["labels"].value):
        return []
    text, imports = site.spell("tensorflow.stop_gradient")
    call.wrap("labels", f"{text}(", ")")
    return imports
