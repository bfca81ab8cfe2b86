"""Parts of a run that have tensors under names, as a decoder's outputs and state do."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph.model import Blocked, Value


@dataclass(frozen=True, slots=True)
class Structure:
    """Tensors by the names of a tuple's fields."""

    fields: dict[str, Value]
    clones: bool = False  # `clone` gives another one

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
