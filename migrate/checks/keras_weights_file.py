"""TFM233 keras-weights-file: `model.save_weights("w.h5")`, which Keras 3 refuses.

It only writes to a file whose name ends in `.weights.h5`, and raises a ValueError for any other.
TensorFlow's own format (a name without an ending) went with Keras 2. What loads the weights needs
the new name, too; `load_weights` still reads a `.h5` that Keras 2 wrote.

https://keras.io/api/models/model_saving_apis/weights_saving_and_loading/
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Applicability
from migrate.engine.rule import Result, Rule
from migrate.engine.site import MethodSite
from migrate.rewriters.keras_generators import uses_keras

WEIGHTS = Rule(
    "TFM233",
    "keras-weights-file",
    "a file for weights whose name Keras 3 refuses",
    Applicability.MANUAL,
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/models/model_saving_apis/weights_saving_and_loading/",
)
ENDING = ".weights.h5"


@WEIGHTS.method("save_weights")
def save_weights(site: MethodSite) -> Result | None:
    """Report a name that is seen to end otherwise."""
    call = site.use.call
    if call is None or not uses_keras(site):
        return None
    given = next((k.value for k in call.keywords if k.arg == "filepath"), None)
    given = call.args[0] if call.args else given
    name = last(given)
    if name is None or name.endswith(ENDING):
        return None
    return WEIGHTS.report(
        site.use.node, f"Keras 3 only saves weights to a name that ends in `{ENDING}`", blocks=False
    )


def last(node: ast.expr | None) -> str | None:
    """How a name ends, as far as it is written out."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return last(node.right)
    if isinstance(node, ast.JoinedStr) and node.values:
        return last(node.values[-1])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "join" and node.args:
            return last(node.args[-1])
        return last(node.func.value) if node.func.attr == "format" else None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value if not node.value.endswith("}") else None
    return None
