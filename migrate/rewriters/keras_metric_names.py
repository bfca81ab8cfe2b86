"""TFM230 keras-accuracy-name: a history or a callback that asks for `acc`.

TF 1.15 logged `metrics=["accuracy"]` as `acc` and `val_acc`, Keras 3 logs it as `accuracy`. Where a
file asks for the old names, the metric is compiled as `acc`, under which Keras 3 logs it as TF 1
did, in histories, callbacks, file names and TensorBoard.

https://keras.io/api/models/model_training_apis/#compile-method
"""

from __future__ import annotations

import ast
import re

from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import MethodSite
from migrate.rewriters.keras_generators import uses_keras

NAMES = Rule(
    "TFM230",
    "keras-accuracy-name",
    "an accuracy that is asked for as `acc` and logged as `accuracy`",
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/models/model_training_apis/#compile-method",
)
ASKED = re.compile(r"""(["'])(val_)?acc\1|\{(val_)?acc[:}]""")
NEW = re.compile(r"val_accuracy|\{accuracy[:}]")


@NAMES.method("compile")
def compiled(site: MethodSite) -> Result | None:
    """Compile the metric under the name that is asked for."""
    call, file = site.use.call, site.file
    if call is None or not uses_keras(site):
        return None
    given = next((k.value for k in call.keywords if k.arg == "metrics"), None)
    if not isinstance(given, (ast.List, ast.Tuple)):
        return None
    found = [e for e in given.elts if isinstance(e, ast.Constant) and e.value == "accuracy"]
    if not found or NEW.search(file.text) or not ASKED.search(file.text):
        return None
    edits = []
    for node in found:
        start, end = file.index.span(node)
        edits.append(Edit(start, end, file.text[start:end].replace("accuracy", "acc")))
    message = "Keras 3 logs `accuracy` under that name, and this file asks for `acc`"
    return NAMES.fixed(found[0], message, "'acc'", edits)
