"""Sessions that can use nothing but what they restore."""

from __future__ import annotations

from typing import Any

from migrate.programs.graph.meaning import T


def alone(walker: Any) -> bool:
    """Whether a later session can use nothing but what it restores: it starts nothing anew.

    ``if checkpoint: saver.restore(sess, checkpoint)``: TF 1 stops at the first run without one.
    """
    started = walker.fresh is None or walker.started is walker.fresh
    return not started and T + "errors.FailedPreconditionError" not in walker.endpoints.values()
