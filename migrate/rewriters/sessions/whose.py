"""Whose graph a function on another object's graph calls: all reads of that object's class tell.

``a = self.new.out`` and ``b = self.old.out`` are names of two objects' tensors; a function that
reads both can't call one object's function for them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Region
from migrate.programs.graph.objects import objects_apart, own_attributes
from migrate.programs.graph.objects.objects_apart import Whose
from migrate.programs.graph.slices import Plan

Owners = dict[tuple[Region | None, Whose | None], set[str]]
REASON = objects_apart.UNTOLD


def owners(walker: Any, plan: Plan) -> Owners:
    """What a plan calls the objects whose attributes it reads, by their class and by which."""
    if not walker.attributes:
        return {}
    nodes: list[ast.AST] = [s.node for s in plan.steps if s.region is plan.region]
    nodes += [leaf.node for leaf in plan.fetch.leaves()]
    found: Owners = {}
    for node in (*nodes, *_named(plan, nodes)):
        for n in walk(node):
            symbol = walker.attributes.get(id(n))
            if symbol is not None and isinstance(n, ast.Attribute):
                key = symbol.step.region, symbol.whose
                found.setdefault(key, set()).add(ast.unparse(n.value))
    return found


def named(walker: Any, plans: Iterable[Plan]) -> dict[Whose, str]:
    """What objects of a class that has several are called in plans, the first name of each."""
    found: dict[Whose, str] = {}
    for plan in plans:
        for (_, one), names in owners(walker, plan).items():
            if one is not None:
                found.setdefault(one, min(names))
    return found


def lasting(walker: Any, plan: Plan, owner: str) -> None:
    """See that the name under which an object is known means that object throughout.

    Raises:
        Blocked: it is bound again.
    """
    node = ast.parse(owner, mode="eval").body
    again: list[ast.AST] = []
    if isinstance(node, ast.Name):
        for scope in {s.function for s in plan.steps if s.region is plan.region}:
            if isinstance(scope, ast.FunctionDef):  # a module's names are told apart elsewhere
                bound = [n for n in _stored(scope) if n.id == owner]
                again += bound[0 if owner in _parameters(scope) else 1 :]
    elif isinstance(node, ast.Attribute):
        cls = plan.region.node
        if isinstance(cls, ast.ClassDef):
            again += own_attributes.stores(walker, cls, node.attr)[1:]
        else:
            again += [n for n in walk(cls) if _set(n) and ast.unparse(n) == owner]
    if again:
        what = f"`{owner}`, whose graph is run, means another object from here on"
        raise Blocked(again[0], what)


def _parameters(scope: ast.FunctionDef) -> set[str]:
    args = scope.args
    return {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}


def _set(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)


def _named(plan: Plan, nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    """The values of the statements that only give names to what the nodes read by these."""
    steps = set(plan.steps)
    given: list[tuple[set[str], ast.expr]] = []
    for step in plan.region.steps:
        if step in steps or isinstance(step.node, (ast.ClassDef, ast.FunctionDef)):
            continue
        for n in walk(step.node):
            value = getattr(n, "value", None)
            if isinstance(n, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and value is not None:
                targets = n.targets if isinstance(n, ast.Assign) else [n.target]
                given.append(({m.id for t in targets for m in _stored(t)}, value))
    read = {m.id for n in nodes for m in all_of(n, ast.Name)}
    while again := [pair for pair in given if pair[0] & read]:
        given = [pair for pair in given if not pair[0] & read]
        for _, value in again:
            read |= {m.id for m in all_of(value, ast.Name)}
            yield value


def _stored(node: ast.AST) -> list[ast.Name]:
    return [n for n in all_of(node, ast.Name) if isinstance(n.ctx, ast.Store)]
