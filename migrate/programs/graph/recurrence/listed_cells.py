"""Recurrent cells of a list, one applied in each round of a loop: ``dynamic_rnn(cells[n], …)``.

Their variables are those of the whole list: what isn't applied has none.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Symbol


@dataclass(frozen=True, slots=True)
class ListedCells:
    """A list of cells by its name, and what that meant where one of them was applied."""

    place: ast.Subscript  # where one of them is applied
    name: ast.Name
    symbol: Symbol

    def seen(self, walker: Any, entry: Any, node: ast.expr) -> bool:
        """Whether all the trainable variables are asked for where the name still means the list."""
        if not isinstance(node, ast.Call) or node.args or node.keywords:
            return False
        if walker.endpoints.get(id(node.func)) != T + "trainable_variables":
            return False
        if entry.owner or walker.symbol_of(self.name) is not self.symbol:
            return False
        walker.expression(self.name)
        return True

    @property
    def variables(self) -> str:
        """The variables of all of them."""
        return f"*(v for cell in {self.name.id} for v in cell.trainable_variables)"


def of(walker: Any, place: ast.expr) -> ListedCells | None:
    """The list that a cell is an item of; None where it is no such."""
    match place:
        case ast.Subscript(ast.Name() as name, ast.Name()):
            symbol = walker.symbol_of(name)
            return ListedCells(place, name, symbol) if symbol is not None else None
    return None
