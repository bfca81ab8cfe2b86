"""Functions in a function that fill its dicts with parts of the graph, as their calls.

``if keep('conv1', net): return net, end_points`` with ``def keep(name, net):`` above, which does
``end_points[name] = net`` and returns ``name == final``: the statement stands before the branch,
and the branch asks itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.engine.names import COMPREHENSIONS
from migrate.engine.trees import all_of, outward, walk
from migrate.programs.graph.own_nodes import SCOPES, function_around, own_nodes
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

LINES = 4  # a longer function is more than a helper
BINDS = (ast.Global, ast.Nonlocal, ast.NamedExpr, ast.Lambda, ast.Yield, ast.YieldFrom, ast.Await)


def check(walker: Any, node: ast.AST, reason: str) -> None:
    """See whether a container belongs to the function around the one that fills it.

    Raises:
        Spelled: what that does can stand where it is called.
    """
    tree = walker.files.at(node).tree
    inner = function_around(tree, node)
    around = outward(tree, inner) if inner is not None else ()
    outer = next((n for n in around if isinstance(n, ast.FunctionDef) and n is not inner), None)
    if inner is None or outer is None or inner not in outer.body or not _simple(inner):
        return
    uses = [n for n in walk(outer) if _says(n, inner.name)]
    own = {id(n): n for n in own_nodes(outer)}
    stmts = [s for s in own.values() if isinstance(s, (ast.If, ast.Expr))]
    found: list[tuple[ast.stmt, ast.Call]] = []
    for asked in stmts:
        call = asked.test if isinstance(asked, ast.If) else asked.value
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == inner.name:
            found.append((asked, call))
    elifs = {id(s.orelse[0]) for s in stmts if isinstance(s, ast.If) and len(s.orelse) == 1}
    if len(found) != len(uses) - 1 or not found or any(id(s) in elifs for s, _ in found):
        return
    before = []
    replaced: list[Written] = [(inner, word(""))]
    for stmt, call in found:
        given = _given(inner, call)
        if given is None or not all(_own(outer, value) for value in given.values()):
            return
        *body, last = [s for s in inner.body if not _said(s)]
        before.append((stmt, _lines(body, given)))
        if isinstance(stmt, ast.Expr):
            replaced.append((stmt, word("")))
        else:
            assert isinstance(last, ast.Return)
            assert last.value is not None
            replaced.append((call, _one(last.value, given)))
    raise Spelled(node, reason, replaced, before)


def _says(node: ast.AST, name: str) -> bool:
    return name in (getattr(node, "id", ""), getattr(node, "name", ""), getattr(node, "arg", ""))


def _said(stmt: ast.stmt) -> bool:
    """Whether a statement is a text."""
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)


def _simple(inner: ast.FunctionDef) -> bool:
    """Whether a function fills containers, gives its own names no meaning, and tells something."""
    args = inner.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults:
        return False
    *body, last = [s for s in inner.body if not _said(s)] or [ast.Pass()]
    if inner.decorator_list or not body or len(body) > LINES:
        return False
    if not isinstance(last, ast.Return) or last.value is None:
        return False
    if not all(isinstance(s, (ast.Assign, ast.Expr)) for s in body):
        return False
    if any(isinstance(n, ast.Call) for n in walk(last.value)):
        return False  # where nothing asks, it isn't computed
    odd = (*SCOPES, *BINDS, *COMPREHENSIONS, ast.JoinedStr)
    if any(isinstance(n, odd) for s in (*body, last) for n in walk(s)):
        return False
    return not any(isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load) for n in walk(inner))


def _given(inner: ast.FunctionDef, call: ast.Call) -> dict[str, ast.expr] | None:
    """What a call gives each name, where that may be said in its place."""
    names = [a.arg for a in inner.args.args]
    if len(call.args) > len(names) or any(k.arg not in names for k in call.keywords):
        return None
    given = dict(zip(names, call.args, strict=False))
    given.update({str(k.arg): k.value for k in call.keywords})
    if len(given) != len(names) or len(call.args) + len(call.keywords) != len(names):
        return None
    return given


def _own(outer: ast.FunctionDef, value: ast.expr) -> bool:
    """Whether a value is a constant, or a name of a function's own."""
    if isinstance(value, ast.Constant):
        return True
    if not isinstance(value, ast.Name) or any(isinstance(n, ast.Nonlocal) for n in walk(outer)):
        return False
    args = {a.arg for a in outer.args.args}
    stored = (n for n in own_nodes(outer) if isinstance(n, ast.Name))
    return value.id in args | {n.id for n in stored if isinstance(n.ctx, ast.Store)}


def _lines(body: list[ast.stmt], given: dict[str, ast.expr]) -> Callable[[Source], list[str]]:
    return lambda source: [_text(source, stmt, given) for stmt in body]


def _one(value: ast.expr, given: dict[str, ast.expr]) -> Callable[[Source], str | None]:
    def written(source: Source) -> str | None:
        text = _text(source, value, given)
        return text if "\n" not in text else None

    return written


def _text(source: Source, node: ast.AST, given: dict[str, ast.expr]) -> str:
    """A node's text with what its names are given."""
    lines = [part.encode() for part in source(node).split("\n")]
    first: int = node.lineno  # type: ignore[attr-defined]
    start: int = node.col_offset  # type: ignore[attr-defined]
    names = [n for n in all_of(node, ast.Name) if n.id in given]
    for name in sorted(names, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        at = name.lineno - first
        low = name.col_offset - (start if not at else 0)
        new = source(given[name.id]).encode()
        lines[at] = lines[at][:low] + new + lines[at][low + len(name.id.encode()) :]
    return b"\n".join(lines).decode()
