"""What a function that runs a session returns of its graph, and nobody reads.

``_, _, parameters = model(…)``: in TF 1 their graph is gone by then, and what they hold with the
session. In TF 2 the same names have variables that go on to hold what was trained; a program that
reads them would see other values, and keeps its session. A tensor or an op that stands at the
function's end, ``return loss``, goes where all calls are statements of their own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.own_nodes import SCOPES, own_nodes
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Spelled, word

CALLING = (ast.Call, ast.Await, ast.NamedExpr, ast.Yield, ast.YieldFrom)


def idle(walker: Any, stmt: ast.Return, value: Value) -> bool:
    """Whether a return gives values of Python and variables, which no call of it reads."""
    items = [item for _, item in value.items or ()]
    target, node = walker.frame.node, stmt.value
    if not isinstance(node, ast.Tuple) or len(items) != len(node.elts) or walker.nested:
        return False
    given = [i for i, item in enumerate(items) if item.kind is not Kind.HOST]
    known = all(
        items[i].kind is Kind.VARIABLE and isinstance(node.elts[i], ast.Name) for i in given
    )
    if not known or not isinstance(target, ast.FunctionDef):
        return False
    trees = list(walker.program())
    calls = known_branches.every(walker, target)
    if sum(known_branches.mentions(walker, target, tree) for tree in trees) != len(calls):
        return False
    return all(any(_dropped(tree, call, given) for tree in trees) for call in calls)


def unread(walker: Any, stmt: ast.Return, reason: str) -> None:
    """``return loss`` at a function's end, whose calls are statements of their own.

    Raises:
        Spelled: no call reads anything of it, so it goes.
    """
    target = walker.frame.node
    if not isinstance(target, ast.FunctionDef) or target.decorator_list or walker.nested:
        return
    read = stmt.value is not None and any(isinstance(n, CALLING) for n in walk(stmt.value))
    if read or target.body[-1] is not stmt or len(target.body) < 2:
        return
    nodes = [n for n in own_nodes(target) if isinstance(n, (ast.Return, ast.Yield, ast.YieldFrom))]
    if nodes != [stmt]:
        return
    trees = list(walker.program())
    calls = known_branches.every(walker, target)
    alone = {id(getattr(n.value, "func", n)) for tree in trees for n in all_of(tree, ast.Expr)}
    told = sum(known_branches.mentions(walker, target, tree) for tree in trees)
    if calls and told == len(calls) and all(id(call.func) in alone for call in calls):
        raise Spelled(stmt, reason, [(stmt, word(""))])


def _dropped(tree: ast.AST, call: ast.Call, places: list[int]) -> bool:
    """Whether what stands at these places of a call's result is read nowhere."""
    for scope in (n for n in walk(tree) if isinstance(n, (ast.Module, *SCOPES))):
        own = list(own_nodes(scope))
        for stmt in own:
            if isinstance(stmt, ast.Expr) and stmt.value is call:
                return True
            if not isinstance(stmt, ast.Assign) or stmt.value is not call:
                continue
            (to, *more) = stmt.targets
            if more or not isinstance(to, ast.Tuple) or len(to.elts) <= max(places, default=0):
                return False
            names = [to.elts[i] for i in places]
            told = {n.id for n in names if isinstance(n, ast.Name)}
            loops = [n for n in own if isinstance(n, (ast.For, ast.While))]
            again = any(n is stmt for loop in loops for n in walk(loop))
            later = [n for n in own if again or getattr(n, "lineno", 0) > stmt.lineno]
            return len(told) == len(names) and not any(
                isinstance(n, ast.Name) and n.id in told and isinstance(n.ctx, ast.Load)
                for n in (*later, *_free(scope, told))
            )
    return False


def _free(scope: ast.AST, names: set[str]) -> Iterator[ast.AST]:
    """The nodes of functions that a scope defines, where they may mean its own names."""
    for inner in walk(scope):
        if inner is scope or not isinstance(inner, SCOPES):
            continue
        bound = {a.arg for a in all_of(inner, ast.arg)}
        bound |= {n.id for n in all_of(inner, ast.Name) if not isinstance(n.ctx, ast.Load)}
        if not names <= bound:
            yield from walk(inner)
