"""Metrics that a model_fn computes of TensorFlow's: an F-score of a precision and a recall.

    precision, moved = tf.metrics.precision(…)        self.precision.update_state(…)
    recall, moved_too = tf.metrics.recall(…)          self.recall.update_state(…)
    f1 = 2 * precision * recall / (…)                 precision = self.precision.result()
    eval_metric_ops = {                               recall = self.recall.result()
        'f1': (f1, tf.group(moved, moved_too))}       f1 = 2 * precision * recall / (…)
                                                      return {'loss': …, 'f1': f1}

TF 1 runs the updates for each batch, and asks for the value behind the last one.
https://www.tensorflow.org/versions/r1.15/api_docs/python/tf/estimator/EstimatorSpec
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from migrate.programs.graph import meaning
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.evaluation import confusion, matrix_metrics, metrics
from migrate.rewriters.estimators.syntax import loaded, stores

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.methods import Methods
    from migrate.rewriters.estimators.models.specs import Specs

T = "tensorflow."
# What only puts updates together.
GROUPS = tuple(T + name for name in ("group", "tuple", "identity", "no_op", "stack"))
OTHERS = "a metric of more than other metrics"
SEEN = "a metric that isn't seen"


@dataclass(slots=True, eq=False, repr=False)
class Derived:
    """A value that an evaluation computes of what its metrics have come to."""

    key: ast.expr
    value: ast.expr
    called: list[ast.Call] = field(default_factory=list)  # the metrics that it is of
    updated: list[ast.Call] = field(default_factory=list)  # those that it updates
    statements: list[ast.stmt] = field(default_factory=list)  # what computes it
    names: dict[str, ast.Call] = field(default_factory=dict)  # of the metrics' values
    parts: dict[int, ast.Call] = field(default_factory=dict)  # values by number, by node

    @property
    def nodes(self) -> list[ast.AST]:
        """What it is written with."""
        return [*self.statements, self.value]


def read(owner: Specs, key: ast.expr, item: ast.Tuple, body: Sequence[ast.stmt]) -> Derived:
    """A metric that is given as its value and its update.

    Raises:
        Blocked: these aren't made of metrics of TensorFlow's.
    """
    if len(item.elts) != 2:
        raise Blocked(item, SEEN)
    found = Derived(key, item.elts[0])
    _Reader(owner, found, found.called, 0).look(found.value, body)
    aside = Derived(key, item.elts[1])
    _Reader(owner, aside, found.updated, 1).look(aside.value, body)
    found.statements.sort(key=lambda s: s.lineno)
    return found


def plain(owner: Specs, found: Derived) -> ast.Call | None:
    """The one metric whose value this is, as it is."""
    node = found.value
    if isinstance(node, ast.Name) and not found.statements:
        return found.names.get(node.id)
    return found.parts.get(id(node))


class _Reader:
    """Looks for the parts of metrics in an expression and what it is computed of."""

    def __init__(self, owner: Specs, found: Derived, calls: list[ast.Call], part: int) -> None:
        self.owner, self.found, self.calls, self.part = owner, found, calls, part

    def look(self, node: ast.expr, body: Sequence[ast.stmt]) -> None:
        """Look at an expression that stands behind some statements."""
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            call = self._whole(node.value, body)
            if call is not None:
                number = node.slice.value if isinstance(node.slice, ast.Constant) else None
                self._part(node, call, number)
                return
        if isinstance(node, ast.Name) and loaded(node):
            self._name(node, body)
            return
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, (ast.expr, ast.keyword)):
                inner = inner.value if isinstance(inner, ast.keyword) else inner
                self.look(inner, body)
        endpoint = self.owner.program.called(node)
        if isinstance(node, ast.Call) and endpoint not in GROUPS and not meaning.is_op(endpoint):
            self.owner.helper(node, "metric", "gives metrics")
            raise Blocked(node, OTHERS)

    def _name(self, node: ast.Name, body: Sequence[ast.stmt]) -> None:
        owner = self.owner
        for place, stmt in reversed(list(enumerate(body))):
            if node.id not in stores(stmt):
                continue
            value, to = getattr(stmt, "value", None), getattr(stmt, "targets", [None])[0]
            if not isinstance(stmt, ast.Assign) or len(stmt.targets) > 1:
                raise Blocked(node, SEEN)
            if isinstance(to, ast.Tuple) and isinstance(value, ast.Call):
                names = [e.id if isinstance(e, ast.Name) else "" for e in to.elts]
                if not is_metric(owner, value):
                    owner.helper(value, "metric", "gives metrics")
                if len(names) != 2 or not is_metric(owner, value):
                    raise Blocked(node, SEEN)
                self._part(None, value, names.index(node.id))
                self.found.names[node.id] = value
                return
            if not isinstance(to, ast.Name) or is_metric(owner, value):
                raise Blocked(node, SEEN)
            if stmt not in self.found.statements:
                self.found.statements.append(stmt)
                self.look(stmt.value, body[:place])
            return
        if node.id in owner.tensors:
            raise Blocked(node, OTHERS)

    def _whole(self, node: ast.Name, body: Sequence[ast.stmt]) -> ast.Call | None:
        call = self.owner.resolved(node, body)
        return call if isinstance(call, ast.Call) and is_metric(self.owner, call) else None

    def _part(self, node: ast.Subscript | None, call: ast.Call, number: object) -> None:
        """A metric's value, or its update; ``node``: where it is taken by its number."""
        if number not in (0, 1) or (number == 1 and not self.part):
            raise Blocked(node or call, SEEN)
        if number == self.part:
            self.calls.append(call)
        if node is not None:
            self.found.parts[id(node)] = call


def is_metric(owner: Specs, node: ast.AST | None) -> bool:
    """Whether an expression makes a metric of TensorFlow's, or of the package `tf_metrics`."""
    if not isinstance(node, ast.Call):
        return False
    named = owner.program.called(node).startswith("tensorflow.metrics.")
    if named or confusion.kind(owner.program, node):
        return True
    return matrix_metrics.of(owner.program, node) is not None


def written(owner: Methods, indent: str) -> tuple[str, list[str]]:
    """What computes the values at the end of a step, and the items of what that returns."""
    results = {id(metric.call): metric.result for metric in owner.metrics}
    lines, items = dict[str, None](), []
    for each in owner.derived:
        for name, call in each.names.items():
            lines[f"{indent}{name} = {results[id(call)]}\n"] = None
        for node, call in each.parts.items():
            owner.instead[node] = results[id(call)]
        for stmt in each.statements:
            lines[owner.statement(stmt, indent)] = None
        items.append(f"{metrics.keyed(each.key, owner.source)}: {owner.source(each.value)}")
    return "".join(lines), items
