"""Which files of a program may be one process: a test of a model isn't where that is trained."""

from __future__ import annotations

import ast

from migrate.rewriters.estimators.program import Page, Program
from migrate.rewriters.estimators.scopes import Scopes


def together(program: Program, page: Page) -> list[Page]:
    """The files that a process may have read which reads a file."""
    trees = {p.part.document.path: p.part.document.tree for p in program.pages}
    imports = {path: _imports(program.scopes, tree) for path, tree in trees.items()}
    own = page.part.document.path
    starts = [_reached(imports, path) for path in trees]
    near = set().union(*(reached for reached in starts if own in reached))
    return [p for p in program.pages if p.part.document.path in near]


def _imports(scopes: Scopes, tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        dotted: list[tuple[int, str]] = []
        if isinstance(node, ast.Import):
            dotted = [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            dotted = [(node.level, module)]
            dotted += [(node.level, f"{module}.{a.name}".lstrip(".")) for a in node.names]
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            here = scopes.files.at(node)
            for level, name in dotted:
                found |= {m.path for m in scopes.files.find(node, here, level, name) or ()}
    return found


def _reached(imports: dict[str, set[str]], path: str) -> set[str]:
    reached, new = {path}, [path]
    while new:
        for other in imports.get(new.pop(), set()) - reached:
            reached.add(other)
            new.append(other)
    return reached
