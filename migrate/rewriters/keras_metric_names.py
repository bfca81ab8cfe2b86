"""TFM230 keras-accuracy-name: a history or a callback that asks for `acc`.

TF 1.15 logged `metrics=["accuracy"]` as `acc` and `val_acc`, Keras 3 logs it as `accuracy`. Where a
file asks for the old names, the metric is compiled as `acc`, under which Keras 3 logs it as TF 1
did, in histories, callbacks, file names and TensorBoard. So are the short names of errors, `mae`,
which TF 1 logged as `mean_absolute_error`. A loss in a short name is written out where whole models
are kept in HDF5: Keras 3 doesn't load a model again that was compiled with `"mse"`.

https://keras.io/api/models/model_training_apis/#compile-method
"""

from __future__ import annotations

import ast
import re
from typing import Any

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
# As losses they come back from a file only under their whole names.
LOSSES = ERRORS | {"kld": "kl_divergence"}
KEPT = re.compile(r"\.h5\b|\.hdf5\b|\b(?:load|save)_model\(")
LOGGED = "Keras 3 logs `{}` under that name, and this file asks for `{}`"
LOADED = "Keras 3 loads no model whose loss was called `{}`; `{}` is the same"
NEW = re.compile(r"val_accuracy|\{accuracy[:}]")


@NAMES.method("compile")
def compiled(site: MethodSite) -> Result | None:
    """Compile the metric under the name that is asked for."""
    call, file = site.use.call, site.file
    if call is None or not uses_keras(site):
        return None
    named = {k.arg: k.value for k in call.keywords}
    loss = named.get("loss", call.args[1] if len(call.args) > 1 else None)
    given = [(node, LOSSES.get(node.value.lower())) for node in _strings(loss)]
    kept = KEPT.search(file.text) is not None
    changed = [(node, name, LOADED) for node, name in given if name and kept]
    for node in _strings(named.get("metrics")):
        logged = _logged(node.value, file.text)
        if logged is not None:
            changed.append((node, logged, LOGGED))
    if not changed:
        return None
    edits: list[Edit] = []
    for node, name, _ in changed:
        start, end = file.index.span(node)
        edits.append(Edit(start, end, file.text[start:end].replace(node.value, name)))
    place, name, message = changed[0]
    return NAMES.fixed(place, message.format(place.value, name), f"'{name}'", edits)


def _strings(node: ast.expr | None) -> list[Any]:
    """The string that stands there, or those of a list or of a dict."""
    if isinstance(node, ast.Dict):
        nodes: list[ast.expr] = node.values
    else:
        nodes = node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node] if node else []
    return [n for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]


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
