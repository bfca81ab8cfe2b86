"""What a variable starts with, given to what makes it: ``make(tf.random_normal([3]), 'b')``.

It is there when variables are made: a random draw, a constant. The function is given that.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from migrate.engine.trees import all_of, parents_of
from migrate.programs.graph.meaning import VARIABLES, T
from migrate.programs.graph.model import Kind, Step, Value
from migrate.programs.graph.wording.known_branches import place

STARTS = ("initial_value", "initializer")


def there(
    walker: Any, target: ast.AST, given: dict[str, Value], call: ast.Call, first: int = 0
) -> None:
    """Parameters that only say what variables start with are given what is there by then."""
    if not isinstance(target, ast.FunctionDef):
        return
    itself = [call.func] * first
    bound = ast.Call(call.func, [*itself, *call.args], call.keywords)
    for name, value in given.items():
        said = place(target, bound, name) if value.kind is Kind.TENSOR else None
        if said is not None and _starts(walker, target, name) and _there(walker, said):
            given[name] = Value(Kind.CONST)


def _starts(walker: Any, target: ast.FunctionDef, name: str) -> bool:
    """Whether all that a function does with a parameter is to start a variable with it."""
    parents = parents_of(target)
    uses = [n for n in all_of(target, ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
    stored = [n for n in all_of(target, ast.Name) if n.id == name and n not in uses]
    starts = [n for n in uses if not _shape(parents[id(n)])]
    return bool(starts) and not stored and all(_start(walker, n, parents) for n in starts)


def _shape(outer: ast.AST) -> bool:
    """Whether a value is asked for its shape."""
    return isinstance(outer, ast.Attribute) and outer.attr in ("shape", "get_shape")


def _start(walker: Any, use: ast.Name, parents: Mapping[int, ast.AST]) -> bool:
    outer = parents[id(use)]
    call = parents[id(outer)] if isinstance(outer, ast.keyword) else outer
    endpoint = walker.endpoints.get(id(call.func)) if isinstance(call, ast.Call) else None
    if endpoint not in VARIABLES or not isinstance(use.ctx, ast.Load):
        return False
    if isinstance(outer, ast.keyword):
        return outer.arg in STARTS
    assert isinstance(call, ast.Call)
    return endpoint == T + "Variable" and call.args[:1] == [use]


def _there(walker: Any, node: ast.expr) -> bool:
    """Whether a value can be there when variables are made."""
    sink = walker.sink
    walker.sink = Step(-1, sink.node, Kind.HOST)
    try:
        walker.expression(node)
        inner = walker.sink
    finally:
        walker.sink = sink
    before = dict(walker.kept.get("early", {}))
    early: bool = walker._initial(inner)
    if not early:
        walker.kept["early"] = before
    return early
