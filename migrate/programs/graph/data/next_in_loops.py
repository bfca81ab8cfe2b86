"""What an iterator gives next, asked for where it is run: ``sess.run(iterator.get_next())``.

    for _ in range(9):
        x, y = sess.run(iterator.get_next())

Each round makes an op of its own, which is run once and gives what comes next, as one op above
the loop does. So do several such runs. ``x, y = iterator.get_next()`` in a loop stands above it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.wording.spelled import Spelled, Written, free, line, word

INSIDE = (ast.List, ast.Tuple, ast.Dict, ast.Subscript, ast.Attribute)


def check(walker: Any, node: ast.expr, reason: str) -> None:
    """See whether one op above does what a call of ``get_next`` does, and all others.

    Raises:
        Spelled: it does.
    """
    func = node.func if isinstance(node, ast.Call) else None
    source, scope = getattr(func, "value", None), walker.frame.node
    if not isinstance(source, ast.Name) or walker.frame.region is None:
        return
    if not isinstance(scope, (ast.Module, ast.FunctionDef)):
        return
    parents = parents_of(scope)
    calls = [n for n in walk(scope) if _asks(n, source.id)]
    if any(_hidden(c, parents, scope) for c in calls):
        return
    places = [_top(c, parents, scope) for c in calls]
    bound = [parents[id(c)] for c in calls if isinstance(parents[id(c)], ast.Assign)]
    first = min((p for p in places if p is not None), key=lambda p: p.lineno, default=None)
    if first is None or None in places:
        return
    if bound:
        if len(calls) == 1 and isinstance(bound[0], ast.Assign) and bound[0] is not first:
            _hoisted(walker, node, bound[0], first, reason)
        return
    if not all(_run(c, parents, source.id) for c in calls):
        return
    name = free(walker, "element")
    replaced: list[Written] = [(c, word(name)) for c in calls]
    raise Spelled(node, reason, replaced, [(first, line(name, node))])


def _hoisted(walker: Any, node: ast.expr, stmt: ast.Assign, first: ast.stmt, reason: str) -> None:
    (target, *others) = stmt.targets
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    names = [p.id for p in parts if isinstance(p, ast.Name)]
    scope = walker.frame.node
    stored = [n.id for n in all_of(scope, ast.Name) if isinstance(n.ctx, ast.Store)]
    if others or len(names) < len(parts) or any(stored.count(n) != 1 for n in names):
        return
    lines: Sequence[Any] = [(first, lambda source: [source(stmt)])]
    raise Spelled(node, reason, [(stmt, word(""))], lines)


def _asks(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(ast.Attribute(ast.Name(id), "get_next"), [], []):
            return id == name
    return False


def _hidden(node: ast.AST, parents: dict[int, ast.AST], scope: ast.AST) -> bool:
    """Whether a function of the scope asks: when, isn't seen."""
    while (node := parents[id(node)]) is not scope:
        if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            return True
    return False


def _top(node: ast.AST, parents: dict[int, ast.AST], scope: ast.AST) -> ast.stmt | None:
    """The statement of a scope's own, not one in a loop or a branch, in which something stands."""
    found: ast.stmt | None = None
    while node is not scope:
        if isinstance(node, ast.stmt) and not isinstance(node, ast.With):
            found = node
        node = parents[id(node)]
    return found


def _run(node: ast.AST, parents: dict[int, ast.AST], name: str) -> bool:
    """Whether a run asks for it where it stands, and for no other one."""
    while True:
        inner, node = node, parents[id(node)]
        match node:
            case ast.Call(ast.Attribute(_, attr), [first, *_]) if first is inner and attr == "run":
                break
            case ast.Call(ast.Attribute() as func) if func is inner and func.attr == "eval":
                break
            case _ if not isinstance(node, INSIDE):
                return False
    return sum(_asks(n, name) for n in walk(node)) == 1
