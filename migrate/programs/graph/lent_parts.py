"""What a function that an op is given, `tf.cond(on, update, keep)`, finds around it."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.made import Frame
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.optimizing.averages import Averages
from migrate.programs.graph.recurrence.cells import Cells

# What asks for a graph's parts, or makes more of them than tensors.
ASKING = frozenset(
    T + name
    for name in (
        *("gradients", "get_collection", "get_collection_ref", "add_to_collection"),
        *("trainable_variables", "global_variables", "local_variables", "model_variables"),
        *("train.get_global_step", "train.get_or_create_global_step", "train.create_global_step"),
    )
)


def check(
    walker: Any, function: ast.FunctionDef | ast.Lambda, frame: Frame, names: set[str]
) -> None:
    """See what a function that an op is given does with moving averages and layers.

    ``names`` are those that it finds around it. It isn't followed as a call is: TF 1 makes there
    what TF 2 can't, or what a step doesn't know to train.

    Raises:
        Blocked: it keeps averages, or asks for those of tensors, calls a layer, or asks for parts
            of the graph.
    """
    for n in walk(function):
        if isinstance(n, ast.Call) and (asked := walker.endpoints.get(id(n.func))) in ASKING:
            given = [a.id for part in n.args for a in all_of(part, ast.Name)]
            if asked == T + "gradients" and not names & {*given}:
                continue  # of what it computes itself, which TF 2 knows, too
            raise Blocked(n, f"{asked.replace(T, 'tf.')} in a function that an op is given")
    asked = {
        id(n.func.value)
        for n in all_of(function, ast.Call)
        if isinstance(n.func, ast.Attribute)
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
        if value is not None and isinstance(value.data, Cells) and value.data.kind == "layer":
            raise Blocked(n, "a layer that is called in a function that an op is given")


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
