"""A ``FileWriter`` that a loop closes and writes to again.

TF 1 warns and leaves out what is written after ``close()``; a writer of TF 2 stops the program.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import Any

from migrate.engine.trees import all_of, holds, outward, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.branched import leaves

LOOPS = (ast.For, ast.While)
REASON = "a FileWriter that is closed in a loop and written to again"


def check(walker: Any, made: ast.Call, node: ast.Call) -> None:
    """See whether a writer that ``node`` closes may be written to afterwards.

    Raises:
        Blocked: a loop closes it that doesn't make it, and goes on.
    """
    assert isinstance(node.func, ast.Attribute)
    target, tree = walker.frame.node, walker.files.at(node).tree
    loops: list[ast.AST] = [n for n in walk(target) if isinstance(n, LOOPS) and _repeats(n, node)]
    if isinstance(target, ast.FunctionDef) and not holds(target, made):
        scopes = (ast.FunctionDef, ast.ClassDef)
        makers = {n.name for n in walk(tree) if isinstance(n, scopes) and holds(n, made)}
        calls = [c for c in all_of(tree, ast.Call) if _called(c) == target.name]
        for around in (n for n in walk(tree) if isinstance(n, LOOPS)):
            anew = any(_called(c) in makers for c in all_of(around, ast.Call))
            if not anew and any(_repeats(around, c) for c in calls):
                loops.append(target)
    owner = ast.unparse(node.func.value)
    for loop in loops:
        used = sum(ast.unparse(n) == owner for n in walk(loop) if isinstance(n, ast.expr))
        if used > 1 and not holds(loop, made) and not _left(tree, loop, node):
            raise Blocked(node, REASON)


def _called(call: ast.Call) -> str | None:
    return getattr(call.func, "attr", getattr(call.func, "id", None))


def _repeats(loop: ast.AST, node: ast.AST) -> bool:
    return any(holds(s, node) for s in getattr(loop, "body", ()))


def _left(tree: ast.AST, loop: ast.AST, node: ast.AST) -> bool:
    """Whether the loop's round is the last one once a statement was reached."""
    way = list(outward(tree, node))
    nearest = next((n for n in way if isinstance(n, LOOPS)), None)
    for inner, outer in pairwise(way[: way.index(loop) + 1] if loop in way else ()):
        for block in (getattr(outer, f, None) for f in ("body", "orelse", "finalbody")):
            if not isinstance(block, list) or inner not in block:
                continue
            for stmt in filter(leaves, block[block.index(inner) :]):
                if not isinstance(stmt, (ast.Break, ast.Continue)):
                    return isinstance(loop, LOOPS)
                if isinstance(stmt, ast.Break) and nearest is loop:
                    return True
    return False
