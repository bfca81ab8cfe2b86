"""Functions that make a session and return it: what they do besides stays, their result goes."""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.feeding import helper_placeholders
from migrate.programs.graph.made import GOES
from migrate.programs.graph.meaning import SESSIONS
from migrate.programs.graph.model import Blocked, Kind, Region, Step, Value
from migrate.programs.graph.optimizing import training_helpers


def returns(walker: Any, stmt: ast.Return, value: Value) -> bool:
    """Whether a function returns the session that it made, or was given."""
    region: Region | None = walker.frame.region
    if region is None or value.kind is not Kind.SESSION or walker.nested:
        return False
    if region.inputs is not None or region.built is not None:
        return False
    if isinstance(region.node, ast.ClassDef) or region.node is not walker.frame.node:
        return False
    region.gives = value
    walker.sink.kind = Kind.SETTING
    return True


def among(walker: Any, stmt: ast.Return, error: Blocked) -> None:
    """``return sess, saver``: the session is what its caller opens, beside what else is made.

    Raises:
        Inlinable: the function is called in one statement, and its own may stand there.
    """
    target = walker.frame.node
    if type(error) is not Blocked or walker.nested or not isinstance(stmt.value, ast.Tuple):
        return
    if not isinstance(target, ast.FunctionDef) or not walker.runs(target):
        return
    values = [walker.expression(n) for n in stmt.value.elts if isinstance(n, ast.Name)]
    if not any(v.kind is Kind.SESSION for v in values):
        return
    calls = helper_placeholders.calls_of(walker, target)
    at = helper_placeholders.statement_of(walker, target, calls[0]) if len(calls) == 1 else None
    if at is not None:
        why = "returns a session beside parts of a graph"
        training_helpers.few(walker, target, calls[0], why, error, at, training_helpers.NET)


def called(walker: Any, region: Region, node: ast.Call) -> Value:
    """What a call of such a function is: the session; the call stays where it does more.

    Raises:
        Blocked: it does more, and stands in another expression; or it makes several sessions.
    """
    assert region.gives is not None
    made = region.gives.data in SESSIONS  # not the default one
    if made and (walker.loops or walker.kept.setdefault(("makes", id(region)), node) is not node):
        raise Blocked(node, f"`{region.name}` makes one session after another")
    if all(map(_goes, region.steps)):
        walker.unneeded.add(id(region.node))
        walker.kept["makers", id(region.node)] = walker.entry
    else:
        stmt = walker.stmt
        if walker.nested or getattr(stmt, "value", None) is not node:
            raise Blocked(node, f"`{region.name}` makes a session, and does more")
        walker.kept.setdefault("session makers", {})[id(stmt)] = node
    return Value(Kind.SESSION, region.gives.data, node=region.gives.node)


def of_another_program(walker: Any, target: ast.FunctionDef) -> bool:
    """Whether a function made the session of another program, and nothing of it is left."""
    known = walker.kept.get(("makers", id(target)))
    return known is not None and known is not walker.entry


def _goes(step: Step) -> bool:
    """Whether nothing of a statement stays."""
    if isinstance(step.node, ast.Expr) and isinstance(step.node.value, ast.Constant):
        return True
    initialised = step.value is not None and step.value.kind is Kind.INIT
    return (step.kind in GOES or step.drop or initialised) and not step.sites


def written(walker: Any, stmt: ast.stmt) -> ast.Call | None:
    """The call that stays of a statement that only named a session."""
    found: ast.Call | None = walker.kept.get("session makers", {}).get(id(stmt))
    return found
