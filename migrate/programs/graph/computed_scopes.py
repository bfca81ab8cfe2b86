"""Functions whose variables have names alike in scopes that their calls name.

``with tf.variable_scope(scope_name, reuse=tf.AUTO_REUSE)`` in two functions, each with a variable
``biases``: these are one only where both are called with the same scope.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.engine.trees import holds, walk
from migrate.programs.graph.model import Blocked, Region

FOUND = "the variable {} is found again"


def noted(walker: Any, full: str, node: ast.Call) -> bool:
    """Whether calls will tell a variable of a function from others of its name; it is noted."""
    region = walker.frame.region
    modes = {s.reuse for s in walker.scopes}
    if "{" not in full or region is None or region.inputs is None or True in modes:
        return False
    others = [m.call for m in walker.made.values() if m.name == full and m.call is not node]
    found = {id(region.node)}
    for call in others:
        home = next((r for r in walker.regions if _factory(r) and holds(r.node, call)), None)
        if home is None or home is region:
            return False
        found.add(id(home.node))
    groups = walker.kept.setdefault(("names alike", walker.graph), [])
    groups.append(found)
    return True


def called(walker: Any, layer: Any, region: Region, told: Callable[[str], str]) -> None:
    """A call that makes a function's variables: those of the functions like it have other names.

    ``told``: a name as the call says it.

    Raises:
        Blocked: they may be the same variables.
    """
    inside = {id(n) for n in walk(region.node)}
    head = [s for s in layer.scopes if s]
    names = {
        "/".join([*head, told(m.name)]): m.name
        for key, m in walker.made.items()
        if key in inside and m.name and key not in walker.past
    }
    calls = walker.kept.setdefault(("calls told", walker.graph), [])
    mine = id(region.node)
    alike = {
        f
        for group in walker.kept.get(("names alike", walker.graph), ())
        if mine in group
        for f in group
    }
    calls.append((mine, set(names), None in layer.scopes))
    if not alike - {mine}:
        return
    open_names = any("{" in name for name in names)
    for function, others, unsure in calls:
        if function == mine or function not in alike:
            continue
        shared = set(names) & others
        unsure = unsure or None in layer.scopes or open_names or any("{" in o for o in others)
        if shared or unsure:
            raise Blocked(layer.call, FOUND.format(next(iter(shared or names))))


def _factory(region: Region) -> bool:
    return region.inputs is not None
