"""Gradients by constants: what is computed from these is a matter of runs.

A tape only sees what is computed while it is there, of a tensor that its function knows.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.model import Blocked, Kind, Step, Symbol


def by_constants(walker: Any, node: ast.expr) -> None:
    """See to it that the constants of which a gradient is taken belong to runs.

    Raises:
        Blocked: Python knows what comes of one by now.
    """
    parts = node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]
    for part in parts:
        if not isinstance(part, ast.Name):
            continue
        symbol = walker.frame.env.get(part.id)
        region = walker.frame.region
        if symbol is None or region is None or symbol.value.kind is not Kind.CONST:
            continue
        if symbol.step.region is not region or not isinstance(symbol.step.node, ast.Assign):
            continue
        _moves(walker, symbol, region.steps, part)


def _moves(walker: Any, first: Symbol, steps: list[Step], at: ast.expr) -> None:
    found: dict[Step, None] = {first.step: None}
    for step in steps:
        if step in found or step is walker.sink or not any(s.step in found for s in step.uses):
            continue
        if step.kind is Kind.TENSOR:
            continue  # it is a matter of runs already
        if step.kind is not Kind.CONST or not isinstance(step.node, ast.Assign):
            raise Blocked(at, "the gradient by a constant that is used otherwise")
        found[step] = None
    for step in found:
        if any(s.value.kind is not Kind.CONST for s in step.defs):
            raise Blocked(at, "the gradient by a constant that is made with other things")
        step.kind = Kind.TENSOR
        for symbol in step.defs:
            symbol.value.kind = Kind.TENSOR
