"""``from utils import tf_session, mse`` where the first one goes: other files import the rest."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.programs.graph.model import Blocked

if TYPE_CHECKING:
    from migrate.rewriters.sessions.writing import Writing


def without(module: Writing) -> None:
    """Take the functions that no longer are out of the imports of the program's other files."""
    for page in module.pages:
        gone = {
            stmt.name
            for stmt in page.document.tree.body
            if isinstance(stmt, ast.FunctionDef) and id(stmt) in module.walker.unneeded
        }
        for other in module.pages if gone else ():
            for stmt in other.document.tree.body if other is not page else ():
                if isinstance(stmt, ast.ImportFrom) and _is_of(module, stmt, page.document.path):
                    module.turn(stmt)
                    module.changes += _cut(module, stmt, gone)


def _is_of(module: Writing, stmt: ast.ImportFrom, path: str) -> bool:
    """Whether a statement imports from a file of the program."""
    files = module.walker.files
    for entry in files.entries:
        try:
            chain = files.find(stmt, entry, stmt.level, stmt.module or "") or []
        except Blocked:
            continue
        if chain and os.path.normpath(chain[-1].path) == os.path.normpath(path):
            return True
    return False


def _cut(module: Writing, stmt: ast.ImportFrom, gone: set[str]) -> Iterator[Edit]:
    """The edits of one statement."""
    names, span = stmt.names, module.text.index.span
    kept = [i for i, alias in enumerate(names) if alias.name not in gone]
    if len(kept) == len(names):
        return
    if not kept:
        piece = module.text.piece(stmt)
        yield Edit(module.text.start(piece.line), module.text.start(piece.last + 1), "")
        return
    for i, alias in enumerate(names):
        if alias.name in gone and i < kept[-1]:
            yield Edit(span(alias)[0], span(names[i + 1])[0], "")
    if kept[-1] + 1 < len(names):
        yield Edit(span(names[kept[-1]])[1], span(names[-1])[1], "")
