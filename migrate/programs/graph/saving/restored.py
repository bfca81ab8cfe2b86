"""Sessions that can use nothing but what they restore."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.meaning import T

WIDE = frozenset(("Exception", "BaseException", "OpError"))


def alone(walker: Any) -> bool:
    """Whether a later session can use nothing but what it restores: it starts nothing anew."""
    started = walker.fresh is None or walker.started is walker.fresh
    return not started and T + "errors.FailedPreconditionError" not in walker.endpoints.values()


def needed(walker: Any) -> bool:
    """Whether it needs what one way to it restores: ``if checkpoint: saver.restore(…)``.

    TF 1 stops at the first run of the other way, and nothing in the program goes on from there.
    """
    if not alone(walker):
        return False
    handlers = (n for n in all_of(walker.tree, ast.ExceptHandler))
    for handler in handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        for kind in kinds:
            if kind is None or getattr(kind, "attr", getattr(kind, "id", "")) in WIDE:
                return False
    return True
