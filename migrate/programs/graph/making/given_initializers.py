"""Functions of the program that give an initializer or another: ``initializer=xavier(n, m)``.

The function stays; the variable starts with what its initializer gives, ``xavier(n, m)([n, m])``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.made import Function
from migrate.programs.graph.model import Kind

CALLED = "an initializer that a function gives"


def made(walker: Any, node: ast.expr, *, computed: bool = False) -> bool:
    """Whether an expression calls a function of a module that gives nothing but initializers.

    ``computed``: and makes them of names of its own.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    function = walker.expression(node.func)
    target = function.data.node if isinstance(function.data, Function) else None
    if function.kind is not Kind.FUNCTION or not isinstance(target, ast.FunctionDef):
        return False
    if target not in walker.files.at(target).tree.body or target.decorator_list:
        return False
    stores = (n for n in all_of(target, ast.Name) if isinstance(n.ctx, ast.Store))
    if computed and not any(stores):
        return False
    returns = all_of(target, ast.Return)
    return bool(returns) and all(map(walker.descriptions.get, (id(r.value) for r in returns)))
