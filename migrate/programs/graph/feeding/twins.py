"""Placeholders that an object is given when it is made, or built: in its class they are its own.

``Model(images, labels)`` gives them the names of the parameters, or of the attributes that
``__init__`` keeps them in. What a run feeds under the first name is fed under the second one.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.feeding.feeds import keyed
from migrate.programs.graph.model import Blocked, Instance, Kind, Site, Step, Symbol, Value


def is_given(value: Value) -> bool:
    """Whether a value is a placeholder that an object may be given."""
    return (
        value.kind is Kind.PLACEHOLDER
        and value.symbol is not None
        and str(value.data).endswith(("placeholder", "placeholder_with_default"))
    )


def give(walker: Any, instance: Instance, member: ast.FunctionDef, given: dict[str, Value]) -> None:
    """Make what an ``__init__``, or a method that builds, is given the object's own."""
    for place, (name, value) in enumerate(given.items()):
        if not is_given(value):
            continue
        own = value.symbol is not None and value.symbol.step.region is instance.region
        if own and member.name != "__init__":
            continue  # the object's functions have it anyway
        start = Step(place - len(given), member, Kind.HOST)  # in the parameters' order
        start.region = instance.region
        kept = _kept(member, name)
        mine = Value(Kind.PLACEHOLDER, value.data, node=value.node)
        twin = Symbol(kept or name, start, mine, kept is not None)
        twin.value.symbol = twin
        walker.twins[twin] = value.symbol
        given[name] = twin.value
        origin = value.symbol
        assert origin is not None
        dtype = walker.placeholders.get(f"self.{origin.name}" if origin.attribute else origin.name)
        if dtype is not None:
            walker.placeholders[f"self.{kept}" if kept else name] = dtype


def _kept(member: ast.FunctionDef, name: str) -> str | None:
    """The attribute in which an ``__init__`` keeps an argument."""
    itself = member.args.args[0].arg
    for stmt in member.body:
        if isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Name):
            target = stmt.targets[0]
            if stmt.value.id == name and len(stmt.targets) == 1:
                if isinstance(target, ast.Attribute) and ast.unparse(target.value) == itself:
                    return target.attr
    return None


def parameter(name: str, value: Value, start: Step) -> Symbol:
    """What a parameter means in the ``__init__``."""
    twin = value.symbol
    assert twin is not None
    return twin if twin.name == name else Symbol(name, start, value, alias=True)


def keep(walker: Any, stmt: ast.Assign, value: Value) -> bool:
    """``self.images = images``, which stays; whether it is that."""
    twin = value.symbol
    if twin not in walker.twins or not twin.attribute:  # type: ignore[union-attr]
        return False
    target = stmt.targets[0]
    if len(stmt.targets) > 1 or not isinstance(target, ast.Attribute) or walker.nested:
        return False
    owner = walker.expression(target.value)
    if target.attr != twin.name or owner.kind is not Kind.OBJECT:  # type: ignore[union-attr]
        return False
    older = owner.data.attrs.get(target.attr)
    if older is not None and older.value.kind is not Kind.HOST:
        return False  # a base class's None is
    if owner.data.region is not twin.step.region:  # type: ignore[union-attr]
        return False
    owner.data.attrs[target.attr] = twin
    walker.absorbed.update(map(id, walk(stmt)))
    return True


def fed(walker: Any, site: Site) -> None:
    """A run of an object's graph feeds what the object was given.

    Raises:
        Blocked: a feed dict is for objects that have other names for it.
    """
    for feed in site.feeds:
        mine = [t for t, o in walker.twins.items() if o is feed.symbol]
        twin = next((t for t in mine if t.step.region is site.region), None)
        if twin is None:
            feed.twins = mine  # of objects on whose graphs this one goes on
            continue
        if site.feed_name is not None:
            known = walker.feed_keys.get(id(feed.key))
            if known is None or known[1] not in (feed.symbol, twin) or len(mine) > 1:
                raise Blocked(site.node, "a feed_dict for objects of several classes")
            keyed(walker, feed.key, twin)
        feed.symbol = twin
