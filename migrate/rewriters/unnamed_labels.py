"""TFM127 unnamed-labels: a cross entropy of logits whose arguments have no names.

TensorFlow 0.x took the logits first: `tf.nn.softmax_cross_entropy_with_logits(logits, labels)`. 1.x
refused arguments without names, as it had turned them round, and TF 2 takes the labels first: such
a call would go on with the two exchanged, without a word. They get the names that they had.

https://github.com/tensorflow/tensorflow/releases/tag/v1.0.0
"""

from __future__ import annotations

import ast

from migrate.engine import rule as rules
from migrate.engine.calls import BoundCall, Unbound, bind
from migrate.engine.findings import Level
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, Site

UNNAMED = Rule(
    "TFM127",
    "unnamed-labels",
    "a cross entropy of logits whose arguments have no names",
    module=__name__,
    doc=__doc__,
    url="https://github.com/tensorflow/tensorflow/releases/tag/v1.0.0",
)
SOFTMAX = "tensorflow.nn.softmax_cross_entropy_with_logits"
SIGMOID = "tensorflow.nn.sigmoid_cross_entropy_with_logits"
SPARSE = "tensorflow.nn.sparse_softmax_cross_entropy_with_logits"
# The parameters of 0.x in their order.
OLD = {
    SOFTMAX: ("logits", "labels", "dim", "name"),
    SIGMOID: ("logits", "targets", "name"),
    SPARSE: ("logits", "labels", "name"),
}


def as_before(site: Site) -> BoundCall | None:
    """A call with the places of 0.x, its arguments named; None: those of 1.x, or one of TF 2.

    Raises:
        Unbound: some of its arguments aren't seen.
    """
    call = site.call
    if call is None or not call.args or not site.file.tf1:
        return None
    if any(r.name.startswith(f"{V1}.") for r in site.file.names.references):
        return None  # what TF 2's names stand beside has TF 2's places
    first = call.args[0]
    text, index = site.file.text, site.file.index
    if isinstance(first, ast.Constant) and first.value is None:
        bound = bind(text, index, call, ("_sentinel", "labels", "logits", "dim", "name"))
        bound.remove("_sentinel")
        return bound
    names = list(OLD[site.endpoint])
    if any(k.arg == "labels" for k in call.keywords):
        names = ["labels" if name == "targets" else name for name in names]
    bound = bind(text, index, call, names)
    if bound.hidden or not {"logits", names[1]} <= set(bound.args):
        raise Unbound("its arguments can't be seen")
    if "targets" in bound.args:
        bound.rename("targets", "labels")
    return bound


@UNNAMED.endpoint(SIGMOID, SPARSE)
@UNNAMED.compat(SOFTMAX, SIGMOID, SPARSE)
def unnamed(site: Site) -> Result | None:
    """Name the arguments of a call in the order of 0.x."""
    further = None
    if site.level is Level.COMPAT or site.endpoint != SOFTMAX:
        assert site.record is not None
        found = rules.handler_of(site.record.outcome, site.level)
        further = found[1](site) if found is not None else None
    try:
        call = as_before(site)
    except Unbound as error:
        if site.level is Level.COMPAT or starred(site):
            return further
        return refused(site, str(error))
    if call is None:
        return further
    result = site.result(
        UNNAMED,
        f"{site.shown} takes the labels first in TF 2",
        fix="the arguments by name",
        edits=call.finish(lambda place, _: False),
    )
    result.switch = site.level is Level.COMPAT
    return result


def starred(site: Site) -> bool:
    """Whether a call unpacks its arguments."""
    return site.call is not None and any(isinstance(a, ast.Starred) for a in site.call.args)


def refused(site: Site, why: str) -> Result:
    """A call that no release takes as it stands."""
    return site.result(UNNAMED, f"{site.shown} takes named arguments only; {why}", blocks=True)
