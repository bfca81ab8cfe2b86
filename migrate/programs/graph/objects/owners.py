"""Which of a class's objects a call's method is of: objects name the scopes of their variables.

``g = Net("G")`` and ``f = Net("F")``: `f(y, reuse=True)` finds what ``f`` has made, not ``g``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Instance, Kind, Value
from migrate.programs.graph.objects import bases, own_attributes
from migrate.programs.graph.wording import known_branches

SELF = "self"


def noted(walker: Any, layer: Any, owner: Value | None) -> None:
    """Remember whose method a call is."""
    if owner is None or not isinstance(owner.data, Instance):
        return
    func = layer.call.func
    place = func
    if isinstance(func, ast.Attribute) and func.attr == layer.factory.name:
        place = func.value
    found: Any = None
    symbol = walker.symbol_of(place)
    value = symbol.value if symbol is not None else None
    if value is not None and value.kind is Kind.OBJECT and value.each is None:
        found = value.node
        method = walker.frame.node
        if found is None and isinstance(place, ast.Name) and isinstance(method, ast.FunctionDef):
            found = SELF if place.id in [a.arg for a in method.args.args[:1]] else None
    looped = walker.kept.get(("made in loops",), ())
    owners = walker.kept.setdefault(("owners", walker.graph), {})
    owners[id(layer.call)] = None if id(found) in looped else found
    if isinstance(owners[id(layer.call)], ast.Call):
        layer.told = _told(walker, owner.data, found, layer.factory)


def _told(
    walker: Any, instance: Instance, call: ast.Call, target: ast.FunctionDef
) -> dict[str, str]:
    """The texts that an object is made with, by the attributes that a method reads them of."""
    init = bases.find(walker, instance.node, "__init__")
    itself = target.args.args[0].arg
    found: dict[str, str] = {}
    if init is None:
        return found
    for n in all_of(target, ast.Attribute):
        if ast.unparse(n.value) != itself:
            continue
        stores = own_attributes.stores(walker, instance.node, n.attr)
        for stmt in walk(init):
            if isinstance(stmt, ast.Assign) and len(stores) == 1 and stmt.targets == stores:
                text = _given(init, call, stmt.value)
                if text is not None:
                    found[ast.unparse(n)] = text
    return found


def _given(init: ast.FunctionDef, call: ast.Call, value: ast.expr) -> str | None:
    """The text that an object is given for what its `__init__` keeps."""
    if isinstance(value, ast.Name):
        if any(_stores(n, value.id) for n in walk(init)):
            return None
        whole = ast.Call(call.func, [call.func, *call.args], call.keywords)
        value = known_branches.given_to(init, whole, value.id) or value
    text = value.value if isinstance(value, ast.Constant) else None
    return text if isinstance(text, str) and not set("{}\\\"'") & set(text) else None


def _stores(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)


def made(walker: Any, call: ast.Call) -> None:
    """Remember an object that a loop makes: it is one of several."""
    if walker.loops:
        walker.kept.setdefault(("made in loops",), set()).add(id(call))


def same(walker: Any, layer: Any, other: Any, owner: Value | None) -> bool:
    """Whether two calls of a method are of one object.

    Raises:
        Blocked: it isn't seen.
    """
    if owner is None or _only(walker, owner.data):
        return True
    owners = walker.kept.get(("owners", walker.graph), {})
    mine, theirs = owners.get(id(layer.call)), owners.get(id(other.call))
    if mine is None or theirs is None or (SELF in (mine, theirs) and mine is not theirs):
        raise Blocked(layer.call, "variables of one object or another are found again")
    return mine is theirs


def _only(walker: Any, instance: Any) -> bool:
    """Whether an object is the only one of its class."""
    lists = [v for k, v in walker.kept.items() if isinstance(k, tuple) and k[0] == "objects"]
    return sum(one is instance for objects in lists for one in objects) < 2
