"""Queues of a module, from what fills them to the batches that they give."""

from __future__ import annotations

import ast
import re

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import batches, sources
from migrate.rewriters.sessions.queues.files import Gives
from migrate.rewriters.sessions.queues.filled import Filled
from migrate.rewriters.sessions.queues.module import TAKE, Module
from migrate.rewriters.sessions.queues.scope import Scope

ESTIMATORS = re.compile(r"^(?:contrib\.)?(?:estimator|tpu)\.\w*(?:Estimator|Classifier|Regressor)$")
HANDLED = ("train.start_queue_runners", "train.QueueRunner", "train.add_queue_runner")


class Pipelines:
    """Queues of a module."""

    def __init__(self, module: Module, lent: Gives | None = None) -> None:
        self.module = module
        self.lent = lent or {}  # functions of other files that do
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
        for node in walk(self.module.tree):
            if isinstance(node, ast.FunctionDef):
                self.function(node)
        self.scope(self.module.tree, self.module.tree.body, 0)
        # Iterators without queues are seen to where Estimators are.
        queues = any(map(self.queue, walk(self.module.tree)))
        inputs = _inputs(self.module) if queues else set()
        called = {id(n.func) for n in walk(self.module.tree) if isinstance(n, ast.Call)}
        for node in walk(self.module.tree):
            name = self.module.endpoint(node)
            given_away = id(node) not in called and id(node) not in inputs
            if given_away and self.given_by(node) is not None:
                what = ast.unparse(node)
                raise Blocked(node, f"`{what}`, which takes elements of a dataset, is given away")
            if isinstance(node, ast.Call) and self.given_by(node.func) is not None:
                if id(node) not in self.done:
                    end = self.module.text.index.span(node)[1]
                    self.module.changes.append(Edit(end, end, TAKE))
            if self.queue(node) and id(node) not in self.done:
                raise Blocked(node, f"tf.{name} isn't followed here")

    def function(self, node: ast.FunctionDef) -> None:
        """A function's own queues, and whether it gives a dataset."""
        if id(node) in self.walked:
            return
        self.walked.add(id(node))
        for n in walk(node):
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name):
                callee = self.module.walker._module_function(n.func)
                if callee is not None:
                    self.function(callee)
        before = len(self.module.changes)
        try:
            self.scope(node, node.body, node.body[0].lineno - 1)
        except Blocked:
            if any(map(self.queue, walk(node))):
                raise
            del self.module.changes[before:]  # its iterators are followed as they are
            self.gives.pop(node.name, None)

    def given_by(self, func: ast.AST) -> tuple[bool | None] | None:
        """Whether a function gives a dataset, and one of tuples."""
        if not isinstance(func, (ast.Name, ast.Attribute)) or not isinstance(func.ctx, ast.Load):
            return None
        if isinstance(func, ast.Name) and func.id in self.gives:
            return (self.gives[func.id],)
        name = ast.unparse(func) if self.lent else ""
        return (self.lent[name],) if name in self.lent else None

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


def _inputs(module: Module) -> set[int]:
    """What Estimators are given as input_fns: these may return datasets."""
    found: set[int] = set()
    nodes = list(walk(module.tree))
    if not any(ESTIMATORS.search(module.endpoint(n)) for n in nodes):
        return found
    for node in nodes:
        if isinstance(node, ast.Call):
            found |= {id(k.value) for k in node.keywords if k.arg == "input_fn"}
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if name in ("train", "evaluate", "predict", "TrainSpec", "EvalSpec") and node.args:
                found.add(id(node.args[0]))
    return found
