"""Names of variables that a function puts together under a local name.

``name = "conv" + str(i)``, then ``conv2d(x, 8, name=name)``: its variable is ``conv{0}/w``, with a
whole number in the braces, and ``"conv" in v.name`` is known.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.scoping import scopes

NUMBER = "{0}"
UNTOLD = "{}"  # a name of which nothing is seen
HOLE = re.compile(r"\{([^{}]*)\}")
ARITHMETIC = (ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Name, ast.Load)


def settled(walker: Any, path: str, node: ast.AST) -> str:
    """A name with what its braces mean where ``node`` stands, as far as that is seen."""
    function = walker.frame.node
    if not isinstance(function, ast.FunctionDef) or "{" not in path:
        return path
    stored = {n.id for n in all_of(function, ast.Name) if not _loads(n)}
    return HOLE.sub(lambda m: _filled(m[0], m[1], function, stored, node), path)


def says(name: str, word: str) -> bool | None:
    """Whether a word is in such a name; None where it may be."""
    if any(word in part for part in HOLE.split(name)[::2]):
        return True
    numbers = set(HOLE.findall(name)) <= {"0"}
    return False if numbers and not set(word) & set("0123456789-") else None


def _filled(
    hole: str, inside: str, function: ast.FunctionDef, stored: set[str], node: ast.AST
) -> str:
    if hole in (NUMBER, "{}"):
        return hole
    try:
        value = ast.parse(inside, mode="eval").body
    except SyntaxError:
        return hole
    names = {n.id for n in all_of(value, ast.Name)}
    if not names & stored:
        return hole
    if _whole(value, function):
        return NUMBER
    made = _last(function, value.id, node) if isinstance(value, ast.Name) else None
    text = scopes.scope_name(made.value) if made is not None else None
    if made is None or text is None:
        return hole
    return HOLE.sub(lambda m: _filled(m[0], m[1], function, stored, made), text)


def _whole(value: ast.expr, function: ast.FunctionDef) -> bool:
    """Whether it is a whole number, which loops over numbers count."""
    if not all(isinstance(n, (*ARITHMETIC, ast.Constant)) for n in walk(value)):
        return False
    fixed = [n.value for n in all_of(value, ast.Constant)]
    names = {n.id for n in all_of(value, ast.Name)}
    given = {a.arg for a in all_of(function, ast.arg)}
    return all(type(n) is int for n in fixed) and names <= counters(function) - given


def counters(home: ast.AST) -> set[str]:
    """The names that loops count with, and that nothing else stores."""
    found: list[str] = []
    for loop in all_of(home, ast.For):
        if not isinstance(loop.iter, ast.Call):
            continue
        called, target = loop.iter.func, loop.target
        kind = called.id if isinstance(called, ast.Name) else ""
        if kind == "enumerate" and isinstance(target, (ast.Tuple, ast.List)):
            target = target.elts[0]
        elif kind not in ("range", "xrange"):
            continue
        found += [target.id] if isinstance(target, ast.Name) else []
    stores = [n.id for n in all_of(home, ast.Name) if not isinstance(n.ctx, ast.Load)]
    return {name for name in found if stores.count(name) == found.count(name)}


def _last(function: ast.FunctionDef, name: str, node: ast.AST) -> ast.Assign | None:
    """The assignment that surely gave a name the value that it has where ``node`` stands."""
    inner = (ast.comprehension, ast.NamedExpr, ast.Lambda)
    if any(isinstance(n, inner) and _stores(n, name) for n in walk(function)):
        return None
    blocks, inside = [], _around(function, node)
    while inside is not None:
        blocks.append(inside)
        inside = _around(inside[0][inside[1]], node)
    for block, place in reversed(blocks):
        for stmt in reversed(block[:place]):
            if isinstance(stmt, ast.Assign) and [ast.unparse(t) for t in stmt.targets] == [name]:
                return stmt
            if _stores(stmt, name):
                return None
        if not isinstance(block[place], (ast.If, *STRAIGHT)) and _stores(block[place], name):
            return None
    return None


STRAIGHT = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)


def _around(outer: ast.AST, node: ast.AST) -> tuple[list[ast.stmt], int] | None:
    """The block of a statement, and the place in it, where a node stands."""
    for field in ("body", "orelse", "finalbody"):
        block: list[ast.stmt] = getattr(outer, field, None) or []
        for place, stmt in enumerate(block if isinstance(block, list) else ()):
            if holds(stmt, node):
                return block, place
    return None


def _stores(stmt: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and not _loads(n) for n in walk(stmt))


def _loads(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)
