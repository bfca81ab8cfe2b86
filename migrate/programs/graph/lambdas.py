"""Lambdas under a name: one that runs a session is a function, one that builds goes along."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.model import RUNTIME, Blocked, Kind, Step
from migrate.programs.graph.spelled import Spelled


def named(walker: Any, stmt: ast.Assign) -> None:
    """``predict = lambda v: sess.run(y, {x: v})``, or ``more = lambda i: i < n`` of a placeholder.

    Raises:
        Spelled: it runs a session: a ``def`` says the same.
    """
    made, target = stmt.value, stmt.targets[0]
    assert isinstance(made, ast.Lambda)
    if walker.nested or len(stmt.targets) > 1 or not isinstance(target, ast.Name):
        return
    if walker.runs(made):
        head = f"def {target.id}({ast.unparse(made.args)}):"
        unit = " " * _unit(walker.tree)
        raise Spelled(
            made,
            "a lambda runs a session",
            [(stmt, lambda source: _returned(source(made.body), unit))],
            [(stmt, lambda source: [head])],
        )
    if any(s.value.kind in RUNTIME or s.step.moves for s in walker.sink.uses):
        walker.sink.kind = Kind.TENSOR


def mapped(walker: Any, call: ast.Call) -> None:
    """``list(map(lambda v: sess.run(y, {x: v}), rows))``: a comprehension says the same.

    Raises:
        Spelled: it is that.
        Blocked: another lambda that runs a session is given away.
    """
    made = next((a for a in call.args if isinstance(a, ast.Lambda) and walker.runs(a)), None)
    if made is None:
        return
    reason = "a lambda that runs a session is given away"
    args = made.args
    bare = not (args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults)
    if ast.unparse(call.func) != "map" or len(call.args) != 2 or not bare or len(args.args) != 1:
        raise Blocked(made, reason)
    over, name = call.args[1], args.args[0].arg
    if isinstance(over, ast.Starred):
        raise Blocked(made, reason)
    outer = [
        n
        for n in walk(walker.stmt)
        if isinstance(n, ast.Call) and n.args == [call] and ast.unparse(n.func) == "list"
    ]
    whole, signs = (outer[0], "[]") if outer else (call, "()")
    raise Spelled(
        made,
        reason,
        [(whole, lambda s: f"{signs[0]}{s(made.body)} for {name} in {s(over)}{signs[1]}")],
    )


def left(walker: Any, step: Step) -> None:
    """See to it that no lambda stays behind that reads a part of a run.

    Raises:
        Blocked: its statement stays where it is.
    """
    for made in walker.reading.values():
        if not step.moves and not step.sites and step.kind is not Kind.OTHER:
            raise Blocked(made, "a lambda uses a part of a run, and stays outside of it")
    walker.reading.clear()


def _returned(body: str, unit: str) -> str | None:
    line = f"{unit}return {body}"
    try:
        ast.parse(f"def f():\n{line}")
    except SyntaxError:  # lines that hold together by what stands around them
        return None
    return line


def _unit(tree: ast.Module) -> int:
    """How far a function's body stands to the right of its header."""
    made = (n for n in walk(tree) if isinstance(n, ast.FunctionDef))
    found = (n.body[0].col_offset - n.col_offset for n in made if n.body[0].lineno > n.lineno)
    return next(found, 4)
