"""Checkpoints and SavedModels of TF 1, TF 2 and Keras: read, map, convert, compare.

Migrated programs need none of this at run time, with one exception: a program that has to read an
old checkpoint itself may call `load_tf1_checkpoint`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from migrate.checkpoints.errors import CheckpointError, Usage
    from migrate.checkpoints.graphs.loading import load_graph, load_saved_model
    from migrate.checkpoints.runtime import Loaded, load_tf1_checkpoint

_HOMES = {
    "CheckpointError": "errors",
    "Usage": "errors",
    "Loaded": "runtime",
    "load_tf1_checkpoint": "runtime",
    "load_graph": "graphs.loading",
    "load_saved_model": "graphs.loading",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


__all__ = [
    "CheckpointError",
    "Loaded",
    "Usage",
    "load_graph",
    "load_saved_model",
    "load_tf1_checkpoint",
]
