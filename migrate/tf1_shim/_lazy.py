"""Modules on demand, and errors that help for the names which have no home any more."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

#: What to say of a name of TF1 that no entry of a ``gone`` table explains.
UNKNOWN = (
    "it is not implemented in migrate.tf1_shim. `migrate explain` and docs/tf1_shim.md say what "
    "became of it in TF 2.21"
)


def missing(endpoint: str, why: str) -> AttributeError:
    """The error for an endpoint of TF1 that cannot be given back.

    Args:
      endpoint: The name in TF1, such as ``tf.contrib.rpc.rpc``.
      why: Why it is not here and what to use instead, a clause without the final point.

    Returns:
      An `AttributeError`, so that `hasattr` and `getattr` with a default work as in any module.
    """
    return AttributeError(f"{endpoint}: {why}.")


def attributes(
    module: str,
    submodules: Sequence[str],
    endpoint: str,
    gone: Mapping[str, str] | None = None,
) -> Callable[[str], Any]:
    """Make a module's ``__getattr__``: import sub-modules on first use, explain missing names.

    Args:
      module: The module's ``__name__``.
      submodules: The names below it that are modules of their own.
      endpoint: What the module was called in TF1, such as ``tf.contrib.rnn``.
      gone: Names of TF1 without a home, each with the reason and what to use instead.

    Returns:
      The function to bind to ``__getattr__``.
    """

    def getattr_(name: str) -> Any:
        if name in submodules:
            return importlib.import_module(f"{module}.{name}")
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        raise missing(f"{endpoint}.{name}", (gone or {}).get(name, UNKNOWN))

    return getattr_
