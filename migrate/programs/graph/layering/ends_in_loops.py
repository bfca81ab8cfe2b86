"""Nets that may end in a loop over parts: ``if end_point == final_endpoint: return net``.

The program's building is executed with Python's values. Where the only call of a function leaves
the loop with its last part, or never, all parts are made: the questions go, and what would be
returned is returned behind the loop.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.layering import final_endpoints
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.sizing.size_texts import Texts, own_nodes
from migrate.programs.graph.sizing.static_run.expressions import Stop
from migrate.programs.graph.sizing.static_run.run import Run
from migrate.programs.graph.wording.spelled import Spelled, Written, same, word

SEVERAL = (ast.For, ast.While, ast.Try, ast.FunctionDef, ast.Lambda, ast.ClassDef)


def check(walker: Any, loop: ast.For, error: Blocked) -> None:
    """See whether a loop is only left behind the last of its parts.

    Raises:
        Spelled: it is.
    """
    target = walker.frame.node
    if not isinstance(target, ast.FunctionDef) or loop.orelse:
        return
    leaves = [n for n in walk(loop) if isinstance(n, (ast.Break, ast.Continue, ast.Return))]
    asks = [n for n in own_nodes(target) if isinstance(n, ast.If) and _leaves(n, leaves)]
    inner = [n for n in walk(loop) if isinstance(n, SEVERAL) and n is not loop]
    chained = [s for n in walk(loop) if isinstance(n, ast.If) for s in n.orelse if s in asks]
    if not leaves or len(asks) != len(leaves) or inner or chained:
        return
    run = Run(walker)
    try:
        run.entries()
    except (Stop, RecursionError):
        return
    items = [fact.value for fact in run.facts.get(id(loop.iter), ())]
    if len(items) != 1 or not isinstance(items[0], (tuple, range)):
        return
    if not Texts(walker, run).trusted(target):
        return
    ended: ast.If | None = None
    for ask in asks:
        told = [fact.value for fact in run.facts.get(id(ask.test), ())]
        if not all(isinstance(value, bool) for value in told):
            return
        if any(told):
            if (
                ended is not None
                or told.index(True) != len(told) - 1
                or ask is not _last(loop, ask)
            ):
                return
            ended = ask
    found: list[Written] = [(ask, word("")) for ask in asks]
    if ended is not None:
        if _rounds(run, loop) != len(items[0]):
            return
        behind = _behind(target.body, loop)
        if not behind or not all(isinstance(stmt, ast.Raise) for stmt in behind):
            return
        found += [(behind[0], same(ended.body[0]))]
        found += [(stmt, word("")) for stmt in behind[1:]]
        region, gone = walker.frame.region, [*asks, *behind]
        if region.node is target:
            for name in sorted({n.id for ask in asks for n in all_of(ask.test, ast.Name)}):
                if any(a.arg == name for a in target.args.args):
                    found += final_endpoints.unread(walker, region, target, name, gone)
    raise Spelled(error.node, error.reason, found)


def _leaves(stmt: ast.If, leaves: Sequence[ast.AST]) -> bool:
    """Whether all that a branch does is to end the function."""
    first = stmt.body[0]
    one = len(stmt.body) == 1 and not stmt.orelse and isinstance(first, ast.Return)
    calls = [n for n in walk(stmt.test) if isinstance(n, (ast.Call, ast.NamedExpr))]
    return one and first in leaves and not calls


def _last(block: ast.AST, ask: ast.If) -> ast.stmt | None:
    """What a round ends with, on the way that leads to a question."""
    body: list[ast.stmt] = getattr(block, "body", [])
    while body:
        stmt = body[-1]
        if stmt is ask:
            return stmt
        if isinstance(stmt, ast.With):
            body = stmt.body
        elif isinstance(stmt, ast.If):
            inside = any(n is ask for s in stmt.body for n in walk(s))
            body = stmt.body if inside else stmt.orelse
        else:
            return None
    return None


def _rounds(run: Run, loop: ast.For) -> int:
    """How often a loop's body began."""
    first = loop.body[0]
    value = getattr(first, "value", None) or getattr(first, "test", None)
    return len(run.facts.get(id(value), ()))


def _behind(body: list[ast.stmt], loop: ast.For) -> list[ast.stmt]:
    """What follows a loop in the blocks that are always entered; the loop's block first."""
    for place, stmt in enumerate(body):
        if stmt is loop:
            return body[place + 1 :]
        if isinstance(stmt, ast.With) and any(n is loop for n in all_of(stmt, ast.For)):
            return [*_behind(stmt.body, loop), *body[place + 1 :]]
    return []
