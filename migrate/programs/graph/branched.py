"""Branches: those that leave, and train ops in them, which may stand behind them all."""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.model import Blocked


class Branched(Blocked):
    """An optimizer, or what it trains, in one branch of several.

    ``decided``: what is said of the branch where it can't stand behind them all, if all objects of
    a class go one way.
    """

    decided: Any = None


EXITS = frozenset({"exit", "quit", "sys.exit", "os._exit"})


def leaves(stmt: ast.stmt) -> bool:
    """Whether nothing comes after a statement."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    exits = isinstance(call, ast.Call) and ast.unparse(call.func) in EXITS
    return exits or isinstance(stmt, (ast.Raise, ast.Return, ast.Continue, ast.Break))


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
