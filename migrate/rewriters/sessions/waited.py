"""What a function that makes variables waits for: assertions, and what looks at its tensors.

In a function of TensorFlow they are done in the order in which they stand; what the function gives
is one tensor, so that no run asks for it without them.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.calls import CHECK
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Region, Step

LOOKS = (T + "py_func", T + "numpy_function", T + "print")


def only(walker: Any, region: Region, step: Step) -> bool:
    """Whether all that a statement waits for may be done before it."""
    if not step.after:
        return True
    assert region.result is not None
    _, fetch = region.result
    if len(list(fetch.leaves())) != 1 or region.shaped:
        return False
    return all(s.region is region and _looks(walker, s) for s in step.after)


def _looks(walker: Any, step: Step) -> bool:
    if step.kind is not Kind.TENSOR or not isinstance(step.node, (ast.Assign, ast.Expr)):
        return False
    call = step.node.value
    if isinstance(call, (ast.List, ast.Tuple)) and len(call.elts) == 1:
        (call,) = call.elts
    name = walker.endpoints.get(id(call.func), "") if isinstance(call, ast.Call) else ""
    return name in LOOKS or (step.value is not None and step.value.data == CHECK)
