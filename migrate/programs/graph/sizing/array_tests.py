"""Helpers for arrays and tensors: ``if type(x) is np.ndarray: return np.mean(x)``.

A part of the graph is no array, neither when TF 1 builds with it nor in a function of TF 2.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.calls import is_numpy
from migrate.programs.graph.model import RUNTIME, Kind

GRAPH = frozenset({*RUNTIME, Kind.TENSOR, Kind.CONST, Kind.VARIABLE})


def answered(walker: Any, test: ast.expr) -> bool | None:
    """Whether what a helper is given is an array; None: something else is asked, or of Python."""
    match test:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="type"), args=[ast.Name() as given], keywords=[]),
            ops=[ast.Is() | ast.Eq()],
            comparators=[kind],
        ):
            pass
        case ast.Call(
            func=ast.Name(id="isinstance"), args=[ast.Name() as given, kind], keywords=[]
        ):
            pass
        case _:
            return None
    if not isinstance(kind, ast.Attribute) or kind.attr != "ndarray" or not is_numpy(walker, kind):
        return None
    symbol = walker.frame.env.get(given.id)
    if walker.frame.region is not None or symbol is None or symbol.value.kind not in GRAPH:
        return None
    return False
