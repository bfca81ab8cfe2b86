"""Train ops that are made in branches: what all branches end with may stand behind them."""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.model import Blocked


class Branched(Blocked):
    """An optimizer, or what it trains, in one branch of several."""


def check(walker: Any, node: ast.AST, reason: str) -> None:
    """Stop at what is made in a loop, a branch or a helper.

    Raises:
        Branched: it is a branch, and nothing else.
        Blocked: it is more than that.
    """
    branch = walker.nested and walker.frame.region is not None and not walker.loops
    if branch and isinstance(walker.sink.node, ast.If):
        raise Branched(node, reason)
    raise Blocked(node, reason)
