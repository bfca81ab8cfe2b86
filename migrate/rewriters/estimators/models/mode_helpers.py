"""A function that is given the mode stands where a model_fn calls it, where its modes are told.

def get_loss(outputs, labels, mode):             loss = None
    if mode == ModeKeys.INFER:                   if mode != ModeKeys.INFER:
        return None                                  loss = tf.losses.…(labels, outputs)
    return tf.losses.…(labels, outputs)

loss = get_loss(logits, labels, mode)

Those are functions that make losses, metrics or train ops and no layers. Ways that leave early
become branches first.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.joined import Part
from migrate.engine.names import Names
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.making.owned_branches import negated
from migrate.programs.graph.optimizing.training_helpers import Inlinable
from migrate.rewriters.estimators.estimator import public
from migrate.rewriters.sessions import inlined

MADE = re.compile(r"tensorflow\.((keras\.)?losses\.|(contrib\.)?metrics\.|nn\.\w*cross_entropy)")
TRAINED = re.compile(r"\.(optimize_loss|create_train_op)$")
METHODS = frozenset({"minimize", "compute_gradients", "apply_gradients"})
LAYERS = re.compile(
    r"tensorflow\.((keras\.)?layers\.|keras\.[mMS]\w+|get_variable$|Variable$|nn\.rnn_cell|feature_column\.)"
    r"|.*\.(EstimatorSpec|TPUEstimatorSpec|ModelFnOps)$|tensorflow\.contrib\.(rnn|slim)\."
)


def step(document: Document, names: Names, others: str = "") -> list[Edit] | None:
    """The edits of the next thing to do: one way out for a function, or what it does in place.

    ``others``: the texts of the program's other files.
    """
    endpoints = {id(r.node): public(r.name) for r in names.references}
    tree = document.tree
    libraries = {id(n) for r in names.references for n in walk(r.node)}
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef) or not _wanted(function, endpoints):
            continue
        if re.search(rf"\b{function.name}\b", others):
            continue
        uses = [n for n in all_of(tree, ast.Name) if n.id == function.name]
        calls = [
            s
            for s in all_of(tree, ast.Assign)
            if isinstance(s.value, ast.Call) and s.value.func in uses and len(s.targets) == 1
            if isinstance(s.targets[0], ast.Name)
        ]
        attributes = [
            n
            for n in all_of(tree, ast.Attribute)
            if n.attr == function.name and id(n) not in libraries
        ]
        if not calls or len(calls) != len(uses) or attributes:
            continue
        target = calls[0].targets[0]
        assert isinstance(target, ast.Name)
        returns = [n for n in walk(function) if isinstance(n, ast.Return)]
        if len(returns) != 1 or returns[0] is not function.body[-1]:
            found = _Exit(document, function).edits(target.id)
            if found is None:
                continue
            return found
        call = calls[0].value
        assert isinstance(call, ast.Call)
        part = Part(document, names)
        moved = inlined.edits([part], Inlinable(call, calls[0], function))
        if moved is not None:
            return moved
    return None


def _wanted(function: ast.FunctionDef, endpoints: dict[int, str]) -> bool:
    """Whether a function tests the mode that it is given, and makes no layers."""
    if function.decorator_list:
        return False
    given = {a.arg for a in function.args.args}
    tested = any(
        any(".ModeKeys." in endpoints.get(id(n), "") for n in walk(test))
        and any(isinstance(n, ast.Name) and n.id in given for n in walk(test))
        for test in (n.test for n in walk(function) if isinstance(n, (ast.If, ast.IfExp)))
    )
    if not tested:
        return False
    said = [endpoints.get(id(n), "") for n in walk(function)]
    if any(LAYERS.match(s) for s in said):
        return False
    trains = any(n.attr in METHODS for n in all_of(function, ast.Attribute))
    return trains or any(MADE.match(s) or TRAINED.search(s) for s in said)


class _Exit:
    """A function with one way out."""

    def __init__(self, document: Document, function: ast.FunctionDef) -> None:
        self.text, self.index = document.text, document.index
        self.lines = document.text.split("\n")
        self.function = function
        self.name = ""
        first = function.body[0]
        line = self.lines[first.lineno - 1]
        self.indent = line[: first.col_offset]
        outer = self.lines[function.lineno - 1][: function.col_offset]
        self.unit = self.indent[len(outer) :]

    def edits(self, wish: str) -> list[Edit] | None:
        """Its body anew; None where some way out can't be a branch."""
        function = self.function
        texts = [n for n in walk(function) if isinstance(n, (ast.Constant, ast.JoinedStr))]
        notes = {id(n.value) for n in all_of(function, ast.Expr)}
        if any(n.lineno != n.end_lineno for n in texts if id(n) not in notes):
            return None
        inner = (ast.FunctionDef, ast.Lambda, ast.Yield, ast.YieldFrom, ast.ClassDef)
        if any(isinstance(n, inner) for n in walk(function) if n is not function):
            return None
        if self.indent.strip() or not self.unit or function.lineno == function.body[0].lineno:
            return None
        given = {a.arg for a in all_of(function.args, ast.arg)}
        returned = {
            n.value.id
            for n in all_of(function, ast.Return)
            if isinstance(n.value, ast.Name) and n.value.id not in given
        }
        self.name = returned.pop() if len(returned) == 1 else wish
        if self.name in given:
            return None
        body = function.body[ast.get_docstring(function) is not None :]
        out = self._block(body, self.indent, self._floor(body[0]))
        if out is None:
            return None
        if not _ends(body):
            return None
        first = self._floor(body[0])
        start = self.index.offset(first, 0)
        end = self.index.offset((function.end_lineno or 0) + 1, 0)
        new = "\n".join([*out, f"{self.indent}return {self.name}"]) + "\n"
        return [Edit(start, end, new)]

    def _floor(self, first: ast.stmt) -> int:
        """The first line of a block, with what is said above it."""
        line = first.lineno
        while self.lines[line - 2].lstrip().startswith("#"):
            line -= 1
        return line

    def _block(self, body: Sequence[ast.stmt], indent: str, start: int) -> list[str] | None:
        """The lines of a block without its returns."""
        out: list[str] = []
        for at, stmt in enumerate(body):
            rest = body[at + 1 :]
            out += self._lines(start, stmt.lineno - 1, stmt, indent)  # what is said above it
            start = (stmt.end_lineno or stmt.lineno) + 1
            if isinstance(stmt, ast.Return):
                value = stmt.value
                said = "None" if value is None else self._source(value)
                if said != self.name:
                    out.append(f"{indent}{self.name} = {said}")
                return out
            if not any(isinstance(n, ast.Return) for n in walk(stmt)):
                out += self._lines(stmt.lineno, stmt.end_lineno or stmt.lineno, stmt, indent)
                continue
            if not isinstance(stmt, ast.If):
                return None
            more = self._branch(stmt, rest, indent, start)
            return None if more is None else out + more
        return out

    def _branch(
        self, stmt: ast.If, rest: Sequence[ast.stmt], indent: str, start: int
    ) -> list[str] | None:
        """A branch of which a way leaves, and what follows where the other one goes on."""
        first, other = list(stmt.body), list(stmt.orelse)
        after = self._floor(rest[0]) if rest else 0
        if _ends(first) and not _ends(other):
            if other and rest:
                return None  # both would have to be one block
            other, start = (other, 0) if other else (list(rest), max(start, after))
        elif rest:
            return None
        deeper = indent + self.unit
        one = self._block(first, deeper, self._floor(first[0]))
        two = self._block(other, deeper, start or self._floor(other[0])) if other else []
        if one is None or two is None:
            return None
        test = self._source(stmt.test)
        if not one and two:
            return [f"{indent}if {self._source_of(negated(stmt.test), stmt.test)}:", *two]
        if not two and not other:
            return None  # a way that returns nothing
        return [f"{indent}if {test}:", *(one or [f"{deeper}pass"]), f"{indent}else:", *two]

    def _source_of(self, node: ast.expr, plain: ast.expr) -> str:
        return self._source(plain) if node is plain else ast.unparse(node)

    def _lines(self, first: int, last: int, stmt: ast.stmt, indent: str) -> list[str]:
        base = self.lines[stmt.lineno - 1][: stmt.col_offset]
        found = []
        for line in self.lines[first - 1 : last]:
            inner = line[len(base) :] if line.startswith(base) else line.lstrip()
            found.append(indent + inner if line.strip() else "")
        return found

    def _source(self, node: ast.expr) -> str:
        start, end = self.index.span(node)
        return re.sub(r"\s*\n\s*", " ", self.text[start:end])


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether each way through a block returns."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        if last.orelse:
            return _ends(last.body) and _ends(last.orelse)
        return False
    return isinstance(last, (ast.Return, ast.Raise))
