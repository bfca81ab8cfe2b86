"""Lambdas under a name: one that runs a session is a function, one that builds goes along."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from migrate.engine.names import COMPREHENSIONS
from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.made import Function
from migrate.programs.graph.model import RUNTIME, Blocked, Kind, Step, Value
from migrate.programs.graph.wording.spelled import Source, Spelled, free

RUNS = "a lambda runs a session"


def named(walker: Any, stmt: ast.Assign) -> None:
    """``predict = lambda v: sess.run(y, {x: v})``, or ``more = lambda i: i < n`` of a placeholder.

    Raises:
        Spelled: it runs a session: a ``def`` says the same.
    """
    made, target = stmt.value, stmt.targets[0]
    assert isinstance(made, ast.Lambda)
    if len(stmt.targets) > 1 or not isinstance(target, ast.Name):
        return
    if walker.runs(made):
        head = f"def {target.id}({ast.unparse(made.args)}):"
        unit = " " * _unit(walker.tree)
        if walker.nested:
            _above(walker, made, target.id, (stmt, ""))
        raise Spelled(
            made,
            RUNS,
            [(stmt, lambda source: _returned(source(made.body), unit))],
            [(stmt, lambda source: [head])],
        )
    if walker.nested:
        return
    if any(s.value.kind in RUNTIME or s.step.moves for s in walker.sink.uses):
        walker.sink.kind = Kind.TENSOR


def _above(walker: Any, made: ast.Lambda, name: str, place: tuple[ast.AST, str]) -> None:
    """A lambda in a branch or a call is a function above the statement; ``place``: what stays.

    Raises:
        Spelled: always, but where it could mean something else there.
    """
    stmt, scope, (node, new) = walker.sink.node, walker.frame.node, place
    if walker.frame.region is None or stmt is node or made.args.defaults or made.args.kw_defaults:
        return
    around = (*COMPREHENSIONS, ast.Lambda, ast.FunctionDef, ast.ClassDef)
    inner = [n for n in walk(stmt) if isinstance(n, around) and n is not made]
    if any(holds(n, made) for n in inner):
        return  # it reads what only exists there
    bound = [n for n in all_of(scope, ast.Name) if n.id == name]
    if sum(isinstance(n.ctx, ast.Store) for n in bound) > (not new):
        return
    bodies = (getattr(n, part, ()) for n in walk(stmt) for part in ("body", "orelse", "finalbody"))
    if any(isinstance(body, list) and body == [node] for body in bodies):
        return  # a branch without a statement
    head, unit = f"def {name}({ast.unparse(made.args)}):", " " * _unit(walker.tree)

    def line(source: Source) -> str | None:
        return _returned(source(made.body), unit)

    raise Spelled(
        made,
        RUNS,
        [(node, lambda source: None if line(source) is None else new)],
        [(stmt, lambda source: [head, line(source) or ""])],
    )


def mapped(walker: Any, call: ast.Call) -> None:
    """``list(map(lambda v: sess.run(y, {x: v}), rows))``: a comprehension says the same.

    A lambda that is given to what isn't the program's gets a name.

    Raises:
        Spelled: it is one of them.
        Blocked: another lambda that runs a session is given away.
    """
    given = [*call.args, *(k.value for k in call.keywords)]
    made = next((a for a in given if isinstance(a, ast.Lambda) and walker.runs(a)), None)
    if made is None:
        return
    reason = "a lambda that runs a session is given away"
    if ast.unparse(call.func) not in ("map", "filter", "sorted"):
        name = free(walker, "function")
        _above(walker, made, name, (made, name))
    args = made.args
    bare = not (args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults)
    if ast.unparse(call.func) != "map" or len(call.args) != 2 or not bare or len(args.args) != 1:
        raise Blocked(made, reason)
    over, name = call.args[1], args.args[0].arg
    if isinstance(over, ast.Starred):
        raise Blocked(made, reason)
    outer = [
        n
        for n in all_of(walker.stmt, ast.Call)
        if n.args == [call] and ast.unparse(n.func) == "list"
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
    region = step.region
    # What a function that makes variables returns is in the function that it becomes.
    inside = region is not None and region.result is not None and region.result[0] is step
    for made in walker.reading.values() if not inside else ():
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
    made = (n for n in all_of(tree, ast.FunctionDef))
    found = (n.body[0].col_offset - n.col_offset for n in made if n.body[0].lineno > n.lineno)
    return next(found, 4)


def of_python(walker: Any, value: Value) -> bool:
    """``encoder.FLOAT_REPR = lambda o: format(o, '.3f')``: whether it has nothing of a graph."""
    made = value.data.node if isinstance(value.data, Function) else None
    if not isinstance(made, ast.Lambda):
        return False
    own = {a.arg for a in all_of(made.args, ast.arg)}
    names = {n.id for n in all_of(made, ast.Name)} - own
    return not any(id(n) in walker.endpoints for n in walk(made)) and names <= set(dir(builtins))
