"""Whose tensors a run asks for: ``sess.run([net.out, loss])``, where ``loss = other.loss``."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.model import Fetch, Site
from migrate.programs.graph.own_nodes import own_nodes

UNSEEN = "?"  # no name of an object


def found(walker: Any, site: Site) -> set[str]:
    """What a run calls the objects of a class whose graph it runs, names of their tensors told."""
    owners: set[str] = set()
    region = site.region
    for leaf in site.fetch.leaves():
        mine = {
            ast.unparse(n.value)
            for n in all_of(leaf.node, ast.Attribute)
            if id(n) in walker.attributes
            if walker.attributes[id(n)].step.region is region
        }
        if not mine and any(s.attribute and s.step.region is region for s in leaf.uses):
            mine = _named(walker, site, leaf)
        owners |= mine
    return owners or {
        # `self.updates = [update_w, update_b]`: the list is an attribute, what is in it isn't.
        ast.unparse(n.value)
        for n in all_of(site.node, ast.Attribute)
        if id(n) in walker.fetched
    }


def _named(walker: Any, site: Site, leaf: Fetch) -> set[str]:
    """The objects whose attributes a fetched name may stand for."""
    scope = site.step.function if site.step is not None else None
    if not isinstance(scope, ast.FunctionDef):
        scope = walker.files.at(site.node).tree
    names = {n.id for n in all_of(leaf.node, ast.Name)}
    owners: set[str] = set()
    for stmt in own_nodes(scope) if scope is not None else ():
        if isinstance(stmt, ast.Assign):
            for target in stmt.targets:
                owners |= _given(target, stmt.value, names)
    return owners or {UNSEEN}


def _given(target: ast.expr, value: ast.expr, names: set[str]) -> set[str]:
    """Whose attributes an assignment gives to names."""
    if isinstance(target, ast.Name):
        if target.id not in names:
            return set()
        return {ast.unparse(value.value) if isinstance(value, ast.Attribute) else UNSEEN}
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=False)
        return {one for t, v in pairs for one in _given(t, v, names)}
    bound = {n.id for n in all_of(target, ast.Name)}
    return {UNSEEN} if bound & names else set()
