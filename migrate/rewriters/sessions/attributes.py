"""Local names of methods as attributes: functions that stand in other methods read them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.source import apply
from migrate.programs.graph.model import Blocked

SCOPES = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Hidden(Blocked):
    """Local names that functions in other methods of the class would read."""

    def __init__(self, node: ast.AST, names: Iterable[tuple[ast.AST, str]], above: int) -> None:
        self.above = above  # the file's lines begin after this one
        self.names = list(dict.fromkeys((getattr(f, "lineno", 0), n) for f, n in names))
        super().__init__(node, f"`{self.names[0][1]}` is a local name of another function")


def kept(document: Document, hidden: Hidden, taken: set[str]) -> Document | None:
    """The document with such names as attributes of the object; None where that can't be.

    ``taken``: the attributes that there are.
    """
    if document.notebook is not None:
        return None
    edits: dict[int, Edit] = {}
    homes: dict[str, ast.AST] = {}
    for line, name in hidden.names:
        found = [
            member
            for node in ast.walk(document.tree)
            if isinstance(node, ast.ClassDef)
            for member in node.body
            if isinstance(member, ast.FunctionDef) and member.lineno == line - hidden.above
        ]
        if len(found) != 1 or name in taken or homes.setdefault(name, found[0]) is not found[0]:
            return None
        uses = _uses(found[0], name)
        if uses is None:
            return None
        itself = found[0].args.args[0].arg
        for use in uses:
            start, end = document.index.span(use)
            edits[start] = Edit(start, end, f"{itself}.{name}")
    text = apply(document.text, edits.values())
    try:
        return replace(document, text=text, tree=ast.parse(text))
    except SyntaxError:
        return None


def _uses(method: ast.FunctionDef, name: str) -> list[ast.Name] | None:
    """Where a method has one of its local names; None where other scopes in it have it, too."""
    args = method.args
    given = {a.arg for a in ast.walk(args) if isinstance(a, ast.arg)}
    if not args.args or name in given:
        return None
    for node in ast.walk(method):
        if isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names:
            return None
        if isinstance(node, ast.JoinedStr) and name in _names(node):
            return None
        if node is method or not isinstance(node, SCOPES):
            continue
        own = {a.arg for a in ast.walk(node) if isinstance(a, ast.arg)}
        own |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _binds(n)}
        if name in own or args.args[0].arg in own:
            return None
    return [n for n in ast.walk(method) if isinstance(n, ast.Name) and n.id == name]


def _binds(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
