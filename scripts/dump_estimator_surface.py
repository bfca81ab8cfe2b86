"""Write the public names, signatures and defaults of tf.estimator as data.

    PY37 scripts/dump_estimator_surface.py OUT.json [contrib]    tf.estimator of TensorFlow 1.15.5
    PY3  scripts/dump_estimator_surface.py OUT.json [contrib]    what the shim has of these names

The second one is what tests/estimator_shim/test_surface.py compares with the first, which is
fixtures/estimator_shim/surface_1_15.json; with "contrib" that of contrib.estimator, contrib.learn
and keras.estimator, surface_contrib_1_15.json. Runs on Python 3.7 too.
"""

import enum
import inspect
import json
import os
import re
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = ""

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
NAMESPACES = ("", "experimental", "export", "inputs", "tpu", "tpu.experimental")
#: Namespaces of tf -> where the shim has them.
CONTRIB = {
    "contrib.estimator": "contrib.estimator",
    "contrib.feature_column": "contrib.feature_column",
    "contrib.learn": "contrib.learn",
    "contrib.learn.io": "contrib.learn.io",
    "contrib.learn.learn_runner": "contrib.learn.learn_runner",
    "contrib.learn.monitors": "contrib.learn.monitors",
    "contrib.learn.preprocessing": "contrib.learn.preprocessing",
    "contrib.learn.utils": "contrib.learn.utils",
    "contrib.learn.utils.saved_model_export_utils": "contrib.learn.utils.saved_model_export_utils",
    "contrib.tpu": "contrib.tpu",
    "keras.estimator": "keras",
}
#: Helpers of named tuples: not the API.
SKIPPED = {"count", "index"}


def default(value):
    """A default as text, the same in both versions."""
    if isinstance(value, (bool, int, float, str, type(None), tuple)) and not isinstance(
        value, enum.Enum
    ):
        return repr(value)
    if callable(value) and hasattr(value, "__name__"):
        return "<function " + value.__name__.lstrip("_") + ">"
    return "<object>" if " at 0x" in repr(value) else re.sub(r"^<.*>$", "<object>", repr(value))


def signature(function):
    """["name", "name=default", "*args", …], or None if there is none."""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    out = []
    for p in found.parameters.values():
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        text = star + p.name
        out.append(text if p.default is p.empty else text + "=" + default(p.default))
    return out


def made_by(cls):
    """The signature of a class: of __init__, or of __new__ for tuples."""
    maker = cls.__new__ if issubclass(cls, tuple) else cls.__init__
    if maker in (object.__init__, object.__new__):
        return []
    found = signature(maker)
    return found[1:] if found else found


def members(cls):
    """Public members: name -> signature, "property", or a constant."""
    out = {}
    for name in sorted(dir(cls)):
        if name.startswith("_") or name in SKIPPED:
            continue
        raw = inspect.getattr_static(cls, name)
        if callable(getattr(cls, name)):
            out[name] = signature(getattr(cls, name))
        elif isinstance(raw, str):
            out[name] = repr(raw)
        else:
            out[name] = "property"
    return out


def describe(value):
    """A class or a function as data."""
    if inspect.isclass(value):
        if issubclass(value, Exception):
            return {"kind": "exception"}
        return {"kind": "class", "args": made_by(value), "members": members(value)}
    return {"kind": "function", "args": signature(value)}


def resolve(root, dotted):
    """An attribute by its path, or None."""
    value = root
    for part in dotted.split(".") if dotted else []:
        value = getattr(value, part, None)
    return value


def original(contrib):
    """All names of tf.estimator 1.15.5, or of contrib's estimators."""
    import tensorflow as tf

    out = {}
    root = tf if contrib else tf.estimator
    for space in CONTRIB if contrib else NAMESPACES:
        module = resolve(root, space)
        for name in dir(module):
            value = getattr(module, name)
            if contrib and not callable(value):
                continue
            if not name.startswith("_") and not inspect.ismodule(value):
                out[(space + "." + name).lstrip(".")] = describe(value)
    return out


def shim(names, contrib):
    """What the shim has of these names."""
    sys.path.insert(0, ROOT)
    from migrate import estimator_shim

    found = {}
    for name in names:
        space, _, last = name.rpartition(".")
        path = CONTRIB[space] + "." + last if contrib else name
        found[name] = resolve(estimator_shim, path)
    return {name: describe(value) for name, value in found.items() if value is not None}


def main(out, contrib=""):
    """Write the dump of whatever TensorFlow this is."""
    import tensorflow as tf

    if tf.__version__.startswith("1."):
        data = original(contrib)
    else:
        file = "surface_contrib_1_15.json" if contrib else "surface_1_15.json"
        with open(os.path.join(ROOT, "fixtures", "estimator_shim", file)) as f:
            data = shim(sorted(json.load(f)), contrib)
    with open(out, "w") as f:
        json.dump(data, f, indent=1, sort_keys=True)
        f.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
