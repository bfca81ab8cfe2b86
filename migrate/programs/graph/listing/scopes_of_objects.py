"""Variables that each object lists of its own scope: ``tf.trainable_variables(scope=self.name)``.

So does a function that is given the object: ``[v for v in tf.trainable_variables() if
v.name.startswith(net.scope)]``. All that the class makes stands in the scope that ``__init__`` is
given, and no other name begins as an object's scope does (TF 1 looks for beginnings: ``"net"``
finds ``"net_target/w"``, too).
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from migrate.engine.trees import all_of
from migrate.programs.graph.listing import object_variables
from migrate.programs.graph.model import Blocked, Instance, Region
from migrate.programs.graph.objects import bases, given_names, own_attributes
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.scoping.scopes import scope_name

if TYPE_CHECKING:
    from migrate.programs.graph.listing.collections import Owned

REASON = "the variables of a scope whose name is computed"
OTHERS = "an object's scope, as which another name may begin"
LISTS = ("lists of own scopes",)
ASKED = "scopes of other objects"
SPECIAL = frozenset(".*+?[]()|^$\\")


def own(walker: Any, node: ast.expr, scope: ast.expr, *, everything: bool = False) -> list[Owned]:
    """The variables of the object at hand that are in its scope.

    ``everything``: those that aren't trained, too.

    Raises:
        Blocked: which ones these are isn't seen.
    """
    region: Region = walker.frame.region
    said = scope_name(scope)
    if said is None or "{" not in said or not isinstance(region.node, ast.ClassDef):
        raise Blocked(scope, REASON)
    stem = _by_parameters(walker, region.node, said.rstrip("/"))
    found: list[Owned] = []
    for entry in walker.owned:
        if object_variables.home(walker, entry) is not region:
            continue  # `check` sees to the others
        names = entry.inner or (entry.path or "",)
        names = tuple(_by_parameters(walker, region.node, name) for name in names)
        told = {name == stem or name.startswith(f"{stem}/") for name in names}
        if told != {True}:
            # Another part of the same scope has a name of its own: `{self.name}/critic`.
            error = Blocked(scope, REASON)
            if told != {False} and entry.layer is not None and id(entry.layer) in walker.layers:
                factory = walker.layers[id(entry.layer)].factory
                training_helpers.parted(walker, factory, entry.layer, error)
            if told != {False} or not all(_apart(name, stem) for name in names):
                raise error
        elif entry.trained or everything:
            found.append(entry)
    begun: Instance = walker.instances[id(region.node)]
    walker.kept.setdefault(("scopes of objects", id(region)), []).append((said, scope))
    if begun.left is not None:  # all objects of a loop are there by then
        walker.kept.setdefault(("scopes asked later",), set()).add(id(scope))
    walker.kept.setdefault(LISTS, set()).add(id(node))
    return found


def _by_parameters(walker: Any, cls: ast.ClassDef, name: str) -> str:
    """A name with what `__init__` was given for the attributes in which it keeps that."""
    init = bases.find(walker, cls, "__init__")
    if "{" not in name or init is None or not init.args.args:
        return name
    itself, *params = (a.arg for a in init.args.args)
    bound = {n.id for n in all_of(init, ast.Name) if not isinstance(n.ctx, ast.Load)}

    def given(found: re.Match[str]) -> str:
        stores = own_attributes.stores(walker, cls, found[1])
        for stmt in all_of(init, ast.Assign):
            if len(stores) == 1 and stores[0] in stmt.targets and isinstance(stmt.value, ast.Name):
                if stmt.value.id in params and stmt.value.id not in bound:
                    return f"{{{stmt.value.id}}}"
        return found[0]

    return re.sub(rf"\{{{re.escape(itself)}\.(\w+)\}}", given, name)


def of(walker: Any, node: ast.expr, scope: ast.expr) -> list[Owned] | None:
    """The variables of another object, which begin as its attribute says; None for all else."""
    if not isinstance(scope, ast.Attribute) or not isinstance(scope.value, ast.Name):
        return None
    instance = walker.expression(scope.value).data
    if not isinstance(instance, Instance) or instance.region is walker.frame.region:
        return None
    region = instance.region
    if region is None:
        return None
    member = bases.find(walker, instance.node, "__init__")
    if member is None or not member.args.args:
        return None
    said = f"{{{member.args.args[0].arg}.{scope.attr}}}"
    walker.kept.setdefault((ASKED, id(node)), []).append((region, said, scope))
    mine = [e for e in walker.owned if object_variables.home(walker, e) is region]
    return [replace(e, owner=scope.value.id) for e in mine if e.trained]


def nodes(walker: Any) -> set[int]:
    """The ids of the calls that list such variables."""
    found: set[int] = walker.kept.get(LISTS, set())
    return found


def _apart(name: str, stem: str) -> bool:
    """Whether a name and a scope part behind what both begin with."""
    parts, scope = name.split("/"), stem.split("/")
    for mine, other in zip(parts, scope, strict=False):
        if mine != other:
            return "{" not in mine + other and not mine.startswith(other)
    return False


def check(walker: Any, region: Region, node: ast.AST) -> None:
    """See that no object finds what isn't its own, now that all objects are made.

    Raises:
        Blocked: one may.
    """
    later: set[int] = walker.kept.get(("scopes asked later",), set())
    for said, scope in walker.kept.get(("scopes of objects", id(region)), ()):
        names = _alone(walker, region, said, scope, node)
        if id(scope) in later and any(name.tail is not None for name in names):
            raise Blocked(scope, OTHERS)
    asked: list[tuple[Region, str, ast.expr]] = walker.kept.get((ASKED, id(node)), [])
    for other, said, scope in asked:
        values = _alone(walker, other, said, scope, node)
        for one, value in zip(object_variables.made(walker, other), values, strict=True):
            for entry in walker.owned:
                if object_variables.home(walker, entry) is not other:
                    continue
                for path in entry.inner or (entry.path,):
                    name = object_variables.path_of(walker, other, one, path)
                    if value.tail is not None or name is None or not name.startswith(value.head):
                        raise Blocked(scope, REASON)


def _alone(
    walker: Any, region: Region, said: str, scope: ast.expr, node: ast.AST
) -> list[given_names.Name]:
    """The scopes of all objects of a class, none of which another name begins as."""
    made = {id(one.call): one for one in object_variables.made(walker, region)}
    cls = region.node
    assert isinstance(cls, ast.ClassDef)
    first = said.split("/")[0]
    scopes: list[given_names.Name] = []
    whole: list[given_names.Name] = []
    for one in made.values():  # a loop's may be followed twice
        value = None if one.scoped else given_names.given(walker, one.call, said, cls)
        begins = given_names.given(walker, one.call, first, cls)
        if value is None or begins is None:
            raise Blocked(scope, REASON)
        scopes.append(value)
        whole.append(begins)
    if not scopes:
        raise Blocked(scope, REASON)
    if any(SPECIAL & set(value.head + (value.tail or "")) for value in scopes):
        raise Blocked(scope, "the variables of scopes that match a pattern")
    for place, value in enumerate(scopes):
        others = [w for p, w in enumerate(whole) if p != place]
        if any(w.may_begin_as(value) or value.may_begin_as(w) for w in others):
            raise Blocked(scope, OTHERS)
    for entry in walker.owned:
        home = object_variables.home(walker, entry)
        for path in entry.inner or (entry.path,):
            for name in () if home is region else _names(walker, home, path):
                if name is None or any(name.may_begin_as(v) for v in scopes):
                    raise Blocked(node, OTHERS)
    return scopes


def _names(walker: Any, home: Region | None, path: str | None) -> list[given_names.Name | None]:
    """What a variable is called in TF 1: each object's of a class, where the class makes it."""
    if path is None or "{" not in path:
        return [given_names.Name(path) if path is not None else None]
    if home is None or not isinstance(home.node, ast.ClassDef):
        return [None]
    objects = object_variables.made(walker, home)
    told = [given_names.given(walker, one.call, path, home.node) for one in objects]
    return [*told] if told and not any(one.scoped for one in objects) else [None]
