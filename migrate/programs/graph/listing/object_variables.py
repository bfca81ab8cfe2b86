"""Variables of objects, as what stands outside of their class lists them: by the objects' names.

``net, target = Net("net"), Net("target")`` in one graph: ``tf.trainable_variables()`` has those of
``net``, then those of ``target``. Their class knows both as ``self.w``.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.making import repeated
from migrate.programs.graph.model import Blocked, Instance, Region
from migrate.programs.graph.objects import bases, own_attributes
from migrate.programs.graph.saving import saved_objects

if TYPE_CHECKING:
    from migrate.programs.graph.listing.collections import Owned

UNSEEN = "?"  # an object without a name
OTHERS = "the variables of objects, some of which have no name here"


@dataclass(frozen=True, slots=True, eq=False)
class Object:
    """An object of a class that builds, as made."""

    call: ast.Call
    graph: int
    at: int  # how many variables there were before
    once: bool  # no loop or branch makes it
    scoped: bool  # in scopes that are open around it


def met(walker: Any, instance: Instance, call: ast.Call) -> None:
    """Remember an object, before its class builds it."""
    once = not walker.loops and not walker.nested
    one = Object(call, walker.graph, len(walker.owned), once, bool(walker.scopes))
    walker.kept.setdefault(("made", id(instance.region)), []).append(one)


def made(walker: Any, region: Region) -> list[Object]:
    """The objects of a class in the graph at hand, as they were made."""
    known: list[Object] = walker.kept.get(("made", id(region)), [])
    return [one for one in known if one.graph == walker.graph]


def count(walker: Any) -> int:
    """How many variables a graph has: no number that is the same when an object is made since."""
    known = [v for k, v in walker.kept.items() if isinstance(k, tuple) and k[0] == "made"]
    later = sum(sum(o.graph == walker.graph for o in objects) for objects in known)
    return len(walker.owned) + later


def seen(walker: Any, node: ast.AST) -> list[Owned]:
    """All variables of the graph, those of objects by these, for `told`.

    Raises:
        Blocked: several objects of the class at hand are there.
    """
    here: Region = walker.frame.region
    homes = [home(walker, entry) for entry in walker.owned]
    foreign = {id(h): h for h in homes if h is not None and _apart(h, here)}
    if not foreign:
        if here is not None and len(made(walker, here)) > 1:
            raise Blocked(node, "each object finds the variables of all")
        return list(walker.owned)
    placed: list[tuple[int, int, Owned]] = []
    for place, (entry, region) in enumerate(zip(walker.owned, homes, strict=True)):
        if region is None or id(region) not in foreign:
            placed.append((place, 1, entry))
    for region in foreign.values():
        mine = [(p, walker.owned[p]) for p, found in enumerate(homes) if found is region]
        there = made(walker, region)
        try:
            names = [name for _, name in owners(walker, region, node)]
        except Blocked:
            names = [UNSEEN for _ in there or ("",)]
        for number, name in enumerate(names):
            for place, entry in mine:
                path = entry.path
                if len(there) > 1:
                    path = path_of(walker, region, there[number], path)
                one = replace(entry, path=path, owner=name)
                placed.append((place, 1, one) if number == 0 else (there[number].at, 0, one))
    placed.sort(key=lambda item: item[:2])
    return [entry for _, _, entry in placed]


def told(walker: Any, entries: list[Owned], node: ast.AST) -> list[Owned]:
    """Variables of objects as they are written here.

    Raises:
        Blocked: an object has no name here, or its variables haven't.
    """
    return [_told(walker, entry, node) if entry.owner else entry for entry in entries]


def home(walker: Any, entry: Owned) -> Region | None:
    """The region that makes a variable; None where it isn't seen."""
    if entry.place is not None:
        found: Region | None = walker.entered.get(id(entry.place[0]))
        if found is not None:
            return found
    call = entry.layer or entry.cell
    if call is None:
        return None
    regions: list[Region] = walker.regions
    for region in regions:
        for step in region.steps:
            last = step.node.end_lineno or 0
            if not step.drop and step.node.lineno <= call.lineno <= last:
                if repeated.stands(call, step.node):
                    return region
    return None


def _apart(region: Region, here: Region | None) -> bool:
    return region is not here and isinstance(region.node, ast.ClassDef)


def owners(walker: Any, region: Region, node: ast.AST) -> list[tuple[Object, str]]:
    """The objects of a class in this graph, each with the name that it has here.

    Raises:
        Blocked: one has none, or more, or the name means something else later.
    """
    there = made(walker, region)
    itself = bases.itself(walker).data
    if isinstance(itself, Instance) and itself.region is region and len(there) == 1:
        return [(there[0], walker.frame.node.args.args[0].arg)]  # a method of its own
    known = {
        name: symbol.value
        for name, symbol in saved_objects.seen(walker).items()
        if isinstance(symbol.value.data, Instance) and symbol.value.data.region is region
    }
    known = known or saved_objects.kept(walker, region)
    named: list[tuple[Object, str]] = []
    for one in there:
        alone = len(there) == 1
        all_of_it = alone and len(known) == 1  # others may share its variables
        names = [n for n, v in known.items() if v.each is None]
        names = [n for n in names if all_of_it or known[n].node is one.call]
        if len(names) != 1 or not one.once or not _stays(walker, names[0], alone):
            raise Blocked(node, OTHERS)
        named.append((one, names[0]))
    if not named:
        raise Blocked(node, OTHERS)
    return named


def _stays(walker: Any, name: str, alone: bool) -> bool:
    """Whether a name is bound once where it is seen, and to the same object at each call."""
    if "." in name:
        return True  # `saved_objects.kept` has seen to it
    inside = name in walker.frame.env
    scope = walker.frame.node if inside else walker.tree
    stores = [
        n for n in all_of(scope, ast.Name) if n.id == name and not isinstance(n.ctx, ast.Load)
    ]
    if stores or not inside or alone or not isinstance(scope, ast.FunctionDef):
        return len(stores) <= 1
    called = scope.name  # it is given several objects
    return (
        sum(called in (getattr(n, "id", 0), getattr(n, "attr", 0)) for n in walk(walker.tree)) == 1
    )


def _told(walker: Any, entry: Owned, node: ast.AST) -> Owned:
    """A variable of an object under the name that it has here."""
    name, region = entry.owner, home(walker, entry)
    if region is None:
        return entry  # it is told already
    if name == UNSEEN:
        raise Blocked(node, OTHERS)
    mixed = entry.mixed and not entry.called
    if (entry.made and entry.called) or mixed or entry.cell or entry.when is not None:
        raise Blocked(node, "what functions, cells or branches make for an object is asked for")
    if entry.layer is not None:
        for kept in ("saved outside", "listed outside"):  # its layers are to be attributes
            walker.kept.setdefault(kept, set()).add(id(region))
        return entry
    if entry.ref is None or entry.place is None:
        return entry  # `collections.listed` says that it has no name
    function, stmt = entry.place
    assert isinstance(function, ast.FunctionDef)
    itself, dot, rest = entry.ref.partition(".")
    if dot and itself == function.args.args[0].arg:
        ref = f"{name}.{rest}"
    elif entry.ref.isidentifier():  # it is to be an attribute
        walker.kept.setdefault("unseen", []).append((stmt, function, entry.ref))
        ref = f"{name}.{entry.ref}"
    else:
        raise Blocked(node, OTHERS)
    value = None if len(made(walker, region)) > 1 else entry.value
    return replace(entry, ref=ref, place=None, value=value)


def path_of(walker: Any, region: Region, one: Object, path: str | None) -> str | None:
    """A name in TF 1 in which the object's arguments are; None where it can't be told."""
    if path is None or one.scoped or "{" not in path:
        return None  # what has one name for all objects is numbered
    parts = re.split(r"[{}]", path)
    for place in range(1, len(parts), 2):
        said = _argument(walker, region, one, parts[place])
        if said is None:
            return None
        parts[place] = said
    return "".join(parts)


def _argument(walker: Any, region: Region, one: Object, said: str) -> str | None:
    """The text that an object's `__init__` was given, by the name that it has in its class."""
    cls = region.node
    assert isinstance(cls, ast.ClassDef)
    member = bases.find(walker, cls, "__init__")
    if member is None or not member.args.args or member.args.vararg or member.args.kwarg:
        return None
    itself, *params = (a.arg for a in member.args.args)
    param = said
    if said.startswith(f"{itself}."):
        attribute = said.partition(".")[2]
        stores = own_attributes.stores(walker, cls, attribute)
        values = [
            s.value.id
            for s in all_of(member, ast.Assign)
            if isinstance(s.value, ast.Name)
            and any(t is store for t in s.targets for store in stores)
        ]
        if len(stores) != 1 or len(values) != 1:
            return None
        (param,) = values
    if param not in params or not _handed_on(walker, cls, member, param):
        return None
    place = params.index(param)
    given = [k.value for k in one.call.keywords if k.arg == param]
    if place < len(one.call.args) and not any(isinstance(a, ast.Starred) for a in one.call.args):
        given.append(one.call.args[place])
    elif not given and len(params) - place <= len(member.args.defaults):
        given.append(member.args.defaults[place - len(params)])
    value = given[0] if len(given) == 1 else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None


def _handed_on(walker: Any, cls: ast.ClassDef, member: ast.FunctionDef, name: str) -> bool:
    """Whether a name means the same in all methods of a class: what `__init__` was given."""
    for node in bases.nodes(walker, cls):
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
            return False
    for part in bases.lineage(walker, cls):
        for method in bases.methods(part):
            params = [a.arg for a in method.args.args]
            if method is member or name not in params:
                continue
            place = params.index(name) - 1
            for call in bases.nodes(walker, cls):
                if not isinstance(call, ast.Call) or not _calls(call, method.name):
                    continue
                given = [*call.args[place : place + 1]]
                given += [k.value for k in call.keywords if k.arg == name]
                if [ast.unparse(g) for g in given] != [name]:
                    return False
    return True


def _calls(node: ast.Call, method: str) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == method
