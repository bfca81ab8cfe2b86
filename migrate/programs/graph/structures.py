"""Parts of a run that have tensors under names, as a decoder's outputs and state do."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph.model import Blocked, Kind, Value


@dataclass(frozen=True, slots=True)
class Structure:
    """Tensors by the names of a tuple's fields."""

    fields: dict[str, Value]
    clones: bool = False  # `clone` gives another one
    partial: bool = False  # TF 1's has more fields behind these

    def part(self, value: Value, node: ast.Subscript) -> Value | None:
        """An item by its number.

        Raises:
            Blocked: it may be another one in TF 1.
        """
        for key, item in value.items or ():
            if isinstance(node.slice, ast.Constant) and node.slice.value == key:
                return item
        if self.partial:
            raise Blocked(node, "an item of an attention's state that isn't seen")
        return None

    def attribute(self, node: ast.Attribute) -> Value | None:
        """A field; None: it is no field."""
        return self.fields.get(node.attr)

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """``state.clone(cell_state=…)``.

        Raises:
            Blocked: another method, or other arguments.
        """
        known = {k.arg for k in node.keywords} <= set(self.fields)
        if not self.clones or attribute != "clone" or node.args or not known:
            raise Blocked(node, f"`.{attribute}()` of what a decoder has isn't followed")
        for keyword in node.keywords:
            walker.join([walker.expression(keyword.value)], keyword.value)
        return owner


def attention(inner: Value, clones: bool = False) -> Value:
    """The state of a cell that attends: of what TF 1's has, the first two parts."""
    fields = {"cell_state": inner, "attention": Value(Kind.TENSOR)}
    data = Structure(fields, clones, partial=True)
    return Value(Kind.TENSOR, data, list(enumerate(fields.values())))
