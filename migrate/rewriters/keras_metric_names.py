"""TFM230 keras-accuracy-name: a history or a callback that asks for `acc`.

TF 1.15 logged `metrics=["accuracy"]` as `acc` and `val_acc`, Keras 3 logs it as `accuracy`. Where a
file asks for the old names, the metric is compiled as `acc`, under which Keras 3 logs it as TF 1
did, in histories, callbacks, file names and TensorBoard. So are the short names of errors, `mae`,
which TF 1 logged as `mean_absolute_error`.

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
# What TF 1 logged these as; Keras 3 logs them as they are written.
ERRORS = {
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "mse": "mean_squared_error",
    "msle": "mean_squared_logarithmic_error",
}
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
    edits: list[Edit] = []
    changed: dict[str, tuple[str, ast.expr]] = {}
    for node in given.elts:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        logged = _logged(node.value, file.text)
        if logged is not None:
            start, end = file.index.span(node)
            edits.append(Edit(start, end, file.text[start:end].replace(node.value, logged)))
            changed[node.value] = logged, node
    if not changed:
        return None
    (name, (logged, place)), *_ = changed.items()
    message = f"Keras 3 logs `{name}` under that name, and this file asks for `{logged}`"
    return NAMES.fixed(place, message, f"'{logged}'", edits)


def _logged(name: str, text: str) -> str | None:
    """The name that a metric is asked for by, if it isn't the one that it is compiled by."""
    if name == "accuracy":
        return "acc" if ASKED.search(text) and not NEW.search(text) else None
    logged = ERRORS.get(name.lower())
    if logged is None:
        return None
    asked = rf"""(["'])(?:val_)?{logged}\1|\{{(?:val_)?{logged}[:}}]"""
    given = rf"""(["'])val_{name}\1|[\w)\]]\[\(*(["']){name}\2"""
    return logged if re.search(asked, text) and not re.search(given, text) else None
