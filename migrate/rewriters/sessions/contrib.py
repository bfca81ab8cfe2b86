"""Names that are imported from TensorFlow and that nothing uses any more."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of
from migrate.programs.graph.walk import Walker

if TYPE_CHECKING:
    from migrate.rewriters.sessions.state import Base

PLAIN = ("tensorflow", "tensorflow.compat.v1")


def dropped(module: Base, text: str) -> bool:
    """Whether names of a module had their last use taken away: they go."""
    given = [
        (stmt, _plain(stmt) or names_of(stmt, module.walker)) for stmt in module.document.tree.body
    ]
    others = _elsewhere(module)
    given = [
        (stmt, names)
        for stmt, names in given
        if any(module.loads[name] for name in names) or (names and not others & {"*", *names})
    ]
    if not given:
        return False
    loads = {n.id for n in all_of(ast.parse(text), ast.Name) if isinstance(n.ctx, ast.Load)}
    found = False
    for stmt, names in given:
        # What is defined here takes the name over.
        gone = {name for name in names if name not in loads or name in module.needed}
        if _plain(stmt):  # what nothing used before isn't this rewrite's to take away
            gone = {n for n in gone if module.loads[n]} if "*" not in others else set()
            gone -= others
        if gone and gone != set(names) and _plain(stmt):
            found |= _without(module, stmt, gone)
        elif gone == set(names):
            piece = module.text.piece(stmt)
            start, end = module.text.start(piece.line), module.text.start(piece.last + 1)
            if any(e.start < start and end <= e.end for e in module.changes):
                continue  # it goes already, with the comment above it
            # What is defined above the statement isn't its own.
            above = [e.new for e in module.changes if e.start == e.end == start]
            module.changes = [e for e in module.changes if not start <= e.start < end]
            module.changes.append(Edit(start, end, "".join(above)))
            found = True
    return found


def _plain(stmt: ast.stmt) -> list[str]:
    """The names that a statement imports from TensorFlow itself, of which some may be left."""
    if isinstance(stmt, ast.ImportFrom) and not stmt.level and stmt.module in PLAIN:
        return [alias.asname or alias.name for alias in stmt.names]
    return []


def _without(module: Base, stmt: ast.stmt, gone: set[str]) -> bool:
    """Whether names that were used and aren't any more leave a statement that imports others."""
    assert isinstance(stmt, ast.ImportFrom)
    kept = [a for a in stmt.names if (a.asname or a.name) not in gone]
    span = module.text.index.span
    start, end = span(stmt.names[0])[0], span(stmt.names[-1])[1]
    listed = module.document.text[start:end]
    if len(kept) in (0, len(stmt.names)) or "#" in listed or "\\" in listed:
        return False
    comma = "," + listed[: span(stmt.names[1])[0] - start].rpartition(",")[2]
    module.changes.append(Edit(start, end, comma.join(ast.unparse(a) for a in kept)))
    return True


def _elsewhere(module: Base) -> set[str]:
    """What the program's other files may take of this one."""
    found: set[str] = set()
    for page in module.pages:
        if page is not module.page:
            found |= {n.attr for n in all_of(page.document.tree, ast.Attribute)}
            imports = all_of(page.document.tree, ast.ImportFrom)
            found |= {a.name for n in imports for a in n.names}
    return found


def names_of(stmt: ast.stmt, walker: Walker) -> list[str]:
    """The names that a statement gives to parts of `tf.contrib`."""
    if isinstance(stmt, ast.Import) and len(stmt.names) == 1:
        alias = stmt.names[0]
        known = alias.asname is not None and alias.name.startswith("tensorflow.contrib.")
        return [str(alias.asname)] if known else []
    if isinstance(stmt, ast.ImportFrom) and not stmt.level:
        if (stmt.module or "").startswith("tensorflow.contrib"):
            return [alias.asname or alias.name for alias in stmt.names]
    if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
        endpoint = walker.endpoints.get(id(stmt.value), "")
        if isinstance(stmt.targets[0], ast.Name) and endpoint.startswith("tensorflow.contrib"):
            return [stmt.targets[0].id]
    return []
