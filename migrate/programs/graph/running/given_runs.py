"""Functions that run a session and are given to what isn't the program's: ``plot(X, predict)``.

What such a function runs is followed where it is given away, as if it were called there once with
values of Python's. As nobody sees when it is called, nothing is made or started anew afterwards.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.data.threads import made
from migrate.programs.graph.made import Function
from migrate.programs.graph.model import Blocked, Kind, Value

KEPT = "given runs"
REASON = "a function that runs a session is given away"
UNKNOWN = "given"  # the name of what it is called with


def followed(walker: Any, node: ast.Call, values: list[Value]) -> None:
    """Follow the functions among a call's arguments that run a session.

    Raises:
        Blocked: one of them can't be followed.
    """
    for value, at in zip(values, [*node.args, *(k.value for k in node.keywords)], strict=True):
        function = value.data
        if value.kind is not Kind.FUNCTION or not isinstance(function, Function):
            continue
        if not walker.runs(function.node):
            continue
        if not isinstance(function.node, ast.FunctionDef) or not isinstance(at, ast.Name):
            raise Blocked(node, REASON)
        args = function.node.args
        if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
            raise Blocked(node, REASON)
        asked = args.args[: len(args.args) - len(args.defaults)]
        call = ast.Call(at, [ast.Name(UNKNOWN, ast.Load()) for _ in asked], [])
        ast.fix_missing_locations(ast.copy_location(call, node))
        known = len(walker.calls)
        walker.user(function, call)
        if walker.session_params.get(id(function.node)):
            raise Blocked(node, "a function that is given away is given a session")
        walker.calls[known:] = [(c, t) for c, t in walker.calls[known:] if c is not call]
        walker.kept.setdefault(KEPT, (node, made(walker)))


def check(walker: Any) -> None:
    """Nothing is made, or started anew, once such a function was given away.

    Raises:
        Blocked: something is.
    """
    if KEPT in walker.kept:
        node, before = walker.kept[KEPT]
        if made(walker) != before:
            raise Blocked(node, "a function that runs a session is given away before all is built")
