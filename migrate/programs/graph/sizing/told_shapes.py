"""Shapes of inputs in numbers, where the program's building is executed with Python's values.

Layers whose variables are read before their first call are built with them: behind a flattened
picture, whose size a method doesn't tell, but what the program gives it does. A program that can be
followed without isn't written so.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds
from migrate.programs.graph.sizing.shapes import OPEN
from migrate.programs.graph.sizing.size_texts import Texts
from migrate.programs.graph.sizing.static_run.expressions import Stop
from migrate.programs.graph.sizing.static_run.run import Run
from migrate.programs.graph.sizing.static_run.values import Tensor

ASKED = ("told shapes asked",)
KEPT = ("told shapes",)  # what a program does, whichever graph it builds


def of(walker: Any, node: ast.expr) -> list[str] | None:
    """A tensor's shape where it always is the same; None where it isn't seen or not asked yet."""
    if not walker.told:
        walker.kept[ASKED] = True
        return None
    if KEPT not in walker.kept:
        run: Run | None = Run(walker)
        try:
            assert run is not None
            run.entries()
        except (Stop, RecursionError):
            run = None
        walker.kept[KEPT] = run
    run = walker.kept[KEPT]
    if run is None:
        return None
    tree = walker.files.at(node).tree
    around = [f for f in all_of(tree, ast.FunctionDef) if holds(f, node)]
    texts = Texts(walker, run)
    if not all(texts.trusted(scope) for scope in around):
        return None
    values = [fact.value for fact in run.facts.get(id(node), ())]
    shapes = {v.shape if isinstance(v, Tensor) else None for v in values}
    shape = shapes.pop() if len(shapes) == 1 else None
    return [OPEN if n is None else str(int(n)) for n in shape] if shape else None
