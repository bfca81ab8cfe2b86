"""Variables that each object lists of its own scope: ``tf.trainable_variables(scope=self.name)``.

So does a function that is given the object: ``[v for v in tf.trainable_variables() if
v.name.startswith(net.scope)]``. All that the class makes stands in the scope that ``__init__`` is
given, and no other name begins as an object's scope does (TF 1 looks for beginnings: ``"net"``
finds ``"net_target/w"``, too).
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from migrate.programs.graph import bases, object_variables
from migrate.programs.graph.model import Blocked, Instance, Region
from migrate.programs.graph.scopes import scope_name

if TYPE_CHECKING:
    from migrate.programs.graph.collections import Owned

REASON = "the variables of a scope whose name is computed"
OTHERS = "an object's scope, as which another name may begin"
LISTS = ("lists of own scopes",)
ASKED = "scopes of other objects"
SPECIAL = frozenset(".*+?[]()|^$\\")


def own(walker: Any, node: ast.expr, scope: ast.expr) -> list[Owned]:
    """The variables of the object at hand that are in its scope.

    Raises:
        Blocked: which ones these are isn't seen.
    """
    region: Region = walker.frame.region
    said = scope_name(scope)
    if said is None or "{" not in said or not isinstance(region.node, ast.ClassDef):
        raise Blocked(scope, REASON)
    stem = said.rstrip("/")
    found: list[Owned] = []
    for entry in walker.owned:
        if object_variables.home(walker, entry) is not region:
            continue  # `check` sees to the others
        names = entry.inner or (entry.path or "",)
        told = {name == stem or name.startswith(f"{stem}/") for name in names}
        if told != {True}:
            # Another part of the same scope has a name of its own: `{self.name}/critic`.
            if told != {False} or not all(_apart(name, stem) for name in names):
                raise Blocked(scope, REASON)
        elif entry.trained:
            found.append(entry)
    walker.kept.setdefault(("scopes of objects", id(region)), []).append((said, scope))
    walker.kept.setdefault(LISTS, set()).add(id(node))
    return found


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
    for said, scope in walker.kept.get(("scopes of objects", id(region)), ()):
        _alone(walker, region, said, scope, node)
    asked: list[tuple[Region, str, ast.expr]] = walker.kept.get((ASKED, id(node)), [])
    for other, said, scope in asked:
        values = _alone(walker, other, said, scope, node)
        for one, value in zip(object_variables.made(walker, other), values, strict=True):
            for entry in walker.owned:
                if object_variables.home(walker, entry) is not other:
                    continue
                for path in entry.inner or (entry.path,):
                    name = object_variables.path_of(walker, other, one, path)
                    if name is None or not name.startswith(value):
                        raise Blocked(scope, REASON)


def _alone(walker: Any, region: Region, said: str, scope: ast.expr, node: ast.AST) -> list[str]:
    """The scopes of all objects of a class, none of which another name begins as."""
    objects = object_variables.made(walker, region)
    values = [object_variables.path_of(walker, region, one, said) for one in objects]
    first = said.split("/")[0]
    whole = [object_variables.path_of(walker, region, one, first) for one in objects]
    if not values or None in values or None in whole:
        raise Blocked(scope, REASON)
    scopes = list(map(str, values))
    if any(SPECIAL & set(value) for value in scopes):
        raise Blocked(scope, "the variables of scopes that match a pattern")
    for place, value in enumerate(scopes):
        others = [str(w) for p, w in enumerate(whole) if p != place]
        if any(w.startswith(value) or value.startswith(w) for w in others):
            raise Blocked(scope, OTHERS)
    for entry in walker.owned:
        home = object_variables.home(walker, entry)
        for name in entry.inner or (entry.path,):
            if home is not region and (
                name is None or "{" in name or any(name.startswith(v) for v in scopes)
            ):
                raise Blocked(node, OTHERS)
    return scopes
