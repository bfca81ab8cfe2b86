"""TFM230 keras-accuracy-name: a history or a callback that asks for `acc`.

TF 1.15 logged `metrics=["accuracy"]` as `acc` and `val_acc`, Keras 3 logs it as `accuracy`. Where a
file asks for the old names, the metric is compiled as `acc`, under which Keras 3 logs it as TF 1
did, in histories, callbacks, file names and TensorBoard. So are the short names of errors, `mae`,
which TF 1 logged as `mean_absolute_error`. A loss in a short name is written out where whole models
are kept in HDF5: Keras 3 doesn't load a model again that was compiled with `"mse"`. Names that
Keras 3 lacks get its own: `logcosh` is `log_cosh`. Cross entropies and hinges as metrics took
labels of shape `[n]` for outputs of shape `[n, 1]`; Keras 3's metrics stop there or compare each
label with each output, its losses don't: such a metric is the loss, for each example.

https://keras.io/api/models/model_training_apis/#compile-method
"""

from __future__ import annotations

import ast
import re
from typing import Any

from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import MethodSite
from migrate.engine.trees import all_of
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
# TF 1's names that Keras 3 lacks.
LOST = {"kullback_leibler_divergence": "kl_divergence", "logcosh": "log_cosh"}
TURNED = frozenset({"cosine_proximity", "cosine_similarity"})
# Metrics for which Keras 3 doesn't bring labels to the rank of the output, as losses.
RANKED = {
    "binary_crossentropy": "BinaryCrossentropy",
    "categorical_hinge": "CategoricalHinge",
    "hinge": "Hinge",
    "kullback_leibler_divergence": "KLDivergence",
    "logcosh": "LogCosh",
    "poisson": "Poisson",
    "squared_hinge": "SquaredHinge",
}
WHOLE = re.compile(r"\.save\(|\b(?:load|save)_model\(|ModelCheckpoint|\bmodel_to_estimator\b")
KEPT = re.compile(r"\.h5\b|\.hdf5\b|\b(?:load|save)_model\(")
LOGGED = "Keras 3 logs `{}` under that name, and this file asks for `{}`"
GONE = "Keras 3 calls `{}` `{}`"
OTHER_RANK = "Keras 3's `{}` takes no labels of another rank than the output's, `{}` does"
OTHER_SIGN = "Keras 3's `{}` as a loss is the negative of 1.15's, which grew with the likeness"
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
    metrics = named.get("metrics", call.args[2] if len(call.args) > 2 else None)
    kept = KEPT.search(file.text) is not None
    changed: list[tuple[Any, str, str]] = []
    for node in _strings(loss):
        name = LOSSES.get(node.value.lower()) if kept else None
        if node.value in LOST:
            changed.append((node, LOST[node.value], GONE))
        elif node.value in TURNED and (file.tf1 or node.value == "cosine_proximity"):
            return NAMES.report(node, OTHER_SIGN.format(node.value), blocks=False)
        elif name:
            changed.append((node, name, LOADED))
    for node in _strings(metrics):
        logged, own = _logged(node.value, file.text), _own(node.value, file.tree)
        if logged is not None:
            changed.append((node, logged, LOGGED))
        elif own is not None:
            keras = _keras(site)
            if keras is None or (own[0] == "losses" and WHOLE.search(file.text)):
                why = OTHER_RANK.format(node.value, own[1])
                return NAMES.report(node, why, blocks=False)
            changed.append((node, f"{keras}.{own[0]}.{own[1]}", own[2]))
    if not changed:
        return None
    edits: list[Edit] = []
    for node, name, message in changed:
        start, end = file.index.span(node)
        text = file.text[start:end]
        if message in (OTHER_RANK, GONE) and "." in name:
            reduction = "reduction=None, " if ".losses." in name else ""
            text = f"{name}({reduction}name={text})"
        else:
            text = text.replace(node.value, name)
        edits.append(Edit(start, end, text))
    place, name, message = changed[0]
    return NAMES.fixed(place, message.format(place.value, name), f"'{name}'", edits)


def _own(name: str, tree: ast.Module) -> tuple[str, str, str] | None:
    """The class whose objects measure what TF 1's metric did: its module, its name, and why."""
    if name in RANKED and (name in LOST or _one(tree)):
        return "losses", RANKED[name], GONE if name in LOST else OTHER_RANK
    return ("metrics", "CosineSimilarity", GONE) if name == "cosine_proximity" else None


def _one(tree: ast.Module) -> bool:
    """Whether an output may have one number: other ones have no labels of another rank."""
    for call in all_of(tree, ast.Call):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
        units = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "units")]
        if name == "Dense" and any(not isinstance(u, ast.Constant) or u.value == 1 for u in units):
            return True
    return False


def _keras(site: MethodSite) -> str | None:
    """How Keras is called where a model is compiled."""
    file, scope = site.file, site.use.scope
    line = site.use.node.lineno
    for module, tail in (("tensorflow.keras", ""), (file.root, ".keras")):
        name = file.module_name(scope, module, line=line)
        if name is not None:
            return name + tail
    return None


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
