"""What a function that makes variables waits for: assertions, and what looks at its tensors.

In a function of TensorFlow they are done in the order in which they stand; what the function gives
is one tensor, so that no run asks for it without them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from migrate.engine.trees import all_of, holds
from migrate.programs.graph.calls import CHECK
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Region, Step

UPDATES = frozenset({T + "assign", T + "assign_add", T + "assign_sub"})
LOOKS = (T + "py_func", T + "numpy_function", T + "print")


def only(walker: Any, region: Region, step: Step) -> bool:
    """Whether all that a statement waits for may be done before it."""
    if not step.after:
        return True
    assert region.result is not None
    _, fetch = region.result
    if len(list(fetch.leaves())) != 1 or region.shaped:
        return False
    return all(
        s.region is region and (_looks(walker, s) or moves(walker, region, s)) for s in step.after
    )


def moves(walker: Any, region: Region, step: Step) -> bool:
    """Whether a statement is a group of updates, for which functions in it wait.

    TF 1 does them wherever a tensor behind them is computed, whichever way a condition takes.
    """
    assert region.result is not None
    _, fetch = region.result
    if step.kind is not Kind.OP or len(list(fetch.leaves())) != 1 or region.shaped:
        return False
    match step.node:
        case ast.Assign([ast.Name(name)], ast.Call() as call):
            pass
        case _:
            return False
    if walker.endpoints.get(id(call.func)) != T + "group" or call.keywords:
        return False
    if not all(walker.endpoints.get(id(getattr(n, "func", None))) in UPDATES for n in call.args):
        return False
    reads = [n for n in all_of(region.node, ast.Name) if n.id == name]
    waits = [
        item.context_expr
        for block in all_of(region.node, ast.With)
        for item in block.items
        if isinstance(item.context_expr, ast.Call)
        and walker.endpoints.get(id(item.context_expr.func)) == T + "control_dependencies"
    ]
    loads = [n for n in reads if isinstance(n.ctx, ast.Load)]
    return len(reads) == len(loads) + 1 and all(any(holds(w, n) for w in waits) for n in loads)


def inside(steps: Iterable[Step], step: Step) -> bool:
    """Whether a function that is defined beside a statement waits for it."""
    names = {s.name for s in step.defs}
    functions = [s.node for s in steps if isinstance(s.node, ast.FunctionDef)]
    return any(n.id in names for function in functions for n in all_of(function, ast.Name))


def _looks(walker: Any, step: Step) -> bool:
    if step.kind is not Kind.TENSOR or not isinstance(step.node, (ast.Assign, ast.Expr)):
        return False
    call = step.node.value
    if isinstance(call, (ast.List, ast.Tuple)) and len(call.elts) == 1:
        (call,) = call.elts
    name = walker.endpoints.get(id(call.func), "") if isinstance(call, ast.Call) else ""
    return name in LOOKS or (step.value is not None and step.value.data == CHECK)
