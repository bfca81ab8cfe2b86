"""TFM227 keras-generator-method: `fit_generator` and its like, which Keras 3's models don't have.

`fit`, `evaluate` and `predict` take generators themselves. The arguments that followed the
generator get their names; `workers`, `max_queue_size` and `use_multiprocessing` go, as Keras 3 has
them in `PyDataset` only, where they change speed and nothing else. `predict_proba` is `predict`;
`predict_classes` is reported. What was silent stays silent (`verbose=0`). A plain generator that
`predict` is given yields tuples, `(x,)`, in Keras 3; its author has to see to that.

https://keras.io/api/models/model_training_apis/
"""

from __future__ import annotations

import ast

from migrate.engine.calls import Unbound, bind
from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import MethodSite
from migrate.engine.trees import walk

METHODS = Rule(
    "TFM227",
    "keras-generator-method",
    "a method that Keras 3's models don't have",
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/models/model_training_apis/",
)
QUEUE = ("max_queue_size", "workers", "use_multiprocessing")
# TF 1.15.5's signatures, and what takes their place.
PARAMETERS = {
    "fit_generator": (
        "fit",
        (
            *("generator", "steps_per_epoch", "epochs", "verbose", "callbacks"),
            *("validation_data", "validation_steps", "validation_freq", "class_weight"),
            *(*QUEUE, "shuffle", "initial_epoch"),
        ),
    ),
    "evaluate_generator": ("evaluate", ("generator", "steps", "callbacks", *QUEUE, "verbose")),
    "predict_generator": ("predict", ("generator", "steps", "callbacks", *QUEUE, "verbose")),
    "predict_proba": ("predict", ("x", "batch_size", "verbose")),
}


@METHODS.method(*PARAMETERS)
def method(site: MethodSite) -> Result | None:
    """Call the method that takes generators now."""
    call, node = site.use.call, site.use.node
    if call is None or not uses_keras(site):
        return None
    name, parameters = PARAMETERS[node.attr]
    message = f"`{node.attr}` of Keras's models is `{name}`"
    if node.attr == "predict_generator":
        message += ", for which a Python generator yields tuples: `(x,)`"
    file = site.file
    try:
        bound = bind(file.text, file.index, call, parameters)
        if bound.hidden:
            raise Unbound("`**` hides arguments")
    except Unbound as error:
        return METHODS.report(node, f"{message}; {error}", blocks=False)
    for argument in QUEUE:
        if bound.get(argument) is not None:
            bound.remove(argument)
    generator = bound.get("generator")
    if generator is not None and generator.keyword is not None:
        bound.rename("generator", "x")
    if name != "fit" and bound.get("verbose") is None:
        bound.append("verbose=0")
    edits = bound.finish(lambda place, _: place == 0)
    end = file.index.span(node)[1]
    edits.insert(0, Edit(end - len(node.attr), end, name))
    return METHODS.fixed(node, message, f".{name}()", edits)


@METHODS.method("predict_classes")
def classes(site: MethodSite) -> Result | None:
    """Report it: what the classes are depends on the last layer."""
    node = site.use.node
    if site.use.call is None or not uses_keras(site):
        return None
    instead = "np.argmax(model.predict(x), axis=-1), or (model.predict(x) > 0.5) for one output"
    message = f"Keras's models have no `predict_classes`; instead: {instead}"
    return METHODS.report(node, message, blocks=False)


def uses_keras(site: MethodSite) -> bool:
    """Whether a file uses Keras of TensorFlow, and has no such method of its own."""
    file, node = site.file, site.use.node
    if not any(".keras." in f"{r.name}." for r in file.names.references):
        return False
    return not any(isinstance(n, ast.FunctionDef) and n.name == node.attr for n in walk(file.tree))
