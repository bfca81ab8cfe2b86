"""Nets that can end early: ``if final_endpoint == end_point: return net, end_points``.

Slim's nets ask after each of their parts whether it is the last one. Where all calls want the whole
net the questions go, with the parameter and the error that follows the last of them.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import known_branches
from migrate.programs.graph.model import Blocked, Region
from migrate.programs.graph.spelled import Spelled, Written, same, word


def check(walker: Any, stmt: ast.If, region: Region, error: Blocked) -> None:
    """See whether a branch is such a question, and all of its kind are answered.

    Raises:
        Spelled: they are.
    """
    target = region.node
    if not isinstance(target, ast.FunctionDef):
        return
    asked = _asked(stmt.test, target)
    order = _in_order(target.body)
    if asked is None or stmt not in order:
        return
    parameter, local = asked
    final = _final(walker, region, target, parameter)
    if final is None:
        return
    known: object = None
    found: list[Written] = []
    seen: list[ast.AST] = []
    for place, each in enumerate(order):
        if isinstance(each, ast.With):
            if any(_stores(item, local) for item in each.items):
                return
        elif isinstance(each, ast.Assign) and _stores(each, local):
            constant = isinstance(each.value, ast.Constant) and len(each.targets) == 1
            known = each.value.value if constant else None  # type: ignore[attr-defined]
        elif isinstance(each, ast.If) and _asked(each.test, target) == asked:
            if not isinstance(known, str) or each.orelse or len(each.body) != 1:
                return
            if not isinstance(each.body[0], ast.Return):
                return
            seen.append(each)
            if known != final:
                found.append((each, word("")))
                continue
            error_after = order[place + 1 :]
            if not all(isinstance(other, ast.Raise) for other in error_after):
                return
            whole = each.body[0]
            found.append((each, same(whole)))
            for other in error_after:
                found.append((other, word("")))
                seen.append(other)
        elif _stores(each, local):
            return
    inside = {id(n) for node in seen for n in walk(node)}
    left = [n for n in all_of(target, ast.Name) if n.id == parameter]
    calls = [region.alone] if region.alone is not None else known_branches.calls(walker, region)
    home = walker.files.at(target)
    if region.alone is None and all(id(n) in inside for n in left):
        gone = [known_branches.without(target, call, parameter) for call in calls]
        if all(gone) and all(walker.files.at(call) is home for call in calls):
            found += gone[0][:1] + [cut for one in gone for cut in one[1:]]
    if found:
        found += _written_out(target, order, local, seen)
        raise Spelled(error.node, error.reason, found)


def _written_out(
    target: ast.FunctionDef, order: list[ast.stmt], local: str, seen: list[ast.AST]
) -> list[Written]:
    """The names of the parts where they stand: nothing else is done with them."""
    places = [n for n in all_of(target, ast.Name) if n.id == local]
    hidden = (ast.FunctionDef, ast.Lambda, ast.JoinedStr)
    inner = [n for f in walk(target) if isinstance(f, hidden) and f is not target for n in walk(f)]
    here = {id(n) for stmt in order for n in _own(stmt)}
    if any(n in inner or id(n) not in here for n in places):
        return []
    gone = {id(n) for node in seen for n in walk(node)}
    found: list[Written] = []
    name = ""
    for stmt in order:
        if isinstance(stmt, ast.Assign) and _stores(stmt, local):
            assert isinstance(stmt.value, ast.Constant)
            name = repr(stmt.value.value)
            found.append((stmt, word("")))
            continue
        for n in _own(stmt):
            if isinstance(n, ast.Name) and n.id == local and id(n) not in gone:
                if not name:
                    return []
                found.append((n, word(name)))
    return found


def _asked(test: ast.expr, target: ast.FunctionDef) -> tuple[str, str] | None:
    """The parameter and the local name that a question compares."""
    if (
        not isinstance(test, ast.Compare)
        or len(test.ops) != 1
        or not isinstance(test.ops[0], ast.Eq)
    ):
        return None
    sides = (test.left, test.comparators[0])
    names = [n.id for n in sides if isinstance(n, ast.Name)]
    given = {a.arg for a in target.args.args} - _bound(target)
    mine = [n for n in names if n in given]
    local = [n for n in names if n in _bound(target)]
    return (mine[0], local[0]) if len(mine) == len(local) == 1 else None


def _bound(target: ast.FunctionDef) -> set[str]:
    return {n.id for n in all_of(target, ast.Name) if not isinstance(n.ctx, ast.Load)}


def _final(walker: Any, region: Region, target: ast.FunctionDef, parameter: str) -> str | None:
    """The part that all calls want to be the last."""
    one = region.alone
    calls = [one] if one is not None else known_branches.calls(walker, region)
    if one is None and known_branches.mentions(walker, target) != len(calls):
        return None
    given = [known_branches.given_to(target, call, parameter) for call in calls]
    values = {value.value if value is not None else None for value in given}
    only = values.pop() if len(values) == 1 else None
    return only if isinstance(only, str) else None


def _in_order(block: list[ast.stmt]) -> list[ast.stmt]:
    """A function's statements as they run, with those of the blocks that are always entered."""
    found: list[ast.stmt] = []
    for stmt in block:
        found.append(stmt)
        if isinstance(stmt, ast.With):
            found += _in_order(stmt.body)
    return found


def _own(stmt: ast.stmt) -> list[ast.AST]:
    """What is in a statement; of a block that is entered, its head."""
    parts: list[ast.AST] = [*stmt.items] if isinstance(stmt, ast.With) else [stmt]
    return [n for part in parts for n in walk(part)]


def _stores(stmt: ast.AST, name: str) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for n in walk(stmt)
    )
