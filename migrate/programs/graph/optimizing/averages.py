"""`tf.train.ExponentialMovingAverage`: TF 2's has the same formula, but begins later.

TF 1's averages start as the variables do. TF 2 makes them at the first `apply`, from what the
variables are then; one `apply` where the author wrote it, before any step, changes nothing and
makes them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    HOST,
    Blocked,
    Kind,
    Value,
    described,
)
from migrate.programs.graph.optimizing import moment_averages, tensor_averages
from migrate.programs.graph.saving import restored_averages
from migrate.programs.graph.wording.spelled import Spelled


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
            self._read(walker, node)
            return Value(Kind.VARIABLE, "average")
        if attribute == "average_name" and len(values) == 1:
            return HOST
        if attribute == "apply" and not values:
            self._all(node)
        if attribute != "apply" or len(values) != 1:
            raise Blocked(node, f"`.{attribute}()` of moving averages isn't followed")
        if walker.nested or walker.frame.region is None:
            raise Blocked(node, "moving averages are kept in a loop, a branch or a helper")
        if values[0].kind is not Kind.VARIABLE:
            tensor_averages.check(walker, self.call, node)
            raise Blocked(node, f"moving averages of {described(values[0])}")
        self.scoped = self.scoped or bool(walker.scopes)
        self.applies.append(node)
        walker.averages[id(node)] = node
        walker.kept["averages", id(node)] = walker.sink
        return Value(Kind.OP, "average", node=node)

    def _all(self, node: ast.Call) -> None:
        """``ema.apply()`` is of what is trained at this place.

        Raises:
            Spelled: it says so.
        """
        train = self.call.func.value if isinstance(self.call.func, ast.Attribute) else None
        if isinstance(train, ast.Attribute):
            root, func = train.value, node.func
            edit = (node, lambda source: f"{source(func)}({source(root)}.trainable_variables())")
            raise Spelled(node, "averages of all that is trained", [edit])

    def _read(self, walker: Any, node: ast.Call) -> None:
        """An average is read: one that no run updates would never be made."""
        variable = node.args[0] if node.args else node.keywords[0].value

        def written(writer: Any) -> str:
            moving = [n for step in writer.module.moving for n in walk(step.node)]
            if not any(n is call for n in moving for call in self.applies):
                raise Blocked(node, "a moving average that no run updates is read")
            return f"{writer.source(node.func)}({writer.source(variable)})"

        walker.rewrites[id(node)] = written


@family(T + "train.ExponentialMovingAverage")
def moving_average(walker: Any, name: str, node: ast.Call) -> Value:
    """Moving averages whose decay is a number; it may follow a counter."""
    moment_averages.check(walker, node)
    if walker.nested or walker.frame.region is None:
        raise Blocked(node, "moving averages in a loop, a branch or a helper")
    for argument, value in walker.bound(name, node).items():
        kind = walker.expression(value).kind
        counter = argument == "num_updates" and kind is Kind.VARIABLE
        if kind not in (Kind.HOST, Kind.NONE) and not counter:
            raise Blocked(value, f"`{argument}` of moving averages is a {kind.value}")
    named = any(k.arg == "name" for k in node.keywords) or len(node.args) > 3
    return Value(Kind.OTHER, Averages(node, scoped=named), node=node)
