"""Functions that are given objects of several classes: ``evaluate(sess, model, data)`` of a folder.

Each class has functions of its own, under the names of what is fetched. A function that runs parts
of such objects is followed once for each class, as a copy that isn't in the tree; what is written
for one must be what is written for the others (`rewriters/sessions/alike.py`).
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.made import Function
from migrate.programs.graph.model import Kind, Region, Value

KEY = ("copies for classes",)  # by copy, what it is of
PLAIN = (Kind.HOST, Kind.NONE, Kind.SESSION, Kind.OBJECT)


def followed(
    walker: Any, function: Function, region: Region, given: dict[str, Value], call: ast.Call
) -> Function | None:
    """The copy of a function for the classes of what it is given; None for the function itself."""
    target = function.node
    assert isinstance(target, ast.FunctionDef)
    wanted = _classes(given)
    if wanted == _classes(walker.kept.get(("first given", id(region)), {})):
        return None
    plain = all(v.kind in PLAIN for v in given.values())
    home = walker.files.at(target).tree or walker.tree
    if not plain or region.once or region.anew or region.gives is not None:
        return None
    if target not in home.body or target.decorator_list or id(target) in originals(walker):
        return None
    known: dict[Any, ast.FunctionDef] = walker.kept.setdefault(("copies", id(target)), {})
    if wanted not in known:
        known[wanted] = _copied(walker, target)
    return Function(known[wanted], function.frame)


def originals(walker: Any) -> dict[int, ast.FunctionDef]:
    """Of which functions there are copies, by these."""
    found: dict[int, ast.FunctionDef] = walker.kept.setdefault(KEY, {})
    return found


def copies(walker: Any, target: ast.FunctionDef) -> list[ast.FunctionDef]:
    """The copies that there are of a function."""
    return [*walker.kept.get(("copies", id(target)), {}).values()]


def _classes(given: dict[str, Value]) -> tuple[Any, ...]:
    """Which class each argument is of."""
    return tuple(
        (name, id(getattr(given[name].data, "node", None)))
        for name in sorted(given)
        if given[name].kind is Kind.OBJECT
    )


def _copied(walker: Any, target: ast.FunctionDef) -> ast.FunctionDef:
    """A function once more, at the same place."""
    one = copy.deepcopy(target)
    for old, new in zip(walk(target), walk(one), strict=True):
        if id(old) in walker.endpoints:
            walker.endpoints[id(new)] = walker.endpoints[id(old)]
    originals(walker)[id(one)] = target
    return one
