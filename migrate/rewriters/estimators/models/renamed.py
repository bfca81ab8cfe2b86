"""A function that becomes a class has another name, also in the files that import it."""

from __future__ import annotations

import ast

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.scopes import Binding


def spelled(program: Program, use: ast.expr, function: ast.FunctionDef, name: str) -> str:
    """What the class of a function is called where the function was named.

    Raises:
        Blocked: a file says by a string what it hands on.
    """
    _everywhere(program, function, name)
    if isinstance(use, ast.Attribute):
        return f"{program.source(use.value)}.{name}"
    if not isinstance(use, ast.Name):
        return name
    (binding, *_) = program.scopes.bindings(use.id, use)
    known = program.kept.get(("imported", id(binding.node), use.id))
    return known if isinstance(known, str) else name


def _everywhere(program: Program, function: ast.FunctionDef, name: str) -> None:
    """All imports of a function are those of its class, once."""
    if ("imports", id(function)) in program.kept:
        return
    program.kept["imports", id(function)] = True
    if not isinstance(program.scopes.scope(function), ast.Module):
        return
    for page in program.pages:
        for node in walk(page.part.document.tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if _means(program, node, alias, function):
                        _imported(program, node, alias, name)
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                for word in walk(node.value):
                    if isinstance(word, ast.Constant) and word.value == function.name:
                        raise Blocked(word, f"`{function.name}` in `__all__`")


def _means(
    program: Program, node: ast.ImportFrom, alias: ast.alias, function: ast.FunctionDef
) -> bool:
    here = alias.asname or alias.name
    found = program.scopes.imported(Binding("import", node, program.scopes.scope(node)), here)
    return found is not None and found.node is function


def _imported(program: Program, node: ast.ImportFrom, alias: ast.alias, name: str) -> str:
    """What a file calls the class that it imports now."""
    here = alias.asname or alias.name
    key = ("imported", id(node), here)
    known = program.kept.get(key)
    if isinstance(known, str):
        return known
    local = alias.asname or program.free(node, name)
    program.kept[key] = local
    there = _handed_on(program, node, alias, name)
    new = there if local == there else f"{there} as {local}"
    program.finish.append(lambda: program.edit(alias, new))
    return local


def _handed_on(program: Program, node: ast.ImportFrom, alias: ast.alias, name: str) -> str:
    """What the class is called in the file that an import looks into: it may import it, too."""
    tree = program.scopes.looked_into(node)
    own = program.scopes.bound(tree).get(alias.name, []) if tree is not None else []
    for binding in own:
        if isinstance(binding.node, ast.ImportFrom):
            inner = binding.node.names
            found = next(a for a in inner if (a.asname or a.name) == alias.name)
            return _imported(program, binding.node, found, name)
    return name
