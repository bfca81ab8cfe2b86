"""A name that is one function or another: both must be such that either may stand for the other.

``block = resblock if n < 50 else bottle``: what makes variables is written anew for its own calls,
so that a name for two of them says nothing. What only computes may be either, as long as it reads
nothing that a call would have to be given.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph import meaning
from migrate.programs.graph.made import Function
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.names import free_names

# What a function may read of its module.
FREE = frozenset({Kind.HOST, Kind.NONE, Kind.ENDPOINT, Kind.FUNCTION, Kind.CLASS})
# Makers of variables that are followed by their names alone; cells' classes may be chosen.
ALONE = (meaning.VARIABLES | meaning.MAKING) - meaning.CELLS


def unlike(walker: Any, first: Value, second: Value) -> Value | None:
    """What a name means that stands for one of two; None where either will do."""
    if first.kind is not second.kind or first.data is second.data:
        return None
    if first.kind is Kind.ENDPOINT:
        makes = {first.data, second.data} & ALONE and first.data != second.data
        return Value(Kind.OTHER, "mixed") if makes else None
    if first.kind is Kind.CLASS:
        nodes = [value.data for value in (first, second) if isinstance(value.data, ast.ClassDef)]
        built = any(walker._mentions(node) for node in nodes)
        return Value(Kind.OTHER, "mixed") if built else None
    if first.kind is Kind.OBJECT:  # each class has functions of its own
        classes = {id(getattr(value.data, "node", None)) for value in (first, second)}
        return Value(Kind.OTHER, "mixed") if len(classes) > 1 else None
    if first.kind is not Kind.FUNCTION:
        return None
    functions = [v.data for v in (first, second) if isinstance(v.data, Function)]
    if len({id(function.node) for function in functions}) < 2:
        return None
    plain = all(_plain(walker, function) for function in functions)
    return None if plain else Value(Kind.OTHER, "mixed")


def _plain(walker: Any, function: Function) -> bool:
    if walker._variables_made(function.node) or walker.runs(function.node):
        return False
    for name in free_names(function.node):
        frame: Any = function.frame
        symbol = None
        while frame is not None and symbol is None:
            frame, symbol = frame.parent, frame.env.get(name)
        if symbol is not None and symbol.value.kind not in FREE:
            return False
    return True
