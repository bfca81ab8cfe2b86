"""Names on demand: nothing of the shim, and no TensorFlow, is imported before it is used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from migrate.estimator_shim._gone import why

#: What to say of a name of TF1 that no table explains.
UNKNOWN = (
    "migrate.estimator_shim does not implement it. docs/estimator_shim.md lists what is there and "
    "what to use instead"
)


def names(
    module: str, where: Mapping[str, str], endpoint: str, gone: Mapping[str, str] | None = None
) -> Callable[[str], Any]:
    """Make a module's ``__getattr__``.

    Args:
      module: The module's ``__name__``.
      where: Public name -> the module that defines it; "" for a module below this one, and
        "tf.train" for a class that TensorFlow still has.
      endpoint: What the module was called in TF1, such as ``tf.estimator.export``.
      gone: Names of TF1 that are not here, besides those of `_gone`, each with what to use
        instead (a clause).

    Returns:
      The function to bind to ``__getattr__``. For a name that is not implemented it raises
      `AttributeError` (so that ``hasattr`` answers as in any module) with the alternative.
    """

    def getattr_(name: str) -> Any:
        if name not in where:
            if name.startswith("__"):
                raise AttributeError(f"module {module!r} has no attribute {name!r}")
            full = f"{endpoint}.{name}"
            raise AttributeError(f"{full}: {(gone or {}).get(name) or why(full) or UNKNOWN}.")
        home = where[name]
        if not home:
            return importlib.import_module(f"{module}.{name}")
        if home == "tf.train":
            value = getattr(importlib.import_module("tensorflow").compat.v1.train, name)
        else:
            value = getattr(importlib.import_module(home), name)
        importlib.import_module(module).__dict__[name] = value
        return value

    return getattr_
