"""TensorBoard's embedding projector, which TensorFlow 1 had in `tf.contrib`.

``from tensorboard.plugins import projector``; ``visualize_embeddings`` is given a folder, not what
writes to it. What a checkpoint calls a variable that it shows is told where it is known:
`programs/graph/saving/projector.py`.

https://www.tensorflow.org/tensorboard/tensorboard_projector_plugin
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from migrate.engine.document import Document, edited
from migrate.engine.findings import Edit
from migrate.engine.names import Names
from migrate.engine.source import SourceError
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import WRITERS
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.saving.projector import PLUGINS

OLD = f"tensorflow.contrib.{PLUGINS}"
SHOWN = f"{OLD}.projector.visualize_embeddings"
# What a folder's name may be put together of.
JOINS = re.compile(r"os\.path\.\w+|.*\.format|str")


def with_projector(document: Document, names: Names) -> Document:
    """The document with TensorBoard's own; itself where it hasn't TensorFlow's, or odd writers."""
    endpoints = {id(r.node): r.name for r in names.references if r.name.startswith(OLD)}
    imports = [
        n
        for n in walk(document.tree)
        if (isinstance(n, ast.ImportFrom) and n.module and n.module.startswith(OLD))
        or (isinstance(n, ast.Import) and any(a.name.startswith(OLD) for a in n.names))
    ]
    if not endpoints or not imports:
        return document
    writers = _writers(document, names)
    edits: list[Edit] = []
    for node in imports:
        start, end = document.index.span(node)
        text = document.text[start:end]
        edits.append(Edit(start, end, text.replace(OLD, PLUGINS)))
    for call in all_of(document.tree, ast.Call):
        if endpoints.get(id(call.func)) != SHOWN:
            continue
        given = call.args[0] if call.args else None
        folder = writers.get(ast.unparse(given)) if given is not None else None
        if given is None or folder is None or not _stable(document, folder, call):
            return document
        lo, hi = document.index.span(folder)
        edits.append(Edit(*document.index.span(given), document.text[lo:hi]))
    try:
        return edited(document, sorted(edits, key=lambda e: e.start))
    except SourceError:
        return document


def _writers(document: Document, names: Names) -> dict[str, ast.expr]:
    """The folders of the writers that are made once, by what these are called."""
    makers = {id(r.node) for r in names.references if r.name in WRITERS}
    found: dict[str, list[ast.expr | None]] = {}
    for stmt in all_of(document.tree, ast.Assign):
        value = stmt.value
        made = isinstance(value, ast.Call) and id(value.func) in makers
        for target in stmt.targets:
            folder = _folder(value) if isinstance(value, ast.Call) and made else None
            found.setdefault(ast.unparse(target), []).append(folder)
    for call in all_of(document.tree, ast.Call):
        if id(call.func) in makers:
            found[ast.unparse(call)] = [_folder(call)]
    single = {name: folders[0] for name, folders in found.items() if len(folders) == 1}
    return {name: folder for name, folder in single.items() if folder is not None}


def _folder(call: ast.Call) -> ast.expr | None:
    named = next((k.value for k in call.keywords if k.arg == "logdir"), None)
    return call.args[0] if call.args else named


def _stable(document: Document, node: ast.expr, call: ast.Call) -> bool:
    """Whether a folder's name means at a call what it meant where it was written."""
    tree = document.tree
    home, scope = function_around(tree, node), function_around(tree, call)
    for n in walk(node):
        if isinstance(n, ast.Call) and not JOINS.fullmatch(ast.unparse(n.func)):
            return False
        if not isinstance(n, ast.Name) or n.id in ("str", "os"):
            continue
        if home is scope:
            where = scope or tree
            if any(_between(where, node, s, call) for s in _stores(where, n.id)):
                return False
        elif n.id == "self":
            if not any(home in c.body and scope in c.body for c in all_of(tree, ast.ClassDef)):
                return False
        else:  # a name of the module, that both see
            stores = _stores(tree, n.id)
            if len(stores) != 1 or function_around(tree, stores[0]) or _looped(tree, stores[0]):
                return False
    return True


def _between(scope: ast.AST, first: ast.expr, store: ast.AST, last: ast.Call) -> bool:
    """Whether something may be set after one place of a function or module, before another."""
    line = getattr(store, "lineno", 0)
    if first.lineno <= line <= last.lineno:
        return True
    loops = (n for n in walk(scope) if isinstance(n, (ast.For, ast.While)))
    return any(store in walk(n) and last in walk(n) and first not in walk(n) for n in loops)


def _looped(tree: ast.AST, store: ast.AST) -> bool:
    return any(store in walk(n) for n in walk(tree) if isinstance(n, (ast.For, ast.While)))


def _stores(tree: ast.AST, name: str) -> Sequence[ast.AST]:
    """Where a name is set, also as a function's argument."""
    return [
        n
        for n in walk(tree)
        if (isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load))
        or (isinstance(n, ast.arg) and n.arg == name)
    ]
