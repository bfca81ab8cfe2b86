"""Scopes that are handed on: ``with tf.variable_scope(scope) as sc: net = base(x, scope=sc)``.

The function opens the scope in which it is called once more, which changes no variable's name.
Where all of its calls do that, it needn't be told: `tf.get_variable_scope()` is that scope, and the
parameter goes.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, same

SCOPE = T + "variable_scope"
CURRENT = T + "get_variable_scope"
REASON = "a scope is handed on to `{}`"


def current(walker: Any, node: ast.expr | None) -> bool:
    """Whether an expression is the scope that is open."""
    return isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) == CURRENT


def opened(value: Value) -> bool:
    """Whether a value is a scope that a block has opened."""
    return value.kind is Kind.SETTING and str(value.data) == SCOPE


def check(walker: Any, target: ast.FunctionDef, given: dict[str, Value], node: ast.Call) -> None:
    """See whether a function is given the scope that it is called in.

    Raises:
        Spelled: it is, at all of its calls, and that needn't be said.
    """
    for name, value in given.items():
        if opened(value):
            found = _edits(walker, target, name)
            if found is not None:
                raise Spelled(node, REASON.format(target.name), found)


def _edits(walker: Any, target: ast.FunctionDef, name: str) -> list[Written] | None:
    """The function and its calls without a scope; None where one isn't seen."""
    calls = [n for n in all_of(walker.tree, ast.Call) if walker._module_function(n.func) is target]
    if not calls or known_branches.mentions(walker, target) != len(calls):
        return None
    blocks = all_of(target, ast.With)
    opened = {id(b.items[0].context_expr): b for b in blocks if len(b.items) == 1}
    found: list[Written] = []
    uses = [n for n in all_of(target, ast.Name) if n.id == name]
    for use in (n for n in uses if isinstance(n.ctx, ast.Load) or len(uses) == 1):
        call = next((b.items[0].context_expr for b in blocks if _first(b) is use), None)
        if not isinstance(call, ast.Call) or walker.endpoints.get(id(call.func)) != SCOPE:
            return None
        block = opened[id(call)]
        kept = block.items[0].optional_vars
        if call.keywords or (kept is not None and not _unread(target, kept, use)):
            return None
        if any(
            other is not block and block in walk(other) and _scoped(walker, other)
            for other in blocks
        ):
            return None
        whole = ast.copy_location(ast.Pass(), call)
        if kept is not None:  # `as scope`, which nothing reads
            whole.end_lineno, whole.end_col_offset = kept.end_lineno, kept.end_col_offset
        found.append((whole, _again(call)))
    if not found:
        return None
    cleared: set[int] = set()
    for call in calls:
        argument = known_branches.place(target, call, name)
        tree = walker.files.at(call).tree
        around = _around(walker, tree, call)
        if around is None or not isinstance(argument, ast.Name):
            return None
        bound = around.items[-1].optional_vars
        if not isinstance(bound, ast.Name) or bound.id != argument.id:
            return None
        scope = function_around(tree, call) or tree
        named = [n for n in all_of(scope, ast.Name) if n.id == bound.id]
        if any(
            not isinstance(n.ctx, ast.Load) and n is not bound for n in named if holds(around, n)
        ):
            return None
        others = [
            n for n in named if isinstance(n.ctx, ast.Load) and not _given(target, calls, n, name)
        ]
        if not others and len(around.items) == 1 and id(around) not in cleared:
            inner = around.items[0].context_expr
            whole = ast.copy_location(ast.Pass(), inner)
            whole.end_lineno, whole.end_col_offset = bound.end_lineno, bound.end_col_offset
            found.append((whole, same(inner)))
            cleared.add(id(around))
        cut = known_branches.without(target, call, name)
        if len(cut) != 2:
            return None
        found += cut if call is calls[0] else cut[1:]
    return found


def _given(target: ast.FunctionDef, calls: list[ast.Call], node: ast.Name, name: str) -> bool:
    """Whether a name is what one of the calls gives."""
    return any(known_branches.place(target, call, name) is node for call in calls)


def _again(call: ast.Call) -> Any:
    """The scope that is open, opened again."""

    def written(source: Source) -> str:
        opener = source(call.func)
        root = opener.rpartition(".")[0]
        return f"{opener}({root}.get_variable_scope())"

    return written


def _first(block: ast.With) -> ast.expr | None:
    """The first argument of what a block opens: in `scope or "net"` the scope that is given."""
    call = block.items[0].context_expr
    first = call.args[0] if isinstance(call, ast.Call) and call.args else None
    if isinstance(first, ast.BoolOp) and isinstance(first.op, ast.Or) and len(first.values) == 2:
        return first.values[0] if isinstance(first.values[1], ast.Constant) else first
    return first


def _unread(target: ast.FunctionDef, kept: ast.expr, use: ast.Name) -> bool:
    """Whether the name that a block gives its scope is read by nothing."""
    if not isinstance(kept, ast.Name):
        return False
    named = [n for n in all_of(target, ast.Name) if n.id == kept.id]
    return all(n is kept or n is use for n in named)


def _scoped(walker: Any, block: ast.With) -> bool:
    """Whether a block opens a variable scope."""
    calls = [i.context_expr for i in block.items]
    return any(isinstance(c, ast.Call) and walker.endpoints.get(id(c.func)) == SCOPE for c in calls)


def _around(walker: Any, tree: ast.AST, node: ast.AST) -> ast.With | None:
    """The innermost block around a node that opens a variable scope."""
    found = None
    for n in walk(tree):
        if isinstance(n, ast.With) and _scoped(walker, n) and holds(n, node):
            found = n  # the walk goes from outside to inside
    return found
