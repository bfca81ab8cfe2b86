"""A run behind a branch that decides what it is fed: it stands in each way, with what that feeds.

``if multi: feed[model.tags] = y`` ``else: feed[model.label] = y``, then ``sess.run(train, feed)``.
In TF 1 a run stops that isn't fed what the graph of the other way needs: each has a function of its
own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from migrate.engine.trees import holds, walk
from migrate.programs.graph.model import Site
from migrate.programs.graph.wording.known_branches import margin
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

LEAVES = (ast.Return, ast.Break, ast.Continue, ast.Raise)
MOST = 3  # ways: the run is written in each


def check(walker: Any, site: Site) -> None:
    """See whether a run stands right behind the branch that feeds it one thing or another.

    Raises:
        Spelled: it does, and may stand in each way.
    """
    stmt, fed = site.stmt, [feed for feed in site.feeds if feed.maybe]
    if not isinstance(stmt, (ast.Assign, ast.Expr, ast.AugAssign, ast.Return)):
        return
    branch = _ahead(walker.frame.node or walker.files.at(stmt).tree, stmt)
    if branch is None or not all(holds(branch, f.node) for f in fed):
        return
    ways = list(_ways(branch))
    if len(ways) > MOST or not all(ways) or not _blocks(branch, ways):
        return
    if any(isinstance(way[-1], LEAVES) for way in ways) or _text(stmt):
        return

    def unit(source: Source) -> str:
        inner, outer = source(margin(branch.body[0])), source(margin(branch))
        return inner.removeprefix(outer)

    def deeper(source: Source) -> str:  # the last way has the statement itself
        more = unit(source)
        return more + source(stmt).replace("\n", f"\n{more}")

    replaced: list[Written] = [(stmt, deeper)]
    replaced += [(way[-1], _behind(way[-1], branch, deeper)) for way in ways[:-1]]
    raise Spelled(site.node, "a run is fed one thing or another", replaced)


def _behind(
    last: ast.stmt, branch: ast.If, deeper: Callable[[Source], str]
) -> Callable[[Source], str]:
    """A statement with another one behind it."""
    return lambda source: f"{source(last)}\n{source(margin(branch))}{deeper(source)}"


def _ahead(scope: ast.AST, stmt: ast.stmt) -> ast.If | None:
    """The branch right before a statement, in its block."""
    for node in walk(scope):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(node, part, None)
            if isinstance(block, list) and stmt in block[1:]:
                place = block.index(stmt)
                ahead, behind = block[place - 1], block[place + 1 :]
                apart = ahead.end_lineno < stmt.lineno
                apart = apart and all(s.lineno > (stmt.end_lineno or 0) for s in behind[:1])
                return ahead if isinstance(ahead, ast.If) and apart else None
    return None


def _ways(branch: ast.If) -> Iterator[list[ast.stmt]]:
    """The ways of a branch, an empty one where it has no ``else``."""
    yield branch.body
    if _continued(branch):
        yield from _ways(branch.orelse[0])  # type: ignore[arg-type]
    else:
        yield branch.orelse


def _continued(branch: ast.If) -> bool:
    """Whether a branch goes on with ``elif``."""
    inner = branch.orelse[0] if len(branch.orelse) == 1 else None
    return isinstance(inner, ast.If) and inner.col_offset == branch.col_offset


def _blocks(branch: ast.If, ways: list[list[ast.stmt]]) -> bool:
    """Whether each way has lines of its own, all of them as far to the right."""
    above = branch.lineno
    for way in ways:
        lines = [line for s in way for line in (s.lineno, s.end_lineno or s.lineno)]
        if way[0].lineno <= above or way[0].col_offset != branch.body[0].col_offset:
            return False
        if any(a.end_lineno == b.lineno for a, b in pairwise(way)):
            return False
        above = max(lines)
    return True


def _text(stmt: ast.stmt) -> bool:
    """Whether a statement has text of several lines in it, which can't be moved to the right."""
    return any(
        isinstance(n, (ast.Constant, ast.JoinedStr)) and n.lineno != n.end_lineno
        for n in walk(stmt)
    )
