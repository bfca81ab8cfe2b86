"""Ops that a function builds anew at every call, from nothing of the call: built once, above it."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Region, Step
from migrate.programs.graph.wording.partials import changed
from migrate.programs.graph.wording.respelled import Respelled

SHAPES = frozenset({"get_shape", "as_list"})
# More than an op that only computes.
MORE = meaning.STATEFUL | meaning.MAKING | meaning.VARIABLES | meaning.ASSIGNS
LISTED = (T + "losses.", T + "summary.", T + "metrics.", T + "contrib.metrics.")


def met(walker: Any, region: Region, node: ast.Call) -> None:
    """A function that builds ops is called again.

    Raises:
        Respelled: all of them can stand above the function.
    """
    target = region.node
    tree = walker.files.at(target).tree
    if not isinstance(target, ast.FunctionDef) or target.decorator_list or tree is None:
        return
    if target not in tree.body or walker.files.at(target) is not walker.entry:
        return
    local = {a.arg for a in all_of(target.args, ast.arg)}
    local |= {n.id for n in all_of(target, ast.Name) if _stores(n)}
    local -= {n for s in all_of(target, ast.Global) for n in s.names}
    found: list[ast.Assign] = []
    names: set[str] = set()
    for step in region.steps:
        stmt = step.node
        if not step.moves:
            continue
        if not isinstance(stmt, ast.Assign) or stmt not in target.body:
            return
        if not _computes(walker, step):
            return
        own = _own(stmt)
        read = {n.id for n in all_of(stmt, ast.Name) if not _stores(n)}
        alone = len(own) == len(stmt.targets) and all(_only(tree, target, name) for name in own)
        if not alone or read & (local - names):
            return
        if not all(name in names or _before(tree, target, name) for name in read):
            return
        found.append(stmt)
        names |= own
    if found:
        raise Respelled(
            node, "ops that are built at every call", "lift", target=target, found=found
        )


def _computes(walker: Any, step: Step) -> bool:
    """Whether a statement makes ops that only compute."""
    if step.kind is not Kind.TENSOR or step.random or step.after or step.sites:
        return False
    for node in walk(step.node):
        if isinstance(node, (ast.Lambda, ast.comprehension)):
            return False
        if isinstance(node, ast.Call):
            name = walker.endpoints.get(id(node.func), "")
            shape = isinstance(node.func, ast.Attribute) and node.func.attr in SHAPES
            op = meaning.is_op(name) and name not in MORE and not name.startswith(LISTED)
            if not op and not shape:
                return False
    return True


def _stores(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _own(stmt: ast.Assign) -> set[str]:
    return {t.id for t in stmt.targets if isinstance(t, ast.Name)}


def _only(tree: ast.Module, target: ast.FunctionDef, name: str) -> bool:
    """Whether a name is bound once in a function, and nowhere mentioned outside of it."""
    inside = [n for n in all_of(target, ast.Name) if n.id == name]
    every = sum(
        name in (getattr(n, "id", None), getattr(n, "arg", None), getattr(n, "name", None))
        for n in walk(tree)
    )
    return sum(map(_stores, inside)) == 1 and every == len(inside)


def _before(tree: ast.Module, target: ast.FunctionDef, name: str) -> bool:
    """Whether the module gives a name its one meaning above a function."""
    places: list[ast.AST] = []
    for n in walk(tree):
        if isinstance(n, ast.alias):
            mine = (n.asname or n.name).partition(".")[0] == name
        elif isinstance(n, ast.Name):
            mine = n.id == name and _stores(n)
        else:
            mine = name in (getattr(n, "arg", None), getattr(n, "name", None))
            mine = mine and not isinstance(n, ast.keyword)
        if mine:
            places.append(n)
        if name in changed(n):
            return False
    if not places:
        return True  # Python's own
    if len(places) > 1 and not all(isinstance(n, ast.alias) for n in places):
        return False
    plain = (ast.Assign, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.With)
    top = [stmt for stmt in tree.body if stmt.lineno < target.lineno and isinstance(stmt, plain)]
    told = [
        n for stmt in top for n in ([stmt] if isinstance(stmt, ast.FunctionDef) else walk(stmt))
    ]
    return all(any(n is place for n in told) for place in places)
