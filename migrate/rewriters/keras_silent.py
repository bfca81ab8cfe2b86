"""What `model.predict` shows: nothing in TF 1, a progress bar at each call in Keras 3.

A loop of an agent that asks its model at each step writes thousands of them.
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.rule import Result
from migrate.engine.site import MethodSite
from migrate.rewriters.keras_arguments import ARGUMENT
from migrate.rewriters.keras_generators import uses_keras
from migrate.rewriters.keras_lists import is_model

VERBOSE = 2  # the place of `verbose`, behind `x` and `batch_size`


@ARGUMENT.method("predict")
def silent(site: MethodSite) -> Result | None:
    """Say that it shows nothing."""
    call, node, file = site.use.call, site.use.node, site.file
    if call is None or not file.tf1 or not uses_keras(site) or not is_model(node.value, file):
        return None
    given = [*call.args, *(k.value for k in call.keywords)]
    hidden = any(isinstance(a, ast.Starred) for a in call.args)
    hidden = hidden or any(k.arg in (None, "verbose") for k in call.keywords)
    if not given or hidden or len(call.args) > VERBOSE:
        return None
    end = max(file.index.span(g)[1] for g in given)
    while file.text[end : end + 1] == ")" and end + 1 < file.index.span(call)[1]:
        end += 1  # `predict((x))`
    edits = [Edit(end, end, ", verbose=0")]
    message = "Keras 3's `predict` shows a progress bar"
    return ARGUMENT.fixed(node, message, "verbose=0", edits)
