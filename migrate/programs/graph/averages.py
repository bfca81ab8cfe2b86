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
from migrate.programs.graph import restored_averages
from migrate.programs.graph.made import Frame, family
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


def lent(function: ast.FunctionDef | ast.Lambda, frame: Frame, names: set[str]) -> None:
    """See what a function that an op is given does with moving averages: it may only read them.

    ``names`` are those that it finds around it.

    Raises:
        Blocked: it keeps them, or asks for those of tensors.
    """
    asked = {
        id(n.func.value)
        for n in walk(function)
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr == "average"
        and len(n.args) == 1
        and not n.keywords
        and (value := _meant(n.args[0], frame, names)) is not None
        and value.kind is Kind.VARIABLE
    }
    for n in walk(function):
        value = _meant(n, frame, names)
        if value is not None and isinstance(value.data, Averages):
            if id(n) not in asked or not value.data.applies:
                raise Blocked(n, "moving averages are kept in a function that an op is given")


def _meant(node: ast.AST, frame: Frame, names: set[str]) -> Value | None:
    """What a name that a function finds around it means, or an attribute of such an object."""
    if isinstance(node, ast.Attribute):
        owner = _meant(node.value, frame, names)
        held = owner is not None and owner.kind is Kind.OBJECT and owner.data is not None
        symbol = owner.data.attrs.get(node.attr) if owner is not None and held else None
        return symbol.value if symbol is not None else None
    if not isinstance(node, ast.Name) or node.id not in names:
        return None
    at: Frame | None = frame
    while at is not None and node.id not in at.env:
        at = at.parent
    return at.env[node.id].value if at is not None else None


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
