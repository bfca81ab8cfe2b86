"""Branches: those that leave, and train ops in them, which may stand behind them all."""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.model import Blocked


class Branched(Blocked):
    """An optimizer, or what it trains, in one branch of several.

    ``decided``: what is said of the branch where it can't stand behind them all, if all objects of
    a class go one way; ``branch``: the branch, and ``home`` its file, where it may leave early.
    """

    decided: Any = None
    branch: ast.If | None = None
    home: str = ""


EXITS = frozenset({"exit", "quit", "sys.exit", "os._exit"})


def leaves(stmt: ast.stmt) -> bool:
    """Whether nothing comes after a statement."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    exits = isinstance(call, ast.Call) and ast.unparse(call.func) in EXITS
    return exits or isinstance(stmt, (ast.Raise, ast.Return, ast.Continue, ast.Break))


def check(walker: Any, node: ast.AST, reason: str) -> None:
    """Stop at what is made in a loop, a branch or a helper.

    Raises:
        Branched: it is a branch, and nothing else, or a helper that one calls.
        Blocked: it is more than that.
    """
    inside = bool(walker.nested) and walker.frame.region is not None
    called = walker.frame.region is None and isinstance(walker.frame.node, ast.FunctionDef)
    if (inside or called) and not walker.loops and isinstance(walker.sink.node, ast.If):
        error = Branched(node, reason)
        error.branch = walker.sink.node
        raise error
    raise Blocked(node, reason)
