"""What is asked of a placeholder's spec, which is there before anything is fed."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.engine.trees import all_of
from migrate.programs.graph.model import INPUT, Kind, Symbol

HAS = ("get_shape", "shape", "dtype")


def only_asked(node: ast.AST, symbols: Iterable[Symbol]) -> list[Symbol]:
    """The placeholders of which a node reads nothing but what their specs have."""
    found = []
    for symbol in symbols:
        value = symbol.value
        fed = hasattr(value.data, "element") or value.data is INPUT
        if value.kind is not Kind.PLACEHOLDER or symbol.attribute or fed:
            continue
        names = [n for n in all_of(node, ast.Name) if n.id == symbol.name]
        asked = {id(n.value) for n in all_of(node, ast.Attribute) if n.attr in HAS}
        if names and all(id(n) in asked for n in names):
            found.append(symbol)
    return found
