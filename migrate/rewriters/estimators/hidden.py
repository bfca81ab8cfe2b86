"""What is Keras's in a file, hidden while its sessions become functions.

A class or a function that says something of TF 2, and a statement that trains a model, is an import
for as long, of which nothing is known, and stands there again afterwards. What is hidden has to
find what it reads of its module as it was.
"""

from __future__ import annotations

import ast

from migrate.engine.document import Document, edited
from migrate.engine.findings import Edit
from migrate.engine.functions import TF2
from migrate.engine.names import Names
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked

SESSIONS = frozenset({"tensorflow.Session", "tensorflow.InteractiveSession"})
OF_SESSIONS = frozenset({"run", "eval", "initializer", "make_initializable_iterator"})
HIDDEN = "from __kept__ import {key} as {name}"


def hidden(
    document: Document, names: Names, others: set[str]
) -> tuple[Document, dict[str, ast.stmt]]:
    """A document without what is TF 2's, and this by its names."""
    own: dict[str, ast.FunctionDef | ast.ClassDef] = {}
    for stmt in document.tree.body:
        if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
            if stmt.name in own:
                raise Blocked(stmt, f"`{stmt.name}` is defined twice")
            own[stmt.name] = stmt
    opened = {id(ref.node) for ref in names.references if ref.name in SESSIONS}
    plain = {
        id(stmt)
        for stmt in document.tree.body
        if not any(_of_session(node, opened) for node in walk(stmt))
    }
    read = {id(stmt): {n.id for n in all_of(stmt, ast.Name)} for stmt in document.tree.body}
    found: set[str] = set()
    before = None
    while before != found:
        before = set(found)
        # What says something of TF 2, or asks what does, and what only these ask.
        found |= {
            name
            for name, stmt in own.items()
            if id(stmt) in plain and (read[id(stmt)] & {TF2, *(found - {name})})
        }
        asked = set(others)
        for stmt in document.tree.body:
            hidden = isinstance(stmt, (ast.FunctionDef, ast.ClassDef)) and stmt.name in found
            if not hidden and not (id(stmt) in plain and _of_keras(stmt, found)):
                asked |= read[id(stmt)] - {getattr(stmt, "name", "")}
        found |= {n for n, stmt in own.items() if id(stmt) in plain and n not in asked}
    kept: dict[str, ast.stmt] = {}
    for stmt in document.tree.body:
        if getattr(stmt, "name", None) in found or (id(stmt) in plain and _of_keras(stmt, found)):
            kept[f"kept_{len(kept)}"] = stmt
    edits = [
        Edit(*_span(document, stmt), HIDDEN.format(key=key, name=_name(stmt, key)))
        for key, stmt in kept.items()
    ]
    return (edited(document, edits) if edits else document), kept


def _name(stmt: ast.stmt, key: str) -> str:
    """What a hidden statement gives a name to."""
    if isinstance(stmt, ast.Assign):
        assert isinstance(stmt.targets[0], ast.Name)
        return stmt.targets[0].id
    return getattr(stmt, "name", key)


def _of_keras(stmt: ast.stmt, hidden: set[str]) -> bool:
    """Whether a statement trains a model, or asks it, and does nothing else."""
    if isinstance(stmt, ast.Assign):
        if len(stmt.targets) > 1 or not isinstance(stmt.targets[0], ast.Name):
            return False
    call = stmt.value if isinstance(stmt, (ast.Expr, ast.Assign)) else None
    if not isinstance(call, ast.Call):
        return False
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in ("fit", "evaluate")
    return isinstance(call.func, ast.Name) and call.func.id in hidden


def _of_session(node: ast.AST, opened: set[int]) -> bool:
    """Whether a node has to do with a session, or may have."""
    return id(node) in opened or (isinstance(node, ast.Attribute) and node.attr in OF_SESSIONS)


def _span(document: Document, stmt: ast.stmt) -> tuple[int, int]:
    start, end = document.index.span(stmt)
    for each in getattr(stmt, "decorator_list", []):
        start = min(start, document.index.span(each)[0] - 1)  # with its @
    return start, end


def shown(
    before: Document, plain: Document, after: Document, kept: dict[str, ast.stmt]
) -> Document | None:
    """The document with what was hidden; None where that would find something else than it did."""
    own = {_name(stmt, key) for key, stmt in kept.items()}
    for stmt in kept.values():
        for name in {n.id for n in all_of(stmt, ast.Name)} - own:
            old, new = _binding(plain, name), _binding(after, name)
            # A session's statement becomes others, which give the name the same value.
            ran = any(_of_session(n, set()) for stmt in old for n in walk(stmt))
            if not new if ran else [*map(ast.dump, old)] != [*map(ast.dump, new)]:
                return None
    edits = []
    for line in after.tree.body:
        if isinstance(line, ast.ImportFrom) and line.module == "__kept__":
            start, end = _span(before, kept[line.names[0].name])
            edits.append(Edit(*after.index.span(line), before.text[start:end]))
    return edited(after, edits) if len(edits) == len(kept) else None


def _binding(document: Document, name: str) -> list[ast.stmt]:
    """The statements of a module that bind a name, or change what it says."""
    found = []
    for stmt in document.tree.body:
        own = getattr(stmt, "name", None) == name
        inner = () if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)) else walk(stmt)
        bound = any(
            (isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load))
            or (isinstance(n, ast.alias) and (n.asname or n.name.partition(".")[0]) == name)
            for n in inner
        )
        if own or bound:
            found.append(stmt)
    return found
