"""Nets that can end early: ``if final_endpoint == end_point: return net, end_points``.

Slim's nets ask after each of their parts whether it is the last one. Where all calls want the whole
net the questions go, with the parameter and the error that follows the last of them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, TypeGuard

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Region
from migrate.programs.graph.sizing.static_run.calls import OPERATORS, arithmetic
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Spelled, Written, same, word

MOST = 64  # rounds of a loop of layers


def check(walker: Any, stmt: ast.If, region: Region, error: Blocked) -> None:
    """See whether a branch is such a question, and all of its kind are answered.

    Raises:
        Spelled: they are.
    """
    target = region.node
    if not isinstance(target, ast.FunctionDef):
        return
    parameter = _asked(stmt.test, target)
    order = _in_order(target.body)
    if parameter is None or not any(stmt is s or _holds(s, stmt) for s in order):
        return
    final = _final(walker, region, target, parameter)
    if final is None:
        return
    known: dict[str, object] = {}
    found: list[Written] = []
    seen: list[ast.AST] = []
    compared: set[str] = set()
    ended = False
    for place, each in enumerate(order):
        if isinstance(each, ast.Assign) and len(each.targets) == 1:
            local = getattr(each.targets[0], "id", "")
            known[local] = _told(each.value, known)
            continue
        asks = [s for s in each.body if _asks(s, target, parameter)] if _loop(each) else []
        if isinstance(each, ast.If) and _asks(each, target, parameter):
            asks, rounds = [each], [known]
        elif asks:
            assert isinstance(each, ast.For)
            rounds = _rounds(each, known)
        elif isinstance(each, ast.With):
            for item in each.items:
                _forget(item, known)
            continue
        else:
            _forget(each, known)
            continue
        for one in asks:
            mine = {n.id for n in all_of(_compared(one.test, parameter), ast.Name)}
            if one is not each and not all(_once(each, one, name) for name in mine):
                return
            compared |= mine
            names = [_told(_compared(one.test, parameter), names) for names in rounds]
            if not names or not all(isinstance(n, str) for n in names):
                return
            if one.orelse or len(one.body) != 1 or not isinstance(one.body[0], ast.Return):
                return
            seen.append(one)
            if final not in names:
                found.append((one, word("")))
                continue
            after = order[place + 1 :]
            if ended or not all(isinstance(other, ast.Raise) for other in after):
                return
            ended, whole = True, one.body[0]
            if one is not each:  # in the last round, and nothing comes behind it
                if names.index(final) < len(names) - 1 or each.body[-1] is not one or not after:
                    return
                found += [(one, word("")), (after[0], same(whole))]
                seen.append(after[0])
                after = after[1:]
            else:
                found.append((one, same(whole)))
            for other in after:
                found.append((other, word("")))
                seen.append(other)
        _forget(each, known)
    found += unread(walker, region, target, parameter, seen)
    if found:
        for local in sorted(compared):
            found += _written_out(target, order, local, seen)
        raise Spelled(error.node, error.reason, found)


def unread(
    walker: Any, region: Region, target: ast.FunctionDef, parameter: str, gone: Sequence[ast.AST]
) -> list[Written]:
    """What takes a parameter away that only what goes has read, here and in the calls."""
    inside = {id(n) for node in gone for n in walk(node)}
    left = [n for n in all_of(target, ast.Name) if n.id == parameter]
    if region.alone is not None or not all(id(n) in inside for n in left):
        return []
    calls, home = known_branches.calls(walker, region), walker.files.at(target)
    cuts = [known_branches.without(target, call, parameter) for call in calls]
    if not all(cuts) or not all(walker.files.at(call) is home for call in calls):
        return []
    return cuts[0][:1] + [cut for one in cuts for cut in one[1:]]


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
            if not isinstance(stmt.value, ast.Constant) or len(stmt.targets) != 1:
                return []
            name = repr(stmt.value.value)
            found.append((stmt, word("")))
            continue
        if any(_stores(part, local) for part in _own(stmt)):
            return []
        for n in _own(stmt):
            if isinstance(n, ast.Name) and n.id == local and id(n) not in gone:
                if not name:
                    return []
                found.append((n, word(name)))
    return found


def _asked(test: ast.expr, target: ast.FunctionDef) -> str | None:
    """The parameter that a question compares with a part's name."""
    if (
        not isinstance(test, ast.Compare)
        or len(test.ops) != 1
        or not isinstance(test.ops[0], ast.Eq)
    ):
        return None
    given = {a.arg for a in target.args.args} - _bound(target)
    sides = (test.left, test.comparators[0])
    mine = [n.id for n in sides if isinstance(n, ast.Name) and n.id in given]
    return mine[0] if len(mine) == 1 else None


def _asks(stmt: ast.stmt, target: ast.FunctionDef, parameter: str) -> TypeGuard[ast.If]:
    return isinstance(stmt, ast.If) and _asked(stmt.test, target) == parameter


def _compared(test: ast.expr, parameter: str) -> ast.expr:
    """What the parameter is compared with."""
    assert isinstance(test, ast.Compare)
    left, right = test.left, test.comparators[0]
    return right if getattr(left, "id", "") == parameter else left


def _loop(stmt: ast.stmt) -> TypeGuard[ast.For]:
    """Whether a statement is a loop over numbers that nothing leaves but questions."""
    return (
        isinstance(stmt, ast.For)
        and not stmt.orelse
        and isinstance(stmt.target, ast.Name)
        and not any(isinstance(n, (ast.Break, ast.Continue)) for n in walk(stmt))
    )


def _rounds(loop: ast.For, known: dict[str, object]) -> list[dict[str, object]]:
    """What names are in the rounds of a loop; none where their number isn't told."""
    assert isinstance(loop.target, ast.Name)
    call = loop.iter
    if not isinstance(call, ast.Call) or getattr(call.func, "id", "") not in ("range", "xrange"):
        return []
    sizes = [_told(a, known) for a in call.args]
    if call.keywords or not 0 < len(sizes) < 4 or not all(type(n) is int for n in sizes):
        return []
    found = []
    outer = dict(known)
    for stmt in loop.body:
        _forget(stmt, outer)
    for number in range(*sizes)[:MOST]:  # type: ignore[call-overload]
        names = outer | {loop.target.id: number}
        for stmt in loop.body:
            if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
                if isinstance(stmt.targets[0], ast.Name):
                    names[stmt.targets[0].id] = _told(stmt.value, names)
                    continue
            _forget(stmt, names)
        found.append(names)
    return found if len(found) < MOST else []


def _once(loop: ast.stmt, ask: ast.stmt, name: str) -> bool:
    """Whether a round gives a name its meaning before a question, if at all."""
    assert isinstance(loop, ast.For)
    stored = [n for n in all_of(loop, ast.Name) if n.id == name]
    stored = [n for n in stored if not isinstance(n.ctx, ast.Load)]
    return len(stored) < 2 and all(n.lineno < ask.lineno for n in stored)


def _told(node: ast.expr, known: dict[str, object]) -> object:
    """What a text or a number is; None where that isn't told."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return arithmetic(node.op, _told(node.left, known), _told(node.right, known))
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        given, name = _told(node.args[0], known), getattr(node.func, "id", "")
        if name == "chr" and isinstance(given, int):
            return chr(given)
        if name == "ord" and isinstance(given, str) and len(given) == 1:
            return ord(given)
        if name == "str" and isinstance(given, (int, str)):
            return str(given)
    return None


def _forget(node: ast.AST, known: dict[str, object]) -> None:
    for n in all_of(node, ast.Name):
        if not isinstance(n.ctx, ast.Load):
            known.pop(n.id, None)


def _holds(stmt: ast.stmt, inner: ast.stmt) -> bool:
    return isinstance(stmt, ast.For) and inner in stmt.body


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
