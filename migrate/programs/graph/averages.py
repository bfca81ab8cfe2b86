"""`tf.train.ExponentialMovingAverage`: TF 2's has the same formula, but begins later.

TF 1's averages start as the variables do. TF 2 makes them at the first `apply`, from what the
variables are then; one `apply` where the author wrote it, before any step, changes nothing and
makes them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from migrate.programs.graph import restored_averages
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    HOST,
    Blocked,
    Kind,
    Value,
    described,
)


@dataclass(slots=True, eq=False, repr=False)
class Averages:
    """An object that keeps moving averages."""

    call: ast.Call
    applies: list[ast.Call] = field(default_factory=list)
    scoped: bool = False  # its averages stand in a scope, where TF 1 calls them otherwise

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """``apply`` and ``average``.

        Raises:
            Blocked: something else, or the average of what isn't a variable.
        """
        values = walker.arguments(node)
        if attribute == "variables_to_restore" and not self.applies:
            return restored_averages.listed(walker, node)
        if attribute == "average" and len(values) == 1:
            if values[0].kind is not Kind.VARIABLE or not self.applies:
                raise Blocked(node, "the moving average of what isn't a variable")
            return Value(Kind.VARIABLE, "average")
        if attribute == "average_name" and len(values) == 1:
            return HOST
        if attribute != "apply" or len(values) != 1:
            raise Blocked(node, f"`.{attribute}()` of moving averages isn't followed")
        if walker.nested or walker.frame.region is None:
            raise Blocked(node, "moving averages are kept in a loop, a branch or a helper")
        if values[0].kind is not Kind.VARIABLE:
            raise Blocked(node, f"moving averages of {described(values[0])}")
        self.scoped = self.scoped or bool(walker.scopes)
        self.applies.append(node)
        walker.averages[id(node)] = node
        walker.kept["averages", id(node)] = walker.sink
        return Value(Kind.OP, "average", node=node)


@family(T + "train.ExponentialMovingAverage")
def moving_average(walker: Any, name: str, node: ast.Call) -> Value:
    """Moving averages whose decay is a number; it may follow a counter."""
    if walker.nested or walker.frame.region is None:
        raise Blocked(node, "moving averages in a loop, a branch or a helper")
    for argument, value in walker.bound(name, node).items():
        kind = walker.expression(value).kind
        counter = argument == "num_updates" and kind is Kind.VARIABLE
        if kind not in (Kind.HOST, Kind.NONE) and not counter:
            raise Blocked(value, f"`{argument}` of moving averages is a {kind.value}")
    named = any(k.arg == "name" for k in node.keywords) or len(node.args) > 3
    return Value(Kind.OTHER, Averages(node, scoped=named), node=node)
