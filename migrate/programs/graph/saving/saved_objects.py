"""Whose variables a Saver saves: the object that built them, under the name that it has there."""

from __future__ import annotations

import ast
import contextlib
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Instance, Kind, Region, Symbol, Value
from migrate.programs.graph.objects import own_attributes
from migrate.programs.graph.optimizing import training_helpers


def owners(walker: Any, found: Any, region: Region) -> list[str]:
    """The names of the objects whose class builds a part of the graph; no name for a module's.

    Raises:
        Blocked: an object has none here.
    """
    if isinstance(region.node, ast.Module):
        return [""]
    known = {
        name: symbol.value
        for name, symbol in seen(walker).items()
        if isinstance(symbol.value.data, Instance) and symbol.value.data.region is region
    }
    if not known:
        known = kept(walker, region)
    itself = _itself(walker)
    if itself in known:  # a method's own object, whatever the module calls it
        known = {itself: known[itself]}
    from migrate.programs.graph.listing import object_variables
    from migrate.programs.graph.saving import saved_sharers

    one = saved_sharers.first(walker, found.call, region, known)
    if one is not None:
        found.owners[id(region)] = [one]
        return [one]
    names = [name for name, value in known.items() if value.each is None]
    several = len(object_variables.made(walker, region)) != 1  # in the graph at hand
    if len(known) > 1 or (
        several and any(("calls", id(v.data)) in walker.kept for v in known.values())
    ):
        return _several(walker, found, region)
    if len(names) != 1 or not isinstance(region.node, ast.ClassDef):
        why = "a Saver of another function's variables"
        training_helpers.builder(walker, region, Blocked(found.call, why))
        raise Blocked(found.call, why)
    found.owners[id(region)] = names
    return names


def trainers(walker: Any, found: Any) -> None:
    """The objects that only train: an optimizer of theirs has slots for what others have made."""
    calls = {id(t.optimizer.call) for t in found.trained if t.optimizer is not None}
    for region in walker.regions:
        if region is walker.frame.region or id(region) in found.owners:
            continue
        if not isinstance(region.node, ast.ClassDef):
            continue
        if any(id(n) in calls for step in region.steps for n in walk(step.node)):
            # Without a name here its optimizer isn't seen, and the Saver says so.
            with contextlib.suppress(Blocked):
                owners(walker, found, region)


def _several(walker: Any, found: Any, region: Region) -> list[str]:
    """The names of several objects of a class.

    Raises:
        Blocked: one has none here, or the class makes variables in other ways than as attributes.
    """
    from migrate.programs.graph.listing import object_variables

    why = Blocked(found.call, "a Saver of several objects' variables")
    made = object_variables.made(walker, region)
    if len(made) < 2 or not isinstance(region.node, ast.ClassDef):
        raise why
    try:
        names = [name for _, name in object_variables.owners(walker, region, found.call)]
    except Blocked as error:
        raise why from error
    for step in region.steps:
        branches = isinstance(step.node, (ast.For, ast.While, ast.If))
        calls = {id(n) for n in walk(step.node)}
        layers = [layer for key, layer in walker.layers.items() if key in calls]
        if branches and (layers or walker.makes(step.node)):
            raise why
        if any(layer.factory is not None for layer in layers):
            raise why
    found.owners[id(region)] = names
    found.several.update(names)
    return names


def there(walker: Any, node: ast.Call) -> None:
    """See that the graph of a method's own object is the one at hand.

    Raises:
        Blocked: it is that of another way of a branch, and nobody calls the method there.
    """
    own = walker.frame.env.get(_itself(walker))
    built = own.value.data.region.steps if own and isinstance(own.value.data, Instance) else ()
    # What `__init__` keeps of Python's before it resets the graph is no part of one.
    python = (Kind.HOST, Kind.SETTING, Kind.GRAPH, Kind.SESSION)
    parts = [step for step in built if step.kind not in python]
    if any(id(step) in walker.forgotten for step in parts):
        raise Blocked(node, "a Saver of a graph that is gone")


def _itself(walker: Any) -> str:
    """The name that a method has for its own object."""
    node = walker.frame.node
    held = id(node) in walker.walked and node.args.args
    return str(node.args.args[0].arg) if held else ""


def kept(walker: Any, region: Region) -> dict[str, Value]:
    """The attribute in which the object at hand keeps the one that builds a part of the graph."""
    function = walker.frame.node
    if not isinstance(function, ast.FunctionDef) or not function.args.args:
        return {}
    itself = function.args.args[0].arg
    own = walker.frame.env.get(itself)
    if own is None or not isinstance(own.value.data, Instance):
        return {}
    return {
        f"{itself}.{name}": symbol.value
        for name, symbol in own.value.data.attrs.items()
        if isinstance(symbol.value.data, Instance) and symbol.value.data.region is region
        if len(own_attributes.stores(walker, own.value.data.node, name)) == 1
    }


def seen(walker: Any) -> dict[str, Symbol]:
    """What names mean here: a function's own, and those of the module that it sees."""
    frame, found = walker.frame, dict(walker.frame.env)
    if frame.node is walker.tree or frame.parent is not walker.module_frame():
        return found
    own = _bound(frame.node)
    outer = walker.module_frame().env
    return {**{n: s for n, s in outer.items() if n not in own}, **found}


def _bound(function: ast.AST) -> set[str]:
    """The names that a function binds."""
    names = {n.arg for n in all_of(function, ast.arg)}
    return names | {n.id for n in all_of(function, ast.Name) if not isinstance(n.ctx, ast.Load)}
