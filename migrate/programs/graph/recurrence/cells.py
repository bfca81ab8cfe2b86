"""Recurrent cells that Python values are, or have in them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from migrate.programs.graph.model import HOST, Blocked, Kind, Symbol, Value

MEMORY = ("memory", "memory_sequence_length")  # what a mechanism is given of a run
Kept = dict[str, tuple[ast.expr, dict[Symbol, None]]]


@dataclass(frozen=True, slots=True)
class Shape:
    """A cell, as far as its variables' names tell: of a class, around others of one shape."""

    kind: str
    name: str = ""
    inner: Shape | None = None
    leaves: tuple[tuple[str, str], ...] = ()  # of a class of the program: variables, attributes
    others: tuple[Shape, ...] = ()  # it is one of these


@dataclass(slots=True, eq=False, repr=False)
class Cells:
    """The cells of a value."""

    names: frozenset[str]  # of their classes
    kept: Kept = field(default_factory=dict)  # what runs are fed for a wrapper, by its argument
    single: bool = False  # the state is one tensor
    # Which cell it is, by its class and name in TF 1, or what a wrapper is around; None: unseen.
    shape: Shape | None = None
    several: bool = False  # one of them, which isn't seen
    # What isn't a plain cell: a "layer", what scores a "memory", a cell with "attention".
    kind: str = ""
    made: tuple[ast.Call, ...] = ()  # by these calls, as far as they are seen
    late: bool = False  # what it attends to is said where it is applied
    history: bool = False  # it keeps what it has looked at
    stacked: bool = False  # cells that attend, one upon the other
    name: str = ""  # of a cell that attends


def carried(values: Iterable[Value]) -> Value:
    """A Python value that is made of others: it has the cells that are in them."""
    found = [v.data for v in values if isinstance(v.data, Cells)]
    if not found:
        return HOST
    if len(found) == 1:
        return Value(Kind.HOST, found[0])
    names: frozenset[str] = frozenset().union(*(c.names for c in found))
    shape = _one_of([c.shape for c in found])
    kind = next((c.kind for c in found if c.kind), "")
    late = all(c.late for c in found)
    if kind == "attention" and any(c.kind != kind or c.late is not late for c in found):
        kind = "mixed"
    single = all(c.single for c in found)
    made = tuple(dict.fromkeys(m for c in found for m in c.made))
    made = made if all(c.made for c in found) else ()
    cells = Cells(names, together(found), single, shape, kind=kind, made=made, late=late)
    cells.history = any(c.history for c in found)
    return Value(Kind.HOST, cells)


def _one_of(shapes: list[Shape | None]) -> Shape | None:
    """What names tell of one of several cells; those of different names tell themselves apart."""
    kinds = dict.fromkeys(shapes)
    if len(kinds) == 1:
        return shapes[0]
    others = tuple(s for s in kinds if s is not None)
    plain = all(s.name and not (s.inner or s.others or s.leaves) for s in others)
    apart = len({s.name for s in others}) == len(others) == len(kinds)
    return Shape("", others=others) if plain and apart else None


def gathered(value: Value) -> Value:
    """A container of cells, whose items can't be told apart."""
    if isinstance(value.data, Cells):
        return replace(value, data=replace(value.data, several=True))
    return value


def together(found: Iterable[Cells]) -> Kept:
    """What several cells are fed; all with dropout are fed the same."""
    kept: Kept = {}
    dropout = [c for c in found if "DropoutWrapper" in c.names]
    for cells in dropout:
        for name, (node, uses) in cells.kept.items():
            if any(name not in c.kept or list(c.kept[name][1]) != list(uses) for c in dropout):
                raise Blocked(node, f"cells whose `{name}` isn't the same in a run")
            kept[name] = (node, uses)
    for name in MEMORY:
        first = next((c for c in found if name in c.kept), None)
        if first is None:
            continue
        if any(
            name not in c.kept or list(c.kept[name][1]) != list(first.kept[name][1]) for c in found
        ):
            raise Blocked(first.kept[name][0], "cells that attend to different things")
        kept[name] = first.kept[name]
    return kept
