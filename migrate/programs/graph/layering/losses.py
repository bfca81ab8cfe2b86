"""`tf.losses`: what flows back into the labels, and whether they have TF 1's type."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.names import COMPREHENSIONS
from migrate.engine.trees import holds, walk
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Step, Symbol, Value
from migrate.programs.graph.sizing import dtypes, shapes
from migrate.programs.graph.wording.spelled import Spelled, free, word

LABELS = {
    "softmax_cross_entropy": "onehot_labels",
    "sparse_softmax_cross_entropy": "labels",
    "sigmoid_cross_entropy": "multi_class_labels",
    "mean_squared_error": "labels",
    "log_loss": "labels",
    "absolute_difference": "labels",
    "hinge_loss": "labels",
    "huber_loss": "labels",
    "cosine_distance": "labels",
    "mean_pairwise_squared_error": "labels",
    "compute_weighted_loss": "losses",
}


@dataclass(slots=True, eq=False, repr=False)
class Loss:
    """A call of a function of `tf.losses`."""

    call: ast.Call
    endpoint: str
    given: dict[str, ast.expr]
    steps: dict[Step, None] = field(default_factory=dict)  # the statements that it is a part of
    labels: dict[Symbol, None] = field(default_factory=dict)
    uses: dict[Symbol, None] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The function's own name."""
        return self.endpoint.rpartition(".")[2]

    def learns(self, walker: Any) -> bool:
        """Whether the labels may come from variables."""
        node = self.given[LABELS[self.name]]
        return any(s.value.kind is Kind.VARIABLE for s in dtypes.origins(self.labels)) or any(
            id(n) in walker.layers
            or walker.endpoints.get(id(n)) in (T + "Variable", T + "get_variable")
            for n in dtypes.sources(walker, node, self.labels)
        )

    def trained(self, walker: Any) -> bool:
        """Whether it is differentiated: then it is of floats."""
        return any(
            holds(gradient.loss, self.call)
            or any(s.step in self.steps for s in dtypes.origins(gradient.loss_uses))
            for gradient in walker.gradients.values()
        )

    def columned(self, walker: Any) -> bool:
        """Whether its labels may be a column, which TF 1 takes for a row of numbers."""
        found = shapes.dims(walker, self.given["labels"])
        return found is not None and len(found) > 1 and found[-1] == "1"

    def double(self, walker: Any) -> bool:
        """Whether it may be of float64."""
        return dtypes.may_be_double(walker, self.call, self.uses)


@family(*(f"{T}losses.{name}" for name in LABELS))
def loss(walker: Any, name: str, node: ast.Call) -> Value:
    """A loss of labels and predictions."""
    if name.endswith("log_loss"):
        _named(walker, name, node)
    found = walker.losses.setdefault(id(node), Loss(node, name, walker.bound(name, node)))
    found.steps[walker.sink] = None
    sink = walker.sink
    for argument, value in found.given.items():
        walker.sink = inner = Step(-1, sink.node, Kind.HOST)
        walker.expression(value)
        walker.sink = sink
        found.uses.update(inner.uses)
        if argument == LABELS[found.name]:
            found.labels.update(inner.uses)
    walker.rewrites[id(node)] = lambda writer: writer.loss(found)
    return Value(walker.join(walker.arguments(node), node).kind)


def _named(walker: Any, name: str, node: ast.Call) -> None:
    """See that what a log loss is of has names: it is written with each of them twice.

    Raises:
        Spelled: one is an expression, which may have a name above.
    """
    given = walker.bound(name, node)
    stmt = walker.stmt
    inside = [n for n in walk(stmt) if isinstance(n, (ast.Lambda, *COMPREHENSIONS))]
    simple = isinstance(stmt, (ast.Assign, ast.AugAssign, ast.Return, ast.Expr))
    if not simple or all(n is not node for n in walk(stmt)):
        return  # a lambda's, which is called there
    if any(holds(n, node) for n in inside):
        return
    found = [
        (given[n], free(walker, n))
        for n in ("labels", "predictions")
        if n in given and not isinstance(given[n], (ast.Name, ast.Attribute))
    ]
    if found:
        replaced = [(value, word(said)) for value, said in found]
        raise Spelled(
            node,
            "a log loss of expressions",
            replaced,
            [(stmt, lambda source: [f"{said} = {source(value)}" for value, said in found])],
        )
