"""Functions that run a session and are given to a function of Python's: ``show(run_first, row)``.

What such a function does is followed where it is given away, as if it were called there with
numbers. The other function knows nothing of a graph: it calls what it gets and no more.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.made import Function
from migrate.programs.graph.model import HOST, Blocked, Kind, Value


def given(walker: Any, target: ast.AST, values: dict[str, Value], call: ast.Call) -> None:
    """Follow the arguments of a call that run a session; for the function they are Python's.

    Raises:
        Blocked: one can't be followed.
    """
    if not isinstance(target, ast.FunctionDef) or walker.runs(target) or walker._mentions(target):
        return
    for name, value in values.items():
        if value.kind is not Kind.FUNCTION or not isinstance(value.data, Function):
            continue
        member = value.data.node
        if not isinstance(member, ast.FunctionDef) or not walker.runs(member):
            continue
        _follow(walker, value.data, member, call)
        values[name] = HOST


def _follow(walker: Any, function: Function, member: ast.FunctionDef, call: ast.Call) -> None:
    args = member.args
    if args.vararg or args.kwarg:
        raise Blocked(call, f"what `{member.name}` is given isn't seen")
    known = len(walker.calls)
    there = ast.copy_location(ast.Call(ast.Name(member.name, ast.Load()), [], []), call)
    everything = (*args.posonlyargs, *args.args, *args.kwonlyargs)
    walker.enter(function, {a.arg: HOST for a in everything}, there)
    if walker.session_params.get(id(member)):
        raise Blocked(call, f"`{member.name}` is given a session")
    # Its arguments stay as they are.
    walker.calls[known:] = [(c, t) for c, t in walker.calls[known:] if c is not there]
