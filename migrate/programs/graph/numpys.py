"""NumPy's functions, by a file's names for them: ``np.prod``, ``from numpy import prod``."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, fact

MODULES = ("np", "numpy", "math", "onp")
# What `from numpy import *` brings of what computes and changes nothing.
STARRED = frozenset(
    (
        *("abs", "arange", "argmax", "argsort", "array", "asarray", "ceil", "concatenate", "cos"),
        *("exp", "eye", "floor", "linspace", "log", "maximum", "mean", "minimum", "ones", "prod"),
        *("product", "reshape", "sin", "sqrt", "square", "stack", "sum", "tile", "zeros"),
    )
)


def function(walker: Any, func: ast.expr) -> str:
    """The name of a function of NumPy's, or of Python's `math`; empty where it is another's."""
    if isinstance(func, ast.Attribute):
        root, _, rest = ast.unparse(func).partition(".")
        return rest if root in MODULES else ""
    if not isinstance(func, ast.Name):
        return ""
    tree = walker.files.at(func).tree
    return fact(tree, _imported).get(func.id, "") if tree is not None else ""


def _imported(tree: ast.Module) -> dict[str, str]:
    """What a file imports from NumPy by name, and binds nowhere else."""
    found: dict[str, str] = {}
    for stmt in tree.body:
        if isinstance(stmt, ast.ImportFrom) and not stmt.level and stmt.module in ("numpy", "math"):
            for alias in stmt.names:
                if alias.name != "*":
                    found[alias.asname or alias.name] = alias.name
                elif stmt.module == "numpy":
                    found |= {name: name for name in STARRED}
    if not found:
        return found
    bound = {n.id for n in all_of(tree, ast.Name) if not isinstance(n.ctx, ast.Load)}
    bound |= {n.arg for n in all_of(tree, ast.arg)}
    bound |= {n.name for n in all_of(tree, ast.FunctionDef)}
    bound |= {n.name for n in all_of(tree, ast.ClassDef)}
    return {name: what for name, what in found.items() if name not in bound}
