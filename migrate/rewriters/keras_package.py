"""TFM811 keras-package: a name that the package keras has lost, which isn't TensorFlow's tf.keras.

TensorFlow 2.21 needs Keras 3, and programs that import the package `keras` beside TensorFlow 1 were
written for Keras 2. Keras 3 has one public name for each layer and helper:
`keras.layers.core.Dense` is `keras.layers.Dense`, `keras.utils.np_utils.to_categorical` is
`keras.utils.to_categorical`. The backend's functions and what reads texts and images in batches
(`Tokenizer`, `ImageDataGenerator`) are left in `tensorflow.keras`, which is Keras 3, too. What is
in neither is reported.

https://keras.io/guides/migrating_to_keras_3/
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate import symbols
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext
from migrate.engine.trees import all_of
from migrate.rewriters.moved_names import Place, moved, places, reported

PACKAGE = Rule(
    "TFM811",
    "keras-package",
    "a name that the package keras has lost",
    module=__name__,
    doc=__doc__,
    url="https://keras.io/guides/migrating_to_keras_3/",
)
PACKAGE.root("keras", ["layers.", "utils.", "engine", "backend", "preprocessing", "wrappers"])
PACKAGE.root("keras", ["np_utils", "CuDNN", "Merge", "merge", "multi_gpu_model"])

#: Modules of Keras 2 whose names stand in the package above them.
PARTS = {
    "layers": frozenset(
        [
            *("advanced_activations", "convolutional", "core", "embeddings", "local", "merge"),
            *("noise", "normalization", "pooling", "recurrent", "wrappers"),
        ]
    ),
    "utils": frozenset(("data_utils", "generic_utils", "io_utils", "np_utils", "vis_utils")),
}
ENGINE = {
    "Input": "keras.layers.Input",
    "InputLayer": "keras.layers.InputLayer",
    "InputSpec": "keras.layers.InputSpec",
    "Layer": "keras.layers.Layer",
    "Model": "keras.models.Model",
    "get_source_inputs": "keras.utils.get_source_inputs",
}
#: What Keras 3 has of its own; the rest of these modules is in tensorflow.keras.
OWN = {
    "keras.backend": frozenset(
        [
            *("backend", "clear_session", "epsilon", "floatx", "get_uid", "image_data_format"),
            *("is_float_dtype", "is_int_dtype", "is_keras_tensor", "result_type", "set_epsilon"),
            *("set_floatx", "set_image_data_format", "standardize_dtype"),
        ]
    ),
    "keras.preprocessing.image": frozenset(
        ("array_to_img", "img_to_array", "load_img", "save_img", "smart_resize")
    ),
    "keras.preprocessing.sequence": frozenset(("pad_sequences",)),
    "keras.preprocessing.text": frozenset(),
}
GONE = {
    "keras.layers.CuDNNGRU": "keras.layers.GRU, whose reset_after=True is CuDNN's form",
    "keras.layers.CuDNNLSTM": "keras.layers.LSTM",
    "keras.layers.Merge": "keras.layers.Concatenate, Add, Multiply or Dot",
    "keras.layers.merge": "keras.layers.concatenate, add, multiply or dot",
    "keras.utils.multi_gpu_model": "tf.distribute.MirroredStrategy",
    "keras.wrappers.scikit_learn.KerasClassifier": "the package scikeras",
    "keras.wrappers.scikit_learn.KerasRegressor": "the package scikeras",
}


@PACKAGE.file
def keras(file: FileContext) -> Iterator[Result]:
    """Uses of what moved, and imports that nothing uses."""
    if "keras" not in file.text:
        return
    found = list(places(file, "keras", lambda name: _fate(name)[0]))
    by_module = {id(p.binding) for p in found if p.ref and p.binding.target == _module(p.old)}
    stuck = {id(p.binding) for p in found if _fate(p.old)[1] is None} & by_module
    for place in found:
        _, new, instead = _fate(place.old)
        if new is None and not instead:
            message = f"{place.old} is gone from Keras 3, and tf.keras of TF 2.21 lacks it, too"
            yield PACKAGE.report(place.node, message, blocks=False)
        elif new is None or id(place.binding) in stuck:
            yield reported(PACKAGE, place, new or instead)
        elif id(place.binding) in by_module:
            yield _by_module(file, place, new)
        else:
            yield moved(PACKAGE, file, place, new)
    yield from _stars(file)


def _module(name: str) -> str:
    return name.rpartition(".")[0]


def _by_module(file: FileContext, place: Place, new: str) -> Result:
    """The module is imported by a name of its own, which stays: `K`, `np_utils`, `image`."""
    for binding in place.ref.bindings if place.ref is not None else [place.binding]:
        if binding.target == place.binding.target:  # an import may be repeated
            file.renamed[binding] = _module(new)
    return PACKAGE.fixed(place.node, f"{place.old} is gone from Keras 3", new, [])


def _fate(name: str) -> tuple[bool, str | None, str]:
    """Whether Keras 3 lacks a name, its new one, and what to take where there is none."""
    if name in GONE:
        return True, None, GONE[name]
    package, *more = name.removeprefix("keras.").split(".")
    if len(more) > 1 and more[0] in PARTS.get(package, ()):
        return _known(f"keras.{package}.{more[1]}", len(more) == 2)
    if package == "engine" and more:
        return _known(ENGINE.get(more[-1], ""), True)
    for module, own in OWN.items():
        if name.startswith(f"{module}."):
            leaf, *rest = name.removeprefix(f"{module}.").split(".")
            if leaf not in own:
                return _known(f"tensorflow.{module}.{leaf}", not rest)
    return False, None, ""


def _known(new: str, whole: bool) -> tuple[bool, str | None, str]:
    if new in GONE:
        return True, None, GONE[new]
    public = new if new.startswith("tensorflow.") else f"tensorflow.{new}"
    return True, (new if new and whole and symbols.resolves(public) else None), ""


def _stars(file: FileContext) -> Iterator[Result]:
    for node in all_of(file.tree, ast.ImportFrom):
        if node.level or not any(a.name == "*" for a in node.names):
            continue
        package, _, part = (node.module or "").removeprefix("keras.").partition(".")
        if (node.module or "").startswith("keras.") and part in PARTS.get(package, ()):
            message = f"{node.module} is gone from Keras 3; instead: keras.{package}"
            yield PACKAGE.report(node, message, blocks=False)
