"""Scopes that are handed on: ``with tf.variable_scope(scope) as sc: net = base(x, scope=sc)``.

The function opens the scope in which it is called once more, which changes no variable's name.
Where all of its calls do that, it needn't be told: `tf.get_variable_scope()` is that scope, and the
parameter goes.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph import known_branches
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.spelled import Source, Spelled, Written, same

SCOPE = T + "variable_scope"
CURRENT = T + "get_variable_scope"
REASON = "a scope is handed on to `{}`"


def current(walker: Any, node: ast.expr | None) -> bool:
    """Whether an expression is the scope that is open."""
    return isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) == CURRENT


def check(walker: Any, target: ast.FunctionDef, given: dict[str, Value], node: ast.Call) -> None:
    """See whether a function is given the scope that it is called in.

    Raises:
        Spelled: it is, at all of its calls, and that needn't be said.
    """
    for name, value in given.items():
        if value.kind is Kind.SETTING and str(value.data) == SCOPE:
            found = _edits(walker, target, name)
            if found is not None:
                raise Spelled(node, REASON.format(target.name), found)


def _edits(walker: Any, target: ast.FunctionDef, name: str) -> list[Written] | None:
    """The function and its calls without a scope; None where one isn't seen."""
    home = walker.files.at(target)
    calls = [n for n in all_of(walker.tree, ast.Call) if walker._module_function(n.func) is target]
    if not calls or known_branches.mentions(walker, target) != len(calls):
        return None
    if any(walker.files.at(call) is not home for call in calls):
        return None
    blocks = all_of(target, ast.With)
    opened = {id(b.items[0].context_expr): b for b in blocks if len(b.items) == 1}
    found: list[Written] = []
    for use in (n for n in all_of(target, ast.Name) if n.id == name):
        call = next((b.items[0].context_expr for b in blocks if _first(b) is use), None)
        if not isinstance(call, ast.Call) or walker.endpoints.get(id(call.func)) != SCOPE:
            return None
        block = opened[id(call)]
        if call.keywords or block.items[0].optional_vars is not None:
            return None
        if any(
            other is not block and block in walk(other) and _scoped(walker, other)
            for other in blocks
        ):
            return None
        found.append((call, _again(call)))
    if not found:
        return None
    for call in calls:
        argument = known_branches.place(target, call, name)
        around = _around(walker, home.tree, call)
        if around is None or not isinstance(argument, ast.Name):
            return None
        bound = around.items[-1].optional_vars
        if not isinstance(bound, ast.Name) or bound.id != argument.id:
            return None
        scope = function_around(home.tree, call) or home.tree
        uses = [n for n in all_of(scope, ast.Name) if n.id == bound.id]
        if sum(not isinstance(n.ctx, ast.Load) for n in uses) != 1:
            return None
        later = [n for n in uses if n.lineno > around.lineno and n is not argument]
        if not later and len(around.items) == 1:
            inner = around.items[0].context_expr
            whole = ast.copy_location(ast.Pass(), inner)
            whole.end_lineno, whole.end_col_offset = bound.end_lineno, bound.end_col_offset
            found.append((whole, same(inner)))
        cut = known_branches.without(target, call, name)
        if len(cut) != 2:
            return None
        found += cut if call is calls[0] else cut[1:]
    return found


def _again(call: ast.Call) -> Any:
    """The scope that is open, opened again."""

    def written(source: Source) -> str:
        opener = source(call.func)
        root = opener.rpartition(".")[0]
        return f"{opener}({root}.get_variable_scope())"

    return written


def _first(block: ast.With) -> ast.expr | None:
    """The first argument of what a block opens."""
    call = block.items[0].context_expr
    return call.args[0] if isinstance(call, ast.Call) and call.args else None


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
