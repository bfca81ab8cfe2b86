"""What raises an error once it is reached, in TF 1 and here: the branch that has it is never taken.

Names that nothing binds, ``if self.nonlin: y = nonlin(y)``; a variable where NumPy wants a size.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any

from migrate.engine.trees import children, holds, walk

REFLECTS = frozenset({"globals", "locals", "vars", "exec", "eval", "setattr", "__dict__"})
IMPLICIT = frozenset({"__file__", "__name__", "__doc__", "__builtins__", "__spec__", "__class__"})
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def raises(walker: Any, func: ast.expr) -> bool:
    """Whether what is called has a name that no scope around it can have bound.

    Its call raises a NameError, in TF 1 and here, once it is reached.
    """
    if not isinstance(func, ast.Name) or hasattr(builtins, func.id) or func.id in IMPLICIT:
        return False
    for node in walk(walker.tree):
        if isinstance(node, ast.Name) and node.id in REFLECTS:
            return False
        if isinstance(node, ast.Attribute):
            loaded = isinstance(node.ctx, ast.Load) or ast.unparse(node.value) == "self"
            if node.attr in REFLECTS or (node.attr == func.id and not loaded):
                return False
        if func.id in (getattr(node, "names", None) or ()):  # global, nonlocal
            return False
    tree = walker.files.at(func).tree
    return tree is not None and not _bound(tree, func)


def is_size(call: ast.Call, node: ast.expr) -> bool:
    """Whether an argument is the size of NumPy's numbers, which a variable can't be."""
    root, *rest = ast.unparse(call.func).split(".")
    sized = any(k.arg == "size" and k.value is node for k in call.keywords)
    return root in ("np", "numpy") and rest[:1] == ["random"] and sized


def _bound(scope: ast.AST, func: ast.Name) -> bool:
    """Whether a scope, or one in it that is around the call, binds its name."""
    stack = list(children(scope))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            if node.id == func.id and not isinstance(node.ctx, ast.Load):
                return True
        elif isinstance(node, ast.arg):
            if node.arg == func.id:
                return True
        elif isinstance(node, ast.alias):
            if node.name == "*" or func.id in (node.asname, node.name.partition(".")[0]):
                return True
        elif func.id in (getattr(node, "name", None), getattr(node, "rest", None)):
            return True  # a function, a class, what is caught or matched
        if not isinstance(node, SCOPES) or holds(node, func):
            stack.extend(children(node))
    return False
