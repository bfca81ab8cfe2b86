"""Scopes in which an object is made or one of its methods is called: what is made inside has them.

``with tf.variable_scope("model", initializer=…): model = Model()`` gives the variables of ``Model``
their names and what they start with.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.made import Scope
from migrate.programs.graph.model import Blocked, Instance, Kind, Region, Value
from migrate.programs.graph.objects import own_attributes, shared_objects
from migrate.programs.graph.scoping.scopes import DEFAULTS


def kept(
    walker: Any, region: Region, given: dict[str, Value], call: ast.Call | None
) -> list[Scope]:
    """The scopes that stay open in a method that is called here.

    One whose name isn't seen there, or isn't every object's, only has what it gives to variables.
    """
    if call is None:
        return []
    once = not walker.loops and not walker.nested and _made_once(walker, region, given)
    itself = {name for name, value in given.items() if value.kind is Kind.OBJECT}
    found: list[Scope] = []
    for scope in walker.scopes:
        name = _by_attribute(walker, region, scope.name, call)
        # What an object's own attribute says is each object's name, however many there are.
        told = name != scope.name or once
        name = name if told and _seen(name, itself) else ""
        found.append(Scope(name, scope.ops_only, scope.reuse, scope.opened))
    return found


def _by_attribute(walker: Any, region: Region, name: str | None, call: ast.Call) -> str | None:
    """``{scope}``, a parameter of ``__init__``, as the attribute in which the object keeps it."""
    caller, cls = walker.frame.node, region.node
    if name is None or "{" not in name or not isinstance(cls, ast.ClassDef):
        return name
    if not isinstance(caller, ast.FunctionDef) or caller.name != "__init__":
        return name
    itself, *params = (a.arg for a in caller.args.args)
    parts = name.replace("}", "{").split("{")
    for place in range(1, len(parts), 2):
        if parts[place] not in params:
            return name
        kept = [
            t.attr
            for s in caller.body
            if isinstance(s, ast.Assign) and s.lineno < call.lineno
            if isinstance(s.value, ast.Name) and s.value.id == parts[place]
            for t in s.targets
            if isinstance(t, ast.Attribute) and ast.unparse(t.value) == itself
        ]
        stores = [n for n in all_of(caller, ast.Name) if n.id == parts[place]]
        if any(not isinstance(n.ctx, ast.Load) for n in stores):
            return name
        alone = [a for a in kept if len(own_attributes.stores(walker, cls, a)) == 1]
        if not alone:
            return name
        parts[place] = f"{{{itself}.{alone[0]}}}"
    return "".join(parts)


def begun(walker: Any, instance: Instance) -> None:
    """Remember what the scopes around the first object of a class give to its variables."""
    walker.kept[("scopes around", id(instance))] = _given(walker)


def same(walker: Any, instance: Instance, call: ast.Call) -> None:
    """See that one more object's variables are given what the first one's were.

    Raises:
        Blocked: they aren't.
    """
    if walker.kept.get(("scopes around", id(instance)), []) != _given(walker):
        raise Blocked(call, "objects in scopes that give their variables other things")


def _given(walker: Any) -> list[tuple[str, str]]:
    known = walker.kept.get("scope defaults", {})
    return [
        (argument, ast.dump(value))
        for scope in walker.scopes
        for argument, value in known.get(id(scope.opened), {}).items()
        if argument in DEFAULTS
    ]


def _made_once(walker: Any, region: Region, given: dict[str, Value]) -> bool:
    """Whether one call makes all objects of the class whose method it is."""
    owner = next((v.data for v in given.values() if v.kind is Kind.OBJECT), None)
    target = owner.node if isinstance(owner, Instance) else region.node
    if not isinstance(target, ast.ClassDef):
        return True
    calls = [
        n
        for n in all_of(walker.tree, ast.Call)
        if walker._module_function(n.func, ast.ClassDef) is target
    ]
    return len(calls) <= 1 or shared_objects.is_told(walker, target)


def _seen(name: str | None, itself: set[str]) -> bool:
    """Whether a scope's name can be written in a method of its object."""
    if name is None or "{" not in name:
        return name is not None
    parts = name.replace("{", "}").split("}")[1::2]
    names = {n.id for part in parts for n in all_of(ast.parse(part), ast.Name)}
    return names <= itself & {"self"}
