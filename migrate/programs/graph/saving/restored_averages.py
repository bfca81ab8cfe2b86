"""``Saver(averages.variables_to_restore())``: a checkpoint's averages, read into the variables.

What is trained is read from a checkpoint's averages, everything else from its own name. TF 2's
checkpoints know places instead of names: the variables stand where the program that wrote the
checkpoint has its list of averages.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph.listing import collections, object_variables
from migrate.programs.graph.model import HOST, Blocked, Kind, Value


@dataclass(slots=True, eq=False, repr=False)
class Restored:
    """What ``variables_to_restore()`` gives: variables for averages, and the others."""

    call: ast.Call
    entries: list[collections.Owned]
    others: list[collections.Owned]


def listed(walker: Any, node: ast.Call) -> Value:
    """The variables that are restored, as the list of those that are trained.

    Raises:
        Blocked: one of them isn't seen, or it is made later.
    """
    if node.args or node.keywords or walker.nested or walker.frame.region is None:
        raise Blocked(node, "which averages are restored isn't seen")
    owned = object_variables.told(walker, object_variables.seen(walker, node), node)
    entries = [o for o in owned if o.trained]
    others = [o for o in owned if not o.trained]
    for entry in entries:
        if entry.mixed or entry.cell is not None:
            raise Blocked(node, "averages of what a function or a cell makes are restored")
        layer = walker.layers.get(id(entry.layer))
        if layer is not None and layer.norm is not None and not layer.norm.kind:
            raise Blocked(node, "averages are restored beside those of a batch normalization")
        if layer is not None and not entry.made:
            collections.built(walker, entry, node)
    if any(o.ref is None or o.path is None for o in others):
        raise Blocked(node, "averages are restored beside variables that have no name")
    collections.listed(walker, node, entries)
    _unneeded(walker, node)
    return Value(Kind.OTHER, Restored(node, entries, others), node=node)


def _unneeded(walker: Any, node: ast.Call) -> None:
    """What only gave these variables goes; whatever else asks for it finds a setting."""
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    symbol = walker.frame.env.get(owner.id) if isinstance(owner, ast.Name) else None
    if symbol is None or symbol.step.function is not walker.frame.node:
        return
    made = symbol.step.node
    if isinstance(made, ast.Assign) and [ast.unparse(t) for t in made.targets] == [symbol.name]:
        symbol.value = Value(Kind.SETTING)
        symbol.step.kind, symbol.step.value = Kind.SETTING, HOST
