"""What `model.predict` shows: nothing in TF 1, a progress bar at each call in Keras 3.

A loop of an agent that asks its model at each step writes thousands of them.
"""

from __future__ import annotations

from migrate.engine.calls import Unbound, bind
from migrate.engine.rule import Result
from migrate.engine.site import MethodSite
from migrate.rewriters.keras_arguments import ARGUMENT
from migrate.rewriters.keras_generators import uses_keras
from migrate.rewriters.keras_lists import is_model

# TF 1.15.5's.
PARAMETERS = (
    *("x", "batch_size", "verbose", "steps", "callbacks"),
    *("max_queue_size", "workers", "use_multiprocessing"),
)


@ARGUMENT.method("predict")
def silent(site: MethodSite) -> Result | None:
    """Say that it shows nothing."""
    call, node, file = site.use.call, site.use.node, site.file
    if call is None or not file.tf1 or not uses_keras(site) or not is_model(node.value, file):
        return None
    try:
        bound = bind(file.text, file.index, call, PARAMETERS)
    except Unbound:
        return None
    if bound.hidden or bound.get("x") is None or bound.get("verbose") is not None:
        return None
    bound.append("verbose=0")
    edits = bound.finish(lambda _, __: True)
    message = "Keras 3's `predict` shows a progress bar"
    return ARGUMENT.fixed(node, message, "verbose=0", edits)
