"""TFM423 keras-of-old-layers: a Keras class that keeps layers of tf.layers as its parts.

The layers of `tf.layers` were Keras layers in TF 1.15, so a `tf.keras.Model` that kept them had
their variables: `minimize(loss, var_list=model.trainable_variables)`. Keras 3 knows no such layers.
The model builds and runs, and its `variables`, `trainable_variables` and `losses` lack theirs; a
`var_list` that is empty for it fails, one that isn't leaves them untrained. With layers of
`tf.keras.layers` it has them; `tf.trainable_variables(scope)` names them, too.

https://keras.io/guides/making_new_layers_and_models_via_subclassing/
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.findings import Applicability, Level
from migrate.engine.plan import canonical
from migrate.engine.rule import Result, Rule
from migrate.engine.site import V1, FileContext
from migrate.engine.trees import all_of

OLD_LAYERS = Rule(
    "TFM423",
    "keras-of-old-layers",
    "a Keras class with layers of tf.layers as its parts",
    Applicability.MANUAL,
    module=__name__,
    doc=__doc__,
    url="https://keras.io/guides/making_new_layers_and_models_via_subclassing/",
)
KERAS = "tensorflow.keras."
BASES = frozenset(
    KERAS + name for name in ("Model", "models.Model", "Sequential", "models.Sequential")
) | {KERAS + "layers.Layer"}
LAYERS = "tensorflow.layers."


@OLD_LAYERS.file
def models(file: FileContext) -> Iterator[Result]:
    """Say so at each class, for its first such layer."""
    if file.level is not Level.COMPAT or file.eager or not file.tf1:
        return
    names = {id(r.node): _plain(r.name) for r in file.names.references}
    if not any(name.startswith(LAYERS) for name in names.values()):
        return
    for node in all_of(file.tree, ast.ClassDef):
        if not any(names.get(id(base)) in BASES for base in node.bases):
            continue
        for call in _kept(node):
            name = names.get(id(call.func), "")
            if name.startswith(LAYERS) and name.removeprefix(LAYERS)[:1].isupper():
                message = (
                    f"Keras 3's variables of `{node.name}` lack those of its layers of tf.layers: "
                    f"tf{name.removeprefix('tensorflow')} has to be tf.keras.layers' own, or the "
                    "variables are asked for by tf.trainable_variables(scope)"
                )
                yield OLD_LAYERS.report(call, message, blocks=False)
                break


def _plain(name: str) -> str:
    name = canonical(name)
    return "tensorflow" + name.removeprefix(V1) if name.startswith(f"{V1}.") else name


def _kept(node: ast.ClassDef) -> Iterator[ast.Call]:
    """What is made as an attribute of the object, by itself or in a list."""
    for assign in all_of(node, ast.Assign):
        if any(
            isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name) and t.value.id == "self"
            for t in assign.targets
        ):
            yield from all_of(assign.value, ast.Call)
