"""Runs the user's code in a process of its own: makes a model and writes down what it would save.

    python model_child.py MODULE:CALLABLE h5|keras|tf2 FOLDER

FOLDER gets a template, a file as the program itself writes it, and ``target.json``: for every key
of it the names that the variable has. Standard output is the user's.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from collections import defaultdict
from typing import Any

RADIX = {"float16": 1024, "bfloat16": 128, "int8": 100, "uint8": 200, "int16": 30000,
         "uint16": 30000, "bool": 2}  # fmt: skip
LARGE = 1 << 20


def made(spec: str) -> Any:
    """What MODULE:CALLABLE gives; MODULE is a dotted name or a file."""
    module, _, attribute = spec.rpartition(":")
    if not module or not attribute:
        raise SystemExit(f"{spec!r} is not of the form module:callable")
    sys.path.insert(0, os.getcwd())
    if module.endswith(".py"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(module)))
        name = os.path.splitext(os.path.basename(module))[0]
        found = importlib.util.spec_from_file_location(name, module)
        if found is None or found.loader is None or not os.path.exists(module):
            raise SystemExit(f"{module}: no such file")
        loaded = importlib.util.module_from_spec(found)
        sys.modules[name] = loaded
        found.loader.exec_module(loaded)
    else:
        loaded = importlib.import_module(module)
    thing: Any = loaded
    for part in attribute.split("."):
        thing = getattr(thing, part)
    made_already = hasattr(thing, "variables") and not isinstance(thing, type)
    return thing if made_already or not callable(thing) else thing()


def variables_of(model: Any) -> list[Any]:
    """All variables of a Keras model and of its optimizer, in order of creation."""
    found = list(model.variables)
    optimizer = getattr(model, "optimizer", None)
    if optimizer is not None:
        if not optimizer.built:
            optimizer.build(model.trainable_variables)
        found += optimizer.variables
    return list({id(variable): variable for variable in found}.values())


def keras_target(model: Any, format_: str, folder: str) -> dict[str, Any]:
    """Save the model; find out which dataset holds which variable by what is in it.

    Keras names datasets by attributes and numbers. Where several variables have one form, each gets
    its own number as values, and a file saved by Keras shows where they went.
    """
    import h5py
    import keras

    if not isinstance(model, keras.Model):
        raise SystemExit(f"{type(model).__name__} is no keras.Model, which .{format_} is for")
    if not model.built:
        raise SystemExit("the model is not built: call it once, or give it an input shape")
    variables = variables_of(model)
    template = os.path.join(folder, "template.keras" if format_ == "keras" else "t.weights.h5")
    if format_ == "keras":
        model.save(template)
    else:
        model.save_weights(template)
    scratch = os.path.join(folder, "scratch.weights.h5")
    classes: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for variable in variables:
        classes[(tuple(variable.shape), keras.backend.standardize_dtype(variable.dtype))].append(
            variable
        )
    digits = 1
    for (_, dtype), members in classes.items():
        radix, needed = RADIX.get(dtype, LARGE), 1
        while radix**needed < len(members):
            needed += 1
        digits = max(digits, needed)
    numbers: dict[str, int] = defaultdict(int)
    forms: dict[str, tuple[Any, ...]] = {}
    for digit in range(digits):
        for (shape, dtype), members in classes.items():
            radix = RADIX.get(dtype, LARGE)
            for number, variable in enumerate(members):
                value = keras.ops.full(shape, number // radix**digit % radix, "float32")
                variable.assign(keras.ops.cast(value, dtype))
        model.save_weights(scratch, overwrite=True)
        with h5py.File(scratch, "r") as stream:
            paths: list[str] = []
            stream.visit(paths.append)
            for path in paths:
                item = stream[path]
                if not isinstance(item, h5py.Dataset):
                    continue
                dtype = item.attrs.get("dtype") or item.dtype.name
                forms[path] = (tuple(item.shape), dtype)
                if item.size:
                    value = item[()].reshape(-1)[0] if item.shape else item[()]
                    if dtype == "bfloat16":
                        import ml_dtypes
                        import numpy as np

                        value = np.asarray(value).view(ml_dtypes.bfloat16)
                    numbers[path] += int(value) * RADIX.get(dtype, LARGE) ** digit
    os.unlink(scratch)
    found: dict[int, tuple[str, list[str]]] = {}
    for path, form in forms.items():
        members = classes.get(form, [])
        if numbers[path] < len(members):
            variable = members[numbers[path]]
            found[id(variable)] = (path, [variable.path])
    names = {found[id(v)][0]: found[id(v)][1] for v in variables if id(v) in found}
    return {"template": template, "names": names}


def object_target(thing: Any, folder: str) -> dict[str, Any]:
    """Save through ``tf.train.Checkpoint``; its graph of objects has the names."""
    import tensorflow as tf

    root = thing if isinstance(thing, tf.train.Checkpoint) else tf.train.Checkpoint(model=thing)
    template = root.save(os.path.join(folder, "template"))
    order = []
    children = tf.train.TrackableView(root).children(root)
    for part in children.values():
        if hasattr(part, "variables"):
            listed = part.variables() if callable(part.variables) else part.variables
            order += [getattr(v, "path", None) or v.name.removesuffix(":0") for v in listed]
    return {"template": template, "order": order, "names": {}}


def main() -> None:
    """Make the model, save it, describe it."""
    # Started by its path, this file's neighbours would stand for the user's modules of their names.
    sys.path.remove(os.path.dirname(os.path.abspath(__file__)))
    spec, format_, folder = sys.argv[1:4]
    thing = made(spec)
    described = object_target(thing, folder) if format_ == "tf2" else keras_target(
        thing, format_, folder
    )  # fmt: skip
    with open(os.path.join(folder, "target.json"), "w", encoding="utf-8") as stream:
        json.dump(described, stream)


if __name__ == "__main__":
    main()
