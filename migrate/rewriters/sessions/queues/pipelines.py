"""Queues of a module, from what fills them to the batches that they give."""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import batches, sources
from migrate.rewriters.sessions.queues.filled import Filled
from migrate.rewriters.sessions.queues.module import TAKE, Module
from migrate.rewriters.sessions.queues.scope import Scope

HANDLED = ("train.start_queue_runners", "train.QueueRunner", "train.add_queue_runner")


class Pipelines:
    """Queues of a module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.done: set[int] = set()  # calls that have their place
        self.gives: dict[str, bool | None] = {}  # functions that give a dataset: of tuples?
        self.walked: set[int] = set()
        self.filled: list[tuple[Filled, ast.AST]] = []

    def run(self) -> None:
        """Follow every function, what it calls first, then the module.

        Raises:
            Blocked: a queue isn't followed.
        """
        for stmt in self.module.tree.body:
            if isinstance(stmt, ast.FunctionDef):
                self.function(stmt)
        for node in ast.walk(self.module.tree):
            if isinstance(node, ast.FunctionDef):
                self.function(node)
        self.scope(self.module.tree, self.module.tree.body, 0)
        called = {id(n.func) for n in ast.walk(self.module.tree) if isinstance(n, ast.Call)}
        for node in ast.walk(self.module.tree):
            name = self.module.endpoint(node)
            if isinstance(node, ast.Name) and node.id in self.gives and id(node) not in called:
                raise Blocked(
                    node, f"`{node.id}`, which takes elements of a dataset, is given away"
                )
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in self.gives and id(node) not in self.done:
                    end = self.module.text.index.span(node)[1]
                    self.module.changes.append(Edit(end, end, TAKE))
            if self.queue(node) and id(node) not in self.done:
                raise Blocked(node, f"tf.{name} isn't followed here")

    def function(self, node: ast.FunctionDef) -> None:
        """A function's own queues, and whether it gives a dataset."""
        if id(node) in self.walked:
            return
        self.walked.add(id(node))
        for n in ast.walk(node):
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name):
                callee = self.module.walker._module_function(n.func)
                if callee is not None:
                    self.function(callee)
        before = len(self.module.changes)
        try:
            self.scope(node, node.body, node.body[0].lineno - 1)
        except Blocked:
            if any(map(self.queue, ast.walk(node))):
                raise
            del self.module.changes[before:]  # its iterators are followed as they are
            self.gives.pop(node.name, None)

    def queue(self, node: ast.AST) -> bool:
        """Whether a call makes, fills or empties a queue."""
        name = self.module.endpoint(node)
        if name in batches.BATCHES | batches.JOINS | sources.READERS or "input_producer" in name:
            return True
        return "queue" in name.lower() and name not in HANDLED

    def scope(self, node: ast.AST, body: list[ast.stmt], floor: int) -> None:
        """The statements of a function or of the module."""
        scope = Scope(self, node)
        scope.block(body, floor, {})
        self.module.queues |= set(scope.filled.queues)
        self.filled.append((scope.filled, node))
