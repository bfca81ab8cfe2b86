"""What a loop computes anew in each round, at random too, and runs once: it stays in the loop.

    for _ in range(9):
        picture = distort(image, 299)
        plt.imshow(picture.eval())

In a graph each round adds its ops, and runs them once. Computed where it stands it is the same: a
draw for each round, and what Python decides is decided once.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, children, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.running import looped_sessions

DRAWN = "drawn each round"
LEAVES = (ast.Break, ast.Continue, ast.Raise, ast.Try)  # a round that may not run it
LOOPS = (ast.For, ast.While)
PLAIN = (Kind.HOST, Kind.CONST, Kind.FUNCTION, Kind.ENDPOINT, Kind.NONE)


def found(walker: Any, stmt: ast.Assign, value: Value) -> Value:
    """The value that a statement binds; of a constant kind where it may be computed there."""
    if value.kind is not Kind.TENSOR or not isinstance(stmt.value, (ast.Call, ast.BinOp)):
        return value
    scope = walker.frame.node
    if not isinstance(scope, ast.Module) or not walker.loops or value.items is not None:
        return value
    (target, *others) = stmt.targets
    if others or not isinstance(target, ast.Name) or not _once(scope, stmt, target):
        return value
    if not _known(walker, stmt.value, set()) or _seeded(walker):
        return value
    return Value(Kind.CONST, DRAWN)


def _once(scope: ast.Module, stmt: ast.Assign, target: ast.Name) -> bool:
    """Whether a name is read once, by a run of it alone in the same round of the loop."""
    places = [n for n in all_of(scope, ast.Name) if n.id == target.id]
    reads = [n for n in places if n is not target]
    block = next((b for n in walk(scope) if isinstance(n, LOOPS) and stmt in (b := n.body)), None)
    if len(reads) != 1 or block is None:
        return False
    for later in block[block.index(stmt) + 1 :]:
        if any(isinstance(n, LEAVES) for n in walk(later)):
            return False
        if reads[0] in walk(later):
            return isinstance(later, (ast.Expr, ast.Assign)) and _run(later, reads[0])
    return False


def _run(stmt: ast.stmt, read: ast.Name) -> bool:
    """Whether a statement always runs a name, once."""
    todo: list[ast.AST] = [stmt]
    once = (ast.Expr, ast.Assign, ast.Call, ast.Attribute, ast.Subscript, ast.keyword, ast.BinOp)
    for node in todo:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "eval" and node.func.value is read:
                return True
            if node.func.attr == "run" and node.args[:1] == [read]:
                return True
        todo += [n for n in children(node) if isinstance(n, once)]
    return False


def _known(walker: Any, node: ast.AST, seen: set[str]) -> bool:
    """Whether all that is read is there before any run, in the program's functions, too."""
    for n in all_of(node, ast.Name):
        if n.id in seen:
            continue
        seen.add(n.id)
        symbol = walker.frame.env.get(n.id)
        if symbol is None:
            continue
        if symbol.value.kind not in PLAIN or symbol.fed:
            return False
        function = getattr(symbol.value.data, "node", None)
        if symbol.value.kind is Kind.FUNCTION and function is not None:
            if walker._variables_made(function) or not _known(walker, function, seen):
                return False
    return True


def _seeded(walker: Any) -> bool:
    """Whether a seed may be told: in a graph, each op begins its sequence anew."""
    for n in walk(walker.tree):
        name = walker.endpoints.get(id(n.func)) if isinstance(n, ast.Call) else None
        if name in looped_sessions.SEEDS:
            return True
        if name in meaning.STATEFUL:
            seed = walker.bound(name, n).get("seed")
            if seed is not None and not (isinstance(seed, ast.Constant) and seed.value is None):
                return True
    return False
