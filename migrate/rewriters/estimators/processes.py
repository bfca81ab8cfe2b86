"""Which files of a program may be one process: a test of a model isn't where that is trained."""

from __future__ import annotations

import ast
import os

from migrate.engine.trees import walk
from migrate.programs.files import Imported, located
from migrate.rewriters.estimators.program import Page, Program
from migrate.rewriters.estimators.scopes import Scopes


def together(program: Program, page: Page) -> tuple[list[Page], list[str]]:
    """The files that a process may have read which reads a file.

    The second are those that have nothing of TensorFlow, by their paths.
    """
    trees = {p.part.document.path: p.part.document.tree for p in program.pages}
    imports = {path: _imports(program.scopes, tree) for path, tree in trees.items()}
    own = page.part.document.path
    starts = [_reached(imports, path) for path in trees]
    near = set().union(*(reached for reached in starts if own in reached))
    pages = [p for p in program.pages if p.part.document.path in near]
    return pages, sorted(near - set(trees))


def _imports(scopes: Scopes, tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in walk(tree):
        dotted: list[tuple[int, str]] = []
        if isinstance(node, ast.Import):
            dotted = [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            dotted = [(node.level, module)]
            dotted += [(node.level, f"{module}.{a.name}".lstrip(".")) for a in node.names]
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            here = os.path.normpath(scopes.files.at(node).path)
            for level, name in dotted:
                paths = located(here, Imported(level, name), scopes.files.known)
                found |= {scopes.files.known.get(path, path) for path in paths}
    return found


def _reached(imports: dict[str, set[str]], path: str) -> set[str]:
    reached, new = {path}, [path]
    while new:
        for other in imports.get(new.pop(), set()) - reached:
            reached.add(other)
            new.append(other)
    return reached
