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
from migrate.programs.graph.objects import bases, several_objects

GIVEN = "twins"  # by the method and the name of its parameter
AGAIN = ("twins of later graphs",)


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
        walker.kept[GIVEN, id(member), name] = twin
        origin = value.symbol
        assert origin is not None
        dtype = walker.placeholders.get(f"self.{origin.name}" if origin.attribute else origin.name)
        if dtype is not None:
            walker.placeholders[f"self.{kept}" if kept else name] = dtype


def give_again(
    walker: Any, instance: Instance, member: ast.FunctionDef, given: dict[str, Value]
) -> None:
    """Take what an object of another program, or of another graph, is given for the first one's.

    Placeholders of both are alike but for their batches, which the class asks nothing about.
    """
    left = instance.left
    if left is None or left.graph == walker.graph:
        return
    for name, value in given.items():
        twin: Symbol | None = walker.kept.get((GIVEN, id(member), name))
        if twin is None or not is_given(value) or not _alike(walker, instance, twin, value):
            continue
        walker.kept.setdefault(AGAIN, []).append((twin, value.symbol))
        given[name] = twin.value


def _alike(walker: Any, instance: Instance, twin: Symbol, value: Value) -> bool:
    """Whether two placeholders have one type and one shape, but for their batches."""
    if twin.value.data != value.data:
        return False
    first, second = (_said(walker, v) for v in (twin.value, value))
    if first is None or second is None or first[0] != second[0]:
        return False
    if first[1] == second[1]:
        return True
    if first[1] is None or second[1] is None or first[1][1:] != second[1][1:]:
        return False
    return len(first[1]) == len(second[1]) and not _asked(walker, instance)


def _said(walker: Any, value: Value) -> tuple[str, list[str] | None] | None:
    """The type and the shape that a placeholder is given; None where they aren't seen."""
    call = value.node
    if not isinstance(call, ast.Call):
        return None
    said = walker.bound(walker.endpoints.get(id(call.func), ""), call)
    shape, dtype = said.get("shape"), said.get("dtype")
    if dtype is None:
        return None
    if shape is None or (isinstance(shape, ast.Constant) and shape.value is None):
        return ast.unparse(dtype), None
    if not isinstance(shape, (ast.List, ast.Tuple)):
        return None
    # A name may mean something else in the other file.
    if any(not isinstance(n, ast.Constant) for n in shape.elts[1:]):
        return None
    return ast.unparse(dtype), [ast.unparse(n) for n in shape.elts]


def _asked(walker: Any, instance: Instance) -> bool:
    """Whether a class, or a function that it calls, may ask for the size of a batch."""
    homes: list[ast.AST] = list(bases.lineage(walker, instance.node))
    for call in several_objects.reached(walker, instance):
        callee = walker._module_function(call.func)
        if callee is not None and callee not in homes:
            homes.append(callee)
    parts = [n for home in homes for n in walk(home)]
    plain = {id(n.value) for n in parts if isinstance(n, ast.Subscript) and _not_first(n.slice)}
    calls = [n for n in parts if isinstance(n, ast.Call)]
    plain |= {id(n.args[0]) for n in calls if _counted(n)}
    lists = (n.func for n in calls if id(n) in plain and isinstance(n.func, ast.Attribute))
    plain |= {id(func.value) for func in lists if func.attr == "as_list"}
    asks = (n for n in parts if isinstance(n, ast.Attribute) and n.attr in ("shape", "get_shape"))
    called = {id(n.func): n for n in calls}
    # `tf.shape` is asked when a run is there.
    whole = (called.get(id(n), n) for n in asks if not walker.endpoints.get(id(n)))
    return any(id(n) not in plain for n in whole)


def _counted(call: ast.Call) -> bool:
    """``len(…)``."""
    return ast.unparse(call.func) == "len" and len(call.args) == 1


def _not_first(place: ast.expr) -> bool:
    """``[-1]``, ``[3]``, ``[1:]``."""
    if isinstance(place, ast.Slice):
        place = place.lower if place.lower is not None else ast.Constant(0)
    try:
        at = ast.literal_eval(place)
    except ValueError:
        return False
    return isinstance(at, int) and at != 0


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
        pairs = [*walker.twins.items(), *walker.kept.get(AGAIN, ())]
        mine = [t for t, o in pairs if o is feed.symbol]
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
