"""Summaries that layers make and nobody merges: ``if self.logging: tf.summary.histogram(…)``.

In a program without a writer they are ops that no run asks for. A class that makes variables and
computes with them is one without them; a method that does nothing else goes, and so do its calls.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import parents_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.wording.spelled import Spelled, word

MADE = frozenset(T + f"summary.{kind}" for kind in ("histogram", "scalar", "image", "audio"))
REASON = "layers make summaries that nobody merges"
READING = ("Supervisor", "Monitored", "Estimator", "slim.learning", "contrib.training")
PLAIN = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.BinOp, ast.BoolOp, ast.UnaryOp),
    *(ast.Compare, ast.operator, ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context),
)


def check(walker: Any, classes: list[ast.ClassDef], node: ast.AST) -> None:
    """See whether some classes are all that makes summaries, and nobody asks for these.

    Raises:
        Spelled: their statements can go.
    """
    if not _read(walker):
        gone = _Gone(walker, classes).statements()
        if gone:
            raise Spelled(node, REASON, [(s, word("")) for s in gone])


def _read(walker: Any) -> bool:
    """Whether something may ask for all summaries, or write some."""
    for tree in walker.program():
        for node in walk(tree):
            name = walker.endpoints.get(id(node), "")
            if "summar" in name.lower() and name not in MADE and name != f"{T}summary":
                return True
            if any(part in name for part in READING):
                return True
            if isinstance(node, ast.Constant) and node.value == "summaries":
                return True
    return False


class _Gone:
    """The statements of some classes that only make summaries."""

    def __init__(self, walker: Any, classes: list[ast.ClassDef]) -> None:
        self.walker, self.classes = walker, classes
        self.parents = {k: v for c in classes for k, v in parents_of(c).items()}
        self.gone: dict[int, ast.stmt] = {}

    def statements(self) -> list[ast.stmt]:
        """All of them, those that would be empty included; nothing where one does more."""
        every = [n for c in self.classes for n in walk(c) if isinstance(n, ast.stmt)]
        for _ in every:
            new = [s for s in every if id(s) not in self.gone and self._only(s)]
            if not new:
                break
            self.gone.update({id(s): s for s in new})
        inner = {id(n) for s in self.gone.values() for n in walk(s) if n is not s}
        outer = [s for s in self.gone.values() if id(s) not in inner]
        left = [
            n
            for c in self.classes
            for n in walk(c)
            if self.walker.endpoints.get(id(n), "") in MADE
            and not any(n is m for s in outer for m in walk(s))
        ]
        if left or not all(self._leaves(s) for s in outer):
            return []
        return outer

    def _only(self, stmt: ast.stmt) -> bool:
        """Whether a statement makes a summary, or nothing that isn't gone."""
        if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
            call = stmt.value
            given = [*call.args, *(k.value for k in call.keywords)]
            plain = all(isinstance(n, PLAIN) for g in given for n in walk(g))
            if self.walker.endpoints.get(id(call.func)) in MADE:
                return plain
            return any(ast.unparse(call) == f"self.{name}()" for name in self._methods())
        if isinstance(stmt, ast.If):
            plain = all(isinstance(n, PLAIN) for n in walk(stmt.test))
            return plain and not stmt.orelse and self._all(stmt.body)
        if isinstance(stmt, ast.For):
            plain = all(isinstance(n, PLAIN) for n in (*walk(stmt.iter), *walk(stmt.target)))
            return plain and not stmt.orelse and self._all(stmt.body)
        if isinstance(stmt, ast.FunctionDef):
            return stmt.name != "__init__" and self._all(stmt.body) and self._alone(stmt)
        return False

    def _all(self, body: list[ast.stmt]) -> bool:
        return all(id(s) in self.gone or _is_text(s) for s in body)

    def _methods(self) -> list[str]:
        """The methods that are gone."""
        return [s.name for s in self.gone.values() if isinstance(s, ast.FunctionDef)]

    def _alone(self, method: ast.FunctionDef) -> bool:
        """Whether a method has its name for itself, and is only called as a statement."""
        for tree in self.walker.program():
            parents = parents_of(tree)
            for node in walk(tree):
                said = getattr(node, "attr", getattr(node, "value", getattr(node, "name", None)))
                if said != method.name or node is method:
                    continue
                call = parents.get(id(node))
                stmt = parents.get(id(call))
                if not isinstance(stmt, ast.Expr) or id(stmt) not in self.parents:
                    return False
                if ast.unparse(stmt) != f"self.{method.name}()":
                    return False
        return True

    def _leaves(self, stmt: ast.stmt) -> bool:
        """Whether the block of a statement has something left."""
        outer = self.parents[id(stmt)]
        for body in (getattr(outer, "body", []), getattr(outer, "orelse", [])):
            if stmt in body and all(id(s) in self.gone for s in body):
                return False
        return True


def _is_text(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
