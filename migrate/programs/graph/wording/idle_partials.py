"""Variants of a net that a file offers and nothing uses: ``small = partial(net, depth=0.5)``.

They are made of the function as it comes to be, as other names of it are.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, fact, walk


def of(tree: ast.AST) -> dict[str, list[ast.Assign]]:
    """The statements that make them, by the name of the function."""
    return fact(tree, _found)


def keywords(tree: ast.AST, function: str) -> set[str]:
    """The parameters that variants of a function set."""
    calls = [s.value for s in of(tree).get(function, ()) if isinstance(s.value, ast.Call)]
    return {str(k.arg) for call in calls for k in call.keywords}


def makes(stmt: ast.Assign, frame: Any) -> bool:
    """Whether the function at hand is what makes a variant."""
    call, node = stmt.value, frame.node
    name = getattr(call.func, "id", "") if isinstance(call, ast.Call) else ""
    return isinstance(node, ast.FunctionDef) and node.name == name


def _found(tree: ast.AST) -> dict[str, list[ast.Assign]]:
    found: dict[str, list[ast.Assign]] = {}
    for module in walk(tree):
        if isinstance(module, ast.Module):
            for stmt in module.body:
                name = _variant(module, stmt)
                if name and isinstance(stmt, ast.Assign):
                    found.setdefault(name, []).append(stmt)
    return {
        name: kept
        for name, stmts in found.items()
        if (kept := [s for s in stmts if not _read(tree, s)])
    }


def _variant(module: ast.Module, stmt: ast.stmt) -> str:
    """The function that a statement makes a variant of; empty where it does something else."""
    call = stmt.value if isinstance(stmt, ast.Assign) else None
    if not isinstance(stmt, ast.Assign) or not isinstance(call, ast.Call) or len(call.args) != 1:
        return ""
    if len(stmt.targets) != 1 or not isinstance(stmt.targets[0], ast.Name):
        return ""
    plain = all(k.arg and isinstance(k.value, ast.Constant) for k in call.keywords)
    if not plain or not isinstance(call.args[0], ast.Name):
        return ""
    if not _partial(module, call.func) and not _wraps(module, call.func):
        return ""
    return call.args[0].id


def _read(tree: ast.AST, stmt: ast.Assign) -> bool:
    """Whether anything reads the name of a variant, under which others may import it, too."""
    name = getattr(stmt.targets[0], "id", "")
    return any(
        name in (getattr(n, "id", ""), getattr(n, "attr", ""), getattr(n, "name", ""))
        for n in walk(tree)
        if n is not stmt.targets[0]
    )


def _partial(module: ast.Module, func: ast.expr) -> bool:
    """Whether a call is ``functools.partial``'s."""
    text = ast.unparse(func)
    for stmt in module.body:
        for alias in getattr(stmt, "names", ()):
            if isinstance(stmt, ast.ImportFrom) and stmt.module == "functools":
                if alias.name == "partial" and text == (alias.asname or "partial"):
                    return True
            elif isinstance(stmt, ast.Import) and alias.name == "functools":
                if text == f"{alias.asname or 'functools'}.partial":
                    return True
    return False


def _wraps(module: ast.Module, func: ast.expr) -> bool:
    """Whether a function of the file gives a partial of its first argument, and no more."""
    made = [s for s in module.body if isinstance(s, ast.FunctionDef)]
    made = [s for s in made if s.name == getattr(func, "id", "")]
    if len(made) != 1 or made[0].decorator_list or not made[0].args.args:
        return False
    function = made[0].args.args[0].arg
    calls = all_of(made[0], ast.Call)
    uses = [n for n in all_of(made[0], ast.Name) if n.id == function]
    partial = [c for c in calls if _partial(module, c.func)]
    update = [c for c in calls if ast.unparse(c.func).endswith("update_wrapper")]
    given = [a for c in (*partial, *update) for a in c.args if isinstance(a, ast.Name)]
    return (
        len(partial) == 1
        and len(calls) == len(partial) + len(update)
        and all(any(n is a for a in given) for n in uses)
    )
