"""Lists of layers' variables in runs that don't call the layers: they are built before.

``[v.assign(u) for u, v in zip(main_vars, target_vars)]`` may be the first that is run. A layer has
its variables once it was called; a function that was traced before that would go through nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.programs.graph.collections import Owned, built
from migrate.programs.graph.model import Kind, Step


def check(walker: Any) -> None:
    """Have the layers built whose variables a run reads without calling them.

    Raises:
        Blocked: the shape of their input isn't seen.
    """
    for site in [site for region in walker.regions for site in region.sites]:
        steps = {symbol.step for symbol in site.reached()}
        called = {id(n) for step in steps for n in _nodes(step)}
        applied = {
            id(layer.same or layer.call)
            for layer in walker.layers.values()
            if id(layer.call) in called
        }
        for step in steps:
            if any(id(n) in walker.gradients or id(n) in walker.applies for n in _nodes(step)):
                continue  # what it differentiates has called them
            for entry in _read(walker, step):
                if step.kind is Kind.OP or id(entry.layer) not in applied:
                    built(walker, entry, step.node)


def _read(walker: Any, step: Step) -> Iterator[Owned]:
    """The layers in the lists that a statement makes, or has by their names."""
    for one in (step, *(symbol.step for symbol in step.uses)):
        for node in _nodes(one):
            for entry in walker.listed.get(id(node), ()):
                if entry.layer is not None and not entry.made:
                    yield entry


def _nodes(step: Step) -> Iterator[ast.AST]:
    if not isinstance(step.node, (ast.FunctionDef, ast.ClassDef)):
        yield from ast.walk(step.node)
