"""Attributes of an object that only the method which fills a queue knows: local names.

self.queue = tf.train.slice_input_producer(…)        queue = tf.train.slice_input_producer(…)
self.x, self.y = self.read(self.queue)               x, y = self.read(queue)
self.xs, self.ys = tf.train.batch([self.x, self.y])  self.xs, self.ys = tf.train.batch([x, y])
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.engine.document import Document, edited
from migrate.engine.names import Names
from migrate.engine.trees import all_of, walk
from migrate.rewriters.sessions.lines import by_cell
from migrate.rewriters.sessions.queues.methods import owner
from migrate.rewriters.sessions.queues.module import Module

ASKS = re.compile(r"\b(?:getattr|hasattr|setattr|vars|__dict__|__slots__)\b")


def with_own_names(document: Document, names: Names, others: str = "") -> Document:
    """The document with such names; itself where there are none."""
    if not any(r.name.endswith("_input_producer") for r in names.references):
        return document
    if ASKS.search(document.text):
        return document
    module = Module(document, names)
    tree = document.tree
    attributes = all_of(tree, ast.Attribute)
    for method in all_of(tree, ast.FunctionDef):
        nodes = list(walk(method))
        if not any(module.endpoint(n).endswith("_input_producer") for n in nodes):
            continue
        cls = owner(tree, method)
        if cls is None or not method.args.args or method.args.args[0].arg != "self":
            continue
        taken = {n.id for n in nodes if isinstance(n, ast.Name)}
        taken |= {n.arg for n in nodes if isinstance(n, ast.arg)}
        fed = _elements(module, method)
        for name in sorted(fed - taken):
            uses = [n for n in attributes if n.attr == name]
            mine = [n for n in uses if _own(n, nodes)]
            begun = _begun(cls, [n for n in uses if n not in mine])
            if begun is not None and not re.search(rf"\b{name}\b", others):
                for n in mine:
                    module.replace(n, name)
                for stmt, floor in begun:
                    module.remove(stmt, floor)
    edits = list(by_cell(document, module.edits()))
    return edited(document, edits) if edits else document


def _own(node: ast.Attribute, nodes: list[ast.AST]) -> bool:
    """Whether an attribute is of the object, in its method and in no function in that."""
    inner = {
        id(m) for n in nodes[1:] if isinstance(n, (ast.FunctionDef, ast.Lambda)) for m in walk(n)
    }
    plain = isinstance(node.value, ast.Name) and node.value.id == "self"
    return plain and node in nodes and id(node) not in inner


def _elements(module: Module, method: ast.FunctionDef) -> set[str]:
    """The attributes that what a queue hands out is kept under, and what is computed of it."""
    found: set[str] = set()
    for stmt in _statements(method.body):
        if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
            continue
        target = stmt.targets[0]
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        kept = {p.attr for p in parts if isinstance(p, ast.Attribute)}
        read = {n.attr for n in all_of(stmt.value, ast.Attribute)}
        if not kept or len(kept) != len(parts):
            continue
        kind = module.endpoint(stmt.value)
        if kind.endswith("_input_producer") or (read & found and not kind.startswith("train.")):
            found |= kept
    return found


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements in a row, those of `with` blocks, too."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, ast.With):
            yield from _statements(stmt.body)


def _begun(cls: ast.ClassDef, uses: list[ast.Attribute]) -> list[tuple[ast.stmt, int]] | None:
    """The statements ``self.queue = None``, if these are all that is done elsewhere."""
    found: list[tuple[ast.stmt, int]] = []
    for method in cls.body:
        for i, stmt in enumerate(method.body) if isinstance(method, ast.FunctionDef) else ():
            if not isinstance(stmt, ast.Assign) or not any(n in uses for n in stmt.targets):
                continue
            (target, *more), value = stmt.targets, stmt.value
            assert isinstance(method, ast.FunctionDef)
            none = isinstance(value, ast.Constant) and value.value is None
            if more or not none or len(method.body) == 1:
                return None
            if not isinstance(target, ast.Attribute) or not _own(target, [target]):
                return None
            above = method.body[i - 1].end_lineno if i else method.body[0].lineno - 1
            found.append((stmt, above or 0))
    return found if len(found) == len(uses) else None
