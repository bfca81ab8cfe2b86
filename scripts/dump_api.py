"""Write TensorFlow's public API as data. Runs inside TF 1.15.5 (Python 3.7) and inside TF 2.21.

    PY37 scripts/dump_api.py [--check] [--out FOLDER]   # api_1_15.tsv.gz, private_1_15.tsv.gz
    PY3  scripts/dump_api.py [--check] [--out FOLDER]   # api_2_21.tsv.gz, private_2_21.tsv.gz

1.15.5 comes first: the second run asks which of its private names still resolve. FOLDER is
migrate/symbols/data.

``--check`` compares with what lies there and writes nothing. The bytes depend on nothing but the
two TensorFlow versions. One line per name, sorted, tab-separated:

    api:      name  kind  object  parameters  members  deprecated
    private:  module  name[=public endpoint] name[=public endpoint] ...      (1.15)
              module  name name ...                          (2.21: what of it still resolves)

kind is m(odule), f(unction), c(lass), k (constant) or "=" (the same object as the name in the next
column). Parameters are a JSON list of "name", "name=default", "*", "*args", "**kwargs"; members a
JSON object: name -> parameters, "p" (property) or "a" (attribute).
"""

# ruff: noqa: SIM905
from __future__ import annotations

import argparse
import enum
import gzip
import importlib
import inspect
import io
import json
import os
import re
import sys
import types
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ.pop("TF_USE_LEGACY_KERAS", None)
# TensorFlow has more names where these can be imported: the dump is of the package alone.
for _optional in ("pandas", "sklearn", "dask", "matplotlib"):
    sys.modules[_optional] = None

DUNDERS = {
    "__cxx_version__",
    "__version__",
    "__git_version__",
    "__compiler_version__",
    "__cxx11_abi_flag__",
    "__monolithic_build__",
}
FUTURE = {"absolute_import", "division", "print_function", "annotations", "unicode_literals"}
PRIMITIVE = (bool, int, float, complex, str, bytes, type(None), tuple, list, dict, set, frozenset)
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def visible(name):
    return (not name.startswith("_") and name not in FUTURE) or name in DUNDERS


def normal(path):
    """tensorflow_core is what the 1.15 wheel calls its inside."""
    return path.replace("tensorflow_core", "tensorflow")


def default_text(value):
    """The source of a default if it is plain, "<...>" otherwise."""
    if isinstance(value, enum.Enum):
        return f"<{type(value).__name__}.{value.name}>"
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        parts = [default_text(v) for v in value]
        if isinstance(value, list):
            return "[" + ", ".join(parts) + "]"
        return "(" + ", ".join(parts) + ("," if len(parts) == 1 else "") + ")"
    if type(value) is dict and not value:
        return "{}"
    if type(value).__name__ == "DType":
        return "tf." + value.name
    if isinstance(value, type) or callable(value):
        return "<{}>".format(getattr(value, "__name__", type(value).__name__))
    return f"<{type(value).__name__}>"


def parameters(signature, skip_first):
    out = []
    items = list(signature.parameters.values())
    if skip_first and items and items[0].kind in (0, 1):
        items = items[1:]
    starred = False
    for number, p in enumerate(items):
        if p.kind is p.VAR_POSITIONAL:
            out.append("*" + p.name)
            starred = True
            continue
        if p.kind is p.VAR_KEYWORD:
            out.append("**" + p.name)
            continue
        if p.kind is p.KEYWORD_ONLY and not starred:
            out.append("*")
            starred = True
        out.append(p.name if p.default is p.empty else p.name + "=" + default_text(p.default))
        if p.kind is p.POSITIONAL_ONLY and (
            number + 1 == len(items) or items[number + 1].kind is not p.POSITIONAL_ONLY
        ):
            out.append("/")
    return out


def signature_of(obj, skip_first=False):
    try:
        return parameters(inspect.signature(obj), skip_first)
    except (TypeError, ValueError):
        return None


def message_fields(cls):
    descriptor = getattr(cls, "DESCRIPTOR", None)
    fields = getattr(descriptor, "fields", None)
    if fields is None or not hasattr(cls, "SerializeToString"):
        return None
    return sorted(f.name for f in fields)


def class_signature(cls):
    fields = message_fields(cls)
    if fields is not None:
        return ["*"] + [f + "=None" for f in fields]
    if isinstance(cls, type) and issubclass(cls, enum.Enum):
        return ["value"]
    for base in cls.__mro__:
        if base is object:
            break
        if "__init__" in vars(base):
            if type(vars(base)["__init__"]).__name__ == "wrapper_descriptor":
                if "__new__" in vars(cls):
                    return signature_of(cls.__new__, skip_first=True)
                return ["*args", "**kwargs"]
            return signature_of(vars(base)["__init__"], skip_first=True)
        if "__new__" in vars(base):
            new = vars(base)["__new__"]
            if type(new).__name__ == "builtin_function_or_method":
                return ["*args", "**kwargs"]
            return signature_of(getattr(new, "__func__", new), skip_first=True)
    return []


def members_of(cls):
    out = {}
    fields = message_fields(cls)
    if fields is not None:
        names = set(fields)
        names.update(e.name for e in cls.DESCRIPTOR.enum_types)
        names.update(v for e in cls.DESCRIPTOR.enum_types for v in e.values_by_name)
        names.update(n.name for n in cls.DESCRIPTOR.nested_types)
        names.update(
            "ByteSize Clear ClearField CopyFrom FromString HasField IsInitialized ListFields "
            "MergeFrom MergeFromString ParseFromString SerializePartialToString SerializeToString "
            "SetInParent WhichOneof DESCRIPTOR".split()
        )
        return dict.fromkeys(names, "a")
    for name in dir(cls):
        if name != "__call__" and (name.startswith("_") or name in FUTURE):
            continue
        try:
            raw = inspect.getattr_static(cls, name)
        except AttributeError:
            continue
        if isinstance(raw, property) or type(raw).__name__ in ("cached_property", "_classproperty"):
            out[name] = "p"
        elif isinstance(raw, staticmethod):
            out[name] = signature_of(raw.__func__) or ["*args", "**kwargs"]
        elif isinstance(raw, classmethod):
            out[name] = signature_of(raw.__func__, skip_first=True) or []
        elif (
            name == "__call__"
            and type(raw).__name__ != "function"
            and not hasattr(raw, "__wrapped__")
        ):
            continue
        elif inspect.isfunction(raw) or (callable(raw) and hasattr(raw, "__wrapped__")):
            out[name] = signature_of(raw, skip_first=True) or []
        elif inspect.ismethoddescriptor(raw) or inspect.isbuiltin(raw):
            out[name] = "a"
        else:
            out[name] = "a"
    return out


def deprecation(obj):
    doc = obj.__doc__ if isinstance(getattr(obj, "__doc__", None), str) else ""
    if "THIS FUNCTION IS DEPRECATED" not in doc and "THIS CLASS IS DEPRECATED" not in doc:
        return ""
    found = re.search(r"Instructions for updating:\n(.*?)(?:\n\s*\n|\Z)", doc, re.S)
    return " ".join(found.group(1).split()) if found else "deprecated"


def path_of(obj):
    module = getattr(obj, "__module__", None)
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    return normal(f"{module}.{name}") if module and name else ""


def kind_of(obj):
    if isinstance(obj, types.ModuleType):
        return "m"
    if inspect.isclass(obj):
        return "c"
    if callable(obj) and (inspect.isroutine(obj) or hasattr(obj, "__wrapped__")):
        return "f"
    if callable(obj) and type(obj).__name__ in ("ufunc", "partial", "_OpNamespace", "Print"):
        return "f"
    return "k"


# unittest.mock, as an opaque constant: its names are none of TensorFlow's
MOCK = ["tensorflow.test.mock", "k", "module"]


class Walk:
    """Collects names; the same function or class is described once, then referred to."""

    def __init__(self):
        self.lines = {}
        self.first = {}  # id -> canonical name
        self.objects = {}  # name -> object, keeps the ids alive

    def add(self, name, obj):
        if name in self.lines:
            return
        kind = kind_of(obj)
        self.objects[name] = obj
        if kind in ("f", "c"):
            known = self.first.get(id(obj))
            if known is not None:
                self.lines[name] = [name, "=", known]
                return
            self.first[id(obj)] = name
        try:
            self.lines[name] = self.describe(name, kind, obj)
        except Exception as e:  # an endpoint that raises when looked at
            self.lines[name] = [name, kind, "", "", "", ""]
            print(f"{name}: {e}", file=sys.stderr)

    def describe(self, name, kind, obj):
        if kind == "m":
            return [name, kind, normal(obj.__name__)]
        if kind == "k":
            text = type(obj).__name__
            if isinstance(obj, (bool, int, float, str)) and "VERSION" not in name.upper():
                text += " " + (obj.name if isinstance(obj, enum.Enum) else repr(obj)[:80])
            return [name, kind, text]
        if kind == "f":
            sig, members = signature_of(obj), None
        else:
            sig, members = class_signature(obj), members_of(obj)
        if ".raw_ops." in name and sig:
            sig.insert(0, "*")  # a wrapper takes keywords only, and hides it
        return [
            name,
            kind,
            path_of(obj),
            "" if sig is None else dump(sig),
            "" if members is None else dump(members),
            deprecation(obj),
        ]

    def module(self, name, module, enter, skip=()):
        """Everything public below ``module``; ``enter`` says which submodules belong to it."""
        stack, seen = [(name, module, (id(module),))], set()
        while stack:
            here, module, above = stack.pop(0)
            self.add(here, module)
            for attribute in sorted(dir(module)):
                full = here + "." + attribute
                if not visible(attribute) or full in skip or full in seen:
                    continue
                seen.add(full)
                try:
                    value = getattr(module, attribute)
                    if isinstance(value, types.ModuleType):
                        dir(value)  # lazy modules load here, or fail
                except Exception as e:  # lazy modules that cannot load under Keras 3
                    print(f"{full}: {str(e)[:100]}", file=sys.stderr)
                    continue
                if isinstance(value, types.ModuleType):
                    if id(value) in above or not enter(here, full, value):
                        continue
                    if broken(value):
                        print(f"{full}: unusable", file=sys.stderr)
                        continue
                    stack.append((full, value, (*above, id(value))))
                elif keep(value):
                    self.add(full, value)

    def write(self, path, check):
        return write(
            path, ("\t".join(self.lines[n]).rstrip("\t") for n in sorted(self.lines)), check
        )


def broken(module):
    """tf.compat.v1.layers and .nn.rnn_cell: the module is there, every name raises."""
    names = [n for n in dir(module) if not n.startswith("_")]
    try:
        for n in names[:3]:
            getattr(module, n)
    except Exception:
        return True
    return False


FEATURE = type(importlib.import_module("__future__").division)


def keep(value):
    return not isinstance(value, FEATURE)


def dump(value):
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def write(path, lines, check):
    data = "".join(line + "\n" for line in lines).encode("utf-8")
    if check:
        with gzip.open(path) as f:
            same = f.read() == data
        print("{}: {}".format(path, "same" if same else "DIFFERENT"))
        return same
    packed = io.BytesIO()
    # no name and no time in the header, so that equal text gives equal bytes
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=9, mtime=0) as g:
        g.write(data)
    with open(path, "wb") as f:
        f.write(packed.getvalue())
    print(f"{path}: {len(data)} bytes, {os.path.getsize(path)} packed")
    return True


def files_below(package):
    """Dotted names of the modules below an importable package, from its folder (nothing is run)."""
    root = importlib.import_module(package)
    for base in sorted(set(root.__path__)):
        for folder, folders, files in os.walk(base):
            folders[:] = sorted(d for d in folders if d != "__pycache__" and "." not in d)
            below = os.path.relpath(folder, base).replace(os.sep, ".")
            prefix = package if below == "." else package + "." + below
            if "__init__.py" in files:
                yield prefix
            for f in sorted(files):
                if f.endswith(".py") and f != "__init__.py":
                    yield prefix + "." + f[:-3]


def quiet_import(name):
    """The module, or None; TF 1.15's inside prints and warns, and some of it cannot load."""
    out = sys.stdout
    sys.stdout = io.StringIO()
    try:
        return importlib.import_module(name)
    except BaseException as e:
        if isinstance(e, KeyboardInterrupt):
            raise
        return None
    finally:
        sys.stdout = out


# TF 1.15.5


def walk_1_15():
    import tensorflow as tf

    walk = Walk()
    api = (
        "tensorflow._api",
        "tensorflow.python.keras.api",
        "tensorflow_estimator.python.estimator.api",
    )

    def enter(here, full, module):
        name = normal(module.__name__)
        return name.startswith(api) or full in (
            "tensorflow.flags",
            "tensorflow.app.flags",
            "tensorflow.user_ops",
            "tensorflow.compat",
        )

    walk.module(
        "tensorflow",
        tf,
        enter,
        skip={
            "tensorflow." + n
            for n in (
                "compat.v1",
                "compat.v2",
                "contrib",
                "python",
                "core",
                "compiler",
                "examples",
                "tools",
                "summaries",
                "lite.python",
            )
        },
    )
    name = "tensorflow.pywrap_tensorflow"
    walk.lines[name] = [name, "m", "tensorflow.python.pywrap_tensorflow"]
    walk.lines["tensorflow.contrib"] = ["tensorflow.contrib", "m", "tensorflow.contrib"]
    walk.lines["tensorflow.test.mock"] = MOCK
    contrib(walk)
    tutorials(walk)
    return walk


def contrib(walk):
    import tensorflow.contrib as root

    base = os.path.dirname(root.__file__)
    packages = sorted(
        n for n in os.listdir(base) if os.path.exists(os.path.join(base, n, "__init__.py"))
    )
    for name in sorted(NAMESPACES):
        quiet_import(name)
    for top in packages:
        name = "tensorflow.contrib." + top
        # tf.contrib.eager, as an attribute, is another module than the package of that name
        attribute, package = getattr(root, top, None), quiet_import(name)
        for module in (attribute, package):
            if isinstance(module, types.ModuleType):
                contrib_package(walk, name, module)


def contrib_package(walk, top, module):
    """What a user reaches as attributes of a contrib package: its own names and its re-exports."""
    stack = [(top, module, ())]
    while stack:
        here, module, above = stack.pop(0)
        if id(module) in above:
            continue
        above += (id(module),)
        walk.add(here, module)
        own = normal(module.__name__)
        listed = set(getattr(module, "__all__", ()))
        for attribute in sorted(dir(module)):
            if not visible(attribute) or attribute == "python":
                continue
            try:
                value = getattr(module, attribute)
            except Exception as e:
                print(f"{here}.{attribute}: {e}", file=sys.stderr)
                continue
            full = here + "." + attribute
            if isinstance(value, types.ModuleType):
                inside = normal(value.__name__)
                below = inside.startswith((top + ".", "tensorflow.python.keras.api"))
                generated = ".ops.gen_" in inside or inside.endswith("_test")
                if (hasattr(module, "__path__") or here == top or here in NAMESPACES) and (
                    (below and not generated) or full in NAMESPACES or attribute in listed
                ):
                    stack.append((full, value, above))
                continue
            where = normal(getattr(value, "__module__", None) or "")
            if kind_of(value) == "k":
                mine = where.startswith("tensorflow") or (
                    attribute.isupper() and where in ("", own)
                )
            else:
                mine = where.startswith((top, "tensorflow"))
            mine = mine or type(value).__name__ in ("partial", "DType") or attribute in listed
            if keep(value) and mine:
                walk.add(full, value)


# modules (not packages) of contrib that serve as a namespace
NAMESPACES = {
    "tensorflow.contrib.eager.metrics",
    "tensorflow.contrib.framework.nest",
    "tensorflow.contrib.rnn.nest",
    "tensorflow.contrib.slim.losses",
    "tensorflow.contrib.slim.metrics",
    "tensorflow.contrib.slim.nest",
    "tensorflow.contrib.slim.nets",
}


def tutorials(walk):
    quiet_import("tensorflow.examples.tutorials.mnist")
    for name in ("tensorflow.examples", "tensorflow.examples.tutorials"):
        walk.lines[name] = [name, "m", name]
    base = "tensorflow.examples.tutorials.mnist"
    for part in ("", ".input_data", ".mnist"):
        module = quiet_import(base + part)
        walk.add(base + part, module)
        for attribute in sorted(dir(module)):
            value = getattr(module, attribute)
            where = normal(getattr(value, "__module__", None) or "")
            own = kind_of(value) in "fc" and (
                where.startswith(base) or attribute == "read_data_sets"
            )
            if visible(attribute) and (own or (kind_of(value) == "k" and attribute.isupper())):
                walk.add(base + part + "." + attribute, value)


def preference(name):
    """The endpoint to name for an object that has several."""
    return (
        name.startswith(("tensorflow.examples.", "tensorflow.raw_ops.")),
        name.startswith("tensorflow.contrib.quantization."),
        name.startswith(("tensorflow.contrib.keras.", "tensorflow.contrib.slim.")),
        name.startswith("tensorflow.contrib."),
        name.startswith(("tensorflow.app.flags.", "tensorflow.contrib.")),
        name.count("."),
        len(name),
        name,
    )


def private_1_15(walk):
    by_id = {}
    for name in sorted(walk.objects, key=preference):
        obj = walk.objects[name]
        if not isinstance(obj, PRIMITIVE) and kind_of(obj) != "m":
            by_id.setdefault(id(obj), name)
    lines = []
    names = [
        n
        for p in ("core", "python", "contrib", "tools", "examples", "lite", "compiler")
        for n in files_below("tensorflow." + p)
    ]
    names += list(files_below("tensorflow_estimator.python"))
    for name in sorted(set(names)):
        if (
            name.startswith("tensorflow.examples.tutorials.mnist")
            or ".api." in name + "."
            or re.search(r"_test(_|$)|_test\b|\.testdata|_benchmark|flymake", name)
        ):
            continue
        module = quiet_import(name)
        if module is None:
            continue
        found = []
        for attribute in sorted(vars(module)):
            if attribute.startswith("__") or attribute in FUTURE:
                continue
            value = vars(module)[attribute]
            if isinstance(value, types.ModuleType) or not keep(value):
                continue
            public = by_id.get(id(value))
            where = normal(getattr(value, "__module__", None) or "")
            same = where == name
            if (
                public is None
                and not same
                and not (kind_of(value) == "k" or where.startswith("tensorflow"))
            ):
                continue
            if attribute.startswith("_") and not (same and kind_of(value) in "fc"):
                continue
            if kind_of(value) == "k" and attribute.startswith("_"):
                continue
            found.append(attribute if public is None else attribute + "=" + public)
        lines.append("\t".join([name, " ".join(found)]).rstrip())
    return lines


# TF 2.21


def walk_2_21():
    import tensorflow as tf

    walk = Walk()

    def enter(here, full, module):
        name = module.__name__
        if full.startswith(("tensorflow.keras", "tensorflow.compat.v1.keras")):
            return name.startswith("keras.")
        if name.startswith("keras."):
            return True
        return name.startswith(("tensorflow._api.v2", "tensorflow.experimental")) or full in (
            "tensorflow.compat.v1.flags",
            "tensorflow.compat.v1.app.flags",
            "tensorflow.compat.v1.user_ops",
        )

    skip = {
        "tensorflow." + n
        for n in (
            "python",
            "core",
            "compiler",
            "tools",
            "include",
            "lite.python",
            "compat.v2",
            "compat.v1.compat.v1",
            "compat.v1.compat.v2",
            "tsl",
            "dtensor",
        )
    }
    # keras.optimizers.legacy: the names are there, each raises when called
    skip |= {
        p + "optimizers.legacy"
        for p in ("tensorflow.keras.", "tensorflow.", "tensorflow.compat.v1.keras.")
    }
    walk.module("tensorflow", tf, enter, skip=skip | {"tensorflow.compat.v1"})
    walk.module("tensorflow.compat.v1", tf.compat.v1, enter, skip=skip)
    # tf.test has lost it
    v1 = MOCK[0].replace("tensorflow", "tensorflow.compat.v1")
    walk.lines[v1] = [v1, *MOCK[1:]]
    return walk


def private_2_21(known):
    lines = []
    for line in known:
        name, _, rest = line.partition("\t")
        module = quiet_import(name)
        if module is None:
            continue
        found = []
        for entry in rest.split():
            attribute = entry.partition("=")[0]
            try:
                getattr(module, attribute)
            except Exception:
                continue
            found.append(attribute)
        lines.append("\t".join([name, " ".join(found)]).rstrip())
    return lines


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", default=os.path.join(here, "..", "migrate", "symbols", "data"))
    parser.add_argument(
        "--check", action="store_true", help="compare, write nothing; exit 1 if different"
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    del sys.argv[1:]  # tf.flags parses them when it is looked at
    import tensorflow as tf

    version = tf.__version__
    if version == "1.15.5":
        walk, suffix = walk_1_15(), "1_15"
        private = private_1_15(walk)
    elif version.startswith("2.21."):
        walk, suffix = walk_2_21(), "2_21"
        with gzip.open(
            os.path.join(options.out, "private_1_15.tsv.gz"), "rt", encoding="utf-8"
        ) as f:
            private = private_2_21(f.read().splitlines())
    else:
        sys.exit(f"TensorFlow {version} is neither 1.15.5 nor 2.21")
    same = walk.write(os.path.join(options.out, f"api_{suffix}.tsv.gz"), options.check)
    same &= write(os.path.join(options.out, f"private_{suffix}.tsv.gz"), private, options.check)
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
