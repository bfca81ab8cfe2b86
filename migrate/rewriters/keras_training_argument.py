"""TFM241 keras-training-argument: a layer or a model is told by place whether it trains.

TF 1's Keras took `layer(x, training)`. Keras 3 takes nothing but tensors by their places: "Only
input tensors may be passed as positional arguments". `layer(x, training=training)` says the same.

https://keras.io/api/layers/base_layer/
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.engine.findings import Edit
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext
from migrate.engine.trees import all_of, walk

TRAINING = Rule(
    "TFM241",
    "keras-training-argument",
    "a layer or a model that is told by place whether it trains",
    module=__name__,
    doc=__doc__,
    url="https://keras.io/api/layers/base_layer/",
)
BASES = ("Model", "Layer")
# Keras's own that take `training` right behind their input.
OWN = frozenset({"BatchNormalization", "Dropout", "Sequential", "SpatialDropout2D"})
Layers = dict[str, int]  # the place of `training`, by the name that a layer has


@TRAINING.file
def told(file: FileContext) -> Iterator[Result]:
    """Name the argument."""
    if "keras" not in file.text:
        return
    endpoints = {id(r.node): r.name for r in file.names.references if ".keras." in r.name}
    places = _classes(file.tree, endpoints)
    layers = _layers(file.tree, endpoints, places)
    for call in all_of(file.tree, ast.Call):
        place = layers.get(_name(call.func), 0)
        if not place or len(call.args) != place + 1:
            continue
        if any(isinstance(a, ast.Starred) for a in call.args):
            continue
        start = file.index.span(call.args[place])[0]
        if file.text[:start].rstrip()[-1:] != ",":
            continue  # in brackets of its own
        edits = [Edit(start, start, "training=")]
        message = "Keras 3 takes nothing but tensors by place"
        yield TRAINING.fixed(call, message, "training=", edits)


def _name(node: ast.expr) -> str:
    """`x` or `self.x`, as it is written."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _classes(tree: ast.Module, endpoints: dict[int, str]) -> Layers:
    """The file's own layers and models whose `call` takes `training`."""
    found: Layers = {}
    keras: set[str] = set()
    for cls in all_of(tree, ast.ClassDef):
        if not any(
            endpoints.get(id(b), "").rpartition(".")[2] in BASES or _name(b) in keras
            for b in cls.bases
        ):
            continue
        keras.add(cls.name)
        calls = (n for n in cls.body if isinstance(n, ast.FunctionDef) and n.name == "call")
        for function in calls:
            names = [a.arg for a in function.args.args]
            if "training" in names[2:] and not function.args.posonlyargs:
                found[cls.name] = names.index("training") - 1
    return found


def _layers(tree: ast.Module, endpoints: dict[int, str], places: Layers) -> Layers:
    """The names and attributes that only such layers are bound to."""
    found: dict[str, set[int]] = {}
    seen: set[int] = set()
    for assign in all_of(tree, ast.Assign):
        for target in assign.targets:
            if _name(target):
                place = _made(assign.value, endpoints, places)
                found.setdefault(_name(target), set()).add(place)
                seen.add(id(target))
    taken = {a.arg for a in all_of(tree, ast.arg)}
    # What a loop, a `with` or another target binds may be anything.
    for n in walk(tree):
        if isinstance(n, (ast.Name, ast.Attribute)) and not isinstance(n.ctx, ast.Load):
            if id(n) not in seen:
                taken.add(_name(n))
    return {
        name: place
        for name, (place, *others) in ((n, sorted(p)) for n, p in found.items())
        if not others and name not in taken
    }


def _made(value: ast.expr, endpoints: dict[int, str], places: Layers) -> int:
    if not isinstance(value, ast.Call):
        return 0
    name = endpoints.get(id(value.func), "").rpartition(".")[2]
    return 1 if name in OWN else places.get(_name(value.func), 0)
