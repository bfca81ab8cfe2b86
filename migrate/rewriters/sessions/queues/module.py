"""A module whose queues go: its endpoints, its text, the edits so far."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.names import Names
from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.walk import Walker
from migrate.rewriters.sessions.heads import leading
from migrate.rewriters.sessions.lines import GONE
from migrate.rewriters.sessions.state import tensorflow
from migrate.rewriters.sessions.text import Text

# What takes an element from a dataset.
TAKE = ".make_one_shot_iterator().get_next()"
STATEMENTS = ("body", "orelse", "finalbody")


class Module:
    """A module whose queues go."""

    def __init__(self, document: Document, names: Names) -> None:
        self.document = document
        self.tree = document.tree
        self.text = Text(document)
        self.walker = Walker(document.tree, names)
        self.endpoints = self.walker.endpoints
        self.changes: list[Edit] = []
        self.stored = stored(self.tree)  # the names that the module binds, in any scope
        self.quiet: set[int] = set()  # nodes that are seen to
        self.coords: set[str] = set()  # names of coordinators, and of supervisors
        self.stoppable: set[str] = set()  # sessions that are asked whether to stop
        self.queues: set[str] = set()  # names of queues that are filled by a runner
        self.needed: set[str] = set()  # Python's modules that it must import now

    @property
    def tf(self) -> str:
        """What the module calls TensorFlow."""
        name = tensorflow(self.tree)
        if not name:
            raise Blocked(self.tree.body[0], "TensorFlow isn't imported as a whole")
        return name

    def imported(self) -> set[str]:
        """The modules that the module imports under their own names."""
        imports = (stmt for stmt in self.tree.body if isinstance(stmt, ast.Import))
        return {a.name for stmt in imports for a in stmt.names if a.asname in (None, a.name)}

    def needs(self, name: str) -> None:
        """A module of Python's that what is written needs.

        Raises:
            Blocked: its name means something else.
        """
        if name in self.imported():
            return
        aliases = (a for n in walk(self.tree) for a in _aliases(n))
        if name in self.stored or name in {a.asname or a.name for a in aliases}:
            raise Blocked(self.tree.body[0], f"`{name}` means something else here")
        self.needed.add(name)

    def scope(self, node: ast.AST) -> ast.FunctionDef | ast.Module:
        """The function that a node stands in, or the module."""
        line = getattr(node, "lineno", 0)
        inside = (
            f for f in all_of(self.tree, ast.FunctionDef) if f.lineno < line <= (f.end_lineno or 0)
        )
        return max(inside, key=lambda f: f.lineno, default=self.tree)

    def around(self, node: ast.AST) -> list[str]:
        """The module's statements but for functions that the one around a node doesn't reach."""
        scope = self.scope(node)
        functions = {f.name: f for f in self.tree.body if isinstance(f, ast.FunctionDef)}
        apart = set(functions) if scope in functions.values() else set()
        apart.discard(getattr(scope, "name", ""))
        todo: list[ast.AST] = [scope]
        while todo:
            for n in walk(todo.pop()):
                if isinstance(n, ast.Name) and n.id in apart:
                    apart.remove(n.id)
                    todo.append(functions[n.id])
        return [
            self.text.source(s)
            for s in self.tree.body
            if not (isinstance(s, ast.FunctionDef) and s.name in apart)
        ]

    def definition(self, name: str) -> ast.FunctionDef | None:
        """The module's function of a name."""
        functions = (stmt for stmt in self.tree.body if isinstance(stmt, ast.FunctionDef))
        return next((stmt for stmt in functions if stmt.name == name), None)

    def endpoint(self, node: ast.AST | None) -> str:
        """What a call calls, without `tensorflow.`; empty where it isn't TensorFlow's."""
        if not isinstance(node, ast.Call):
            return ""
        return short(self.endpoints.get(id(node.func), ""))

    def bound(self, node: ast.Call) -> dict[str, ast.expr]:
        """A call's arguments by TF 1's names."""
        return self.walker.bound(self.endpoints[id(node.func)], node)

    def assigned(self, name: str) -> list[ast.expr]:
        """What a name is assigned, anywhere in the module."""
        return [
            n.value
            for n in all_of(self.tree, ast.Assign)
            if any(isinstance(t, ast.Name) and t.id == name for t in n.targets)
        ]

    def source(self, node: ast.AST) -> str:
        """A node as written, on one line."""
        source = self.text.source(node)
        return " ".join(source.split()) if "\n" in source and "#" not in source else source

    def indent(self, stmt: ast.stmt) -> str:
        """A statement's indentation."""
        line = self.text.lines[stmt.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def replace(self, node: ast.AST, new: str) -> None:
        """Write something else instead of a node."""
        self.changes.append(Edit(*self.text.index.span(node), new))

    def remove(self, stmt: ast.stmt, floor: int = 0) -> None:
        """A statement goes, with the comments above it."""
        piece = self.text.piece(stmt, floor or stmt.lineno - 1)
        start, end = self.text.start(piece.first), self.text.start(piece.last + 1)
        self.changes.append(Edit(start, end, GONE))

    def edits(self) -> list[Edit]:
        """All edits, in order.

        Raises:
            Blocked: two of them touch the same place.
        """
        if self.needed:
            body = self.tree.body
            first = next((s for s in body if _aliases(s)), body[0])
            future = isinstance(first, ast.ImportFrom) and first.module == "__future__"
            start = self.text.start(leading(body) + 1 if future else first.lineno)
            lines = "".join(f"import {n}{self.text.newline}" for n in sorted(self.needed))
            self.changes.append(Edit(start, start, lines))
            self.needed = set()
        found = sorted(self.changes, key=lambda e: (e.start, e.end))
        for one, other in pairwise(found):
            if other.start < one.end:
                line = self.text.text.count("\n", 0, other.start) + 1
                at = next((s for s in walk(self.tree) if getattr(s, "lineno", 0) == line), None)
                raise Blocked(at or self.tree.body[0], "a queue's statements that can't be parted")
        return found


def short(endpoint: str) -> str:
    """An endpoint without `tensorflow.`, and without the module of TF 1's queue runners."""
    name = endpoint.removeprefix(meaning.T)
    return name.replace("train.queue_runner.", "train.", 1)


def blocks(node: ast.AST) -> Iterator[tuple[ast.AST, list[ast.stmt]]]:
    """The lists of statements below a node, each with what it belongs to; outer ones first."""
    for name in STATEMENTS:
        body = getattr(node, name, None)
        if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
            yield node, body
            for stmt in body:
                yield from blocks(stmt)
    for handler in getattr(node, "handlers", ()):
        yield from blocks(handler)


def loaded(node: ast.AST) -> set[str]:
    """The names that a node reads."""
    found = {n.id for n in all_of(node, ast.Name) if _read(n)}
    found |= {n.target.id for n in all_of(node, ast.AugAssign) if isinstance(n.target, ast.Name)}
    return found


def _aliases(node: ast.AST) -> list[ast.alias]:
    return node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else []


def _read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def stored(node: ast.AST) -> set[str]:
    """The names that a node binds."""
    return {n.id for n in all_of(node, ast.Name) if not isinstance(n.ctx, ast.Load)} | {
        n.name for n in walk(node) if isinstance(n, (ast.FunctionDef, ast.ClassDef))
    }
