"""Branches that make several parts of a graph, of which a run asks for some only.

``if l1: pos = …; neg = … else: pos = …; neg = …``: who asks for ``pos`` isn't fed what ``neg``
needs. It is written as two branches of one test, each with what belongs together.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.model import Step, Symbol, Unfed
from migrate.programs.graph.wording.spelled import Source, Spelled

PURE = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp),
    *(ast.expr_context, ast.cmpop, ast.boolop, ast.unaryop),
)


def check(walker: Any, error: Unfed) -> None:
    """See whether such a branch stands between a run and what it isn't fed.

    Raises:
        Spelled: it does, and can be several.
    """
    region = error.step.region if error.step is not None else None
    found = [step.node for step in region.steps if _parts(walker, step, error)] if region else []
    if found:
        edits = [(stmt, lambda source, stmt=stmt: _written(stmt, source)) for stmt in found]
        raise Spelled(error.node, error.reason, edits)


def _parts(walker: Any, step: Step, error: Unfed) -> bool:
    """Whether some of what a branch makes needs a placeholder, and some doesn't."""
    stmt = step.node
    if not isinstance(stmt, ast.If) or not stmt.orelse or isinstance(stmt.orelse[0], ast.If):
        return False
    if any(id(n) in walker.layers or id(n) in walker.made for n in walk(stmt)):
        return False  # their order counts
    if not all(isinstance(n, PURE) for n in walk(stmt.test)):
        return False
    ways = [_groups(stmt.body), _groups(stmt.orelse)]
    if ways[0] is None or ways[1] is None or len(ways[0]) < 2:
        return False
    names = [set(map(frozenset, way)) for way in ways if way is not None]
    if names[0] != names[1] or any(_reads(stmt.test, n) for group in names[0] for n in group):
        return False
    given = [s for s in step.uses if s.step is not step]
    needing = [s for s in given if s is error.symbol or _comes(s, error.symbol)]
    said = {("self." if s.attribute else "") + s.name for s in needing}
    needed = [any(_reads(n, name) for n in part for name in said) for part in ways[0].values()]
    return any(needed) and not all(needed)


def _comes(symbol: Symbol, origin: Symbol) -> bool:
    """Whether a name is made of another one."""
    known: set[Step] = set()
    stack = [symbol.step]
    while stack:
        step = stack.pop()
        if step not in known:
            known.add(step)
            if origin in step.uses:
                return True
            stack.extend(s.step for s in step.uses)
    return False


def _written(stmt: ast.If, source: Source) -> str | None:
    text = source(stmt)
    lines = text.splitlines()
    if "#" in text or len(lines) < 2 or stmt.body[0].lineno == stmt.lineno:
        return None
    deep = lines[1][: len(lines[1]) - len(lines[1].lstrip())]
    other = next((n for n in lines if n.lstrip().startswith("else")), None)
    if other is None or stmt.orelse[0].lineno == stmt.body[-1].end_lineno:
        return None
    flat = other[: len(other) - len(other.lstrip())]
    body, orelse = _groups(stmt.body), _groups(stmt.orelse)
    assert body is not None
    assert orelse is not None
    found: list[str] = []
    for names, yes in body.items():
        no = next(stmts for others, stmts in orelse.items() if set(others) == set(names))
        head = flat if found else ""
        found += [f"{head}if {source(stmt.test)}:", *(deep + source(one) for one in yes)]
        found += [f"{flat}else:", *(deep + source(one) for one in no)]
    return "\n".join(found)


def _groups(body: list[ast.stmt]) -> dict[tuple[str, ...], list[ast.Assign]] | None:
    """Assignments that read each other, by the names that they give; None: there are others."""
    groups: list[tuple[list[str], list[ast.Assign]]] = []
    for stmt in body:
        if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
            return None
        target = stmt.targets[0]
        if not isinstance(target, (ast.Name, ast.Attribute)):
            return None
        name = ast.unparse(target)
        near = [
            g
            for g in groups
            if name in g[0]
            or any(_reads(stmt.value, n) for n in g[0])
            or any(_reads(one.value, name) for one in g[1])  # which reads what it was before
        ]
        joined = ([n for g in near for n in g[0]], [s for g in near for s in g[1]])
        place = min((i for i, g in enumerate(groups) if g in near), default=len(groups))
        groups = [g for g in groups if g not in near]
        groups.insert(place, ([*joined[0], *([name] if name not in joined[0] else [])], joined[1]))
        joined[1].append(stmt)
    for _, stmts in groups:
        stmts.sort(key=lambda s: s.lineno)
    return {tuple(names): stmts for names, stmts in groups}


def _reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.expr) and ast.unparse(n) == name for n in walk(node))
