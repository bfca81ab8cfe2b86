"""Iterators that objects keep: ``self.iterator``, whatever the method that makes it calls it."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Fetch, Kind, Site
from migrate.programs.graph.objects import own_attributes

IN_CLASS = "an iterator in a class"
UNTOLD = "whose iterator this takes from can't be told"
MADE = frozenset({"make_initializable_iterator", "make_one_shot_iterator", "get_next"})


def made(node: ast.AST) -> bool:
    """Whether a method makes an iterator, or asks one for its next element."""
    return any(isinstance(n, ast.Attribute) and n.attr in MADE for n in walk(node))


def within(walker: Any) -> bool:
    """Whether the statement at hand stands in a method that builds an object's graph."""
    region, method = walker.frame.region, walker.frame.node
    if region is None or not isinstance(region.node, ast.ClassDef):
        return False
    plain = isinstance(method, ast.FunctionDef) and method.args.args and not walker.nested
    return bool(plain) and not walker.loops


def itself(walker: Any) -> str:
    """What the method at hand calls its object."""
    return str(walker.frame.node.args.args[0].arg)


def own(walker: Any, node: ast.expr) -> str:
    """The attribute of the object whose method is followed that an expression is, or nothing."""
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == itself(walker):
        return node.attr
    return ""


def name_of(walker: Any, target: ast.expr) -> str:
    """The attribute that what is bound becomes, or is.

    Raises:
        Blocked: it isn't the object's, or means other things, too.
    """
    region = walker.frame.region
    if isinstance(target, ast.Attribute):
        name, there = own(walker, target), 1
        if not name:
            raise Blocked(target, IN_CLASS)
    elif isinstance(target, ast.Name):
        name, there = target.id, 0
        stores = [
            n
            for n in all_of(walker.frame.node, ast.Name)
            if n.id == name and not isinstance(n.ctx, ast.Load)
        ]
        read = any(isinstance(n, ast.Attribute) and n.attr == name for n in walk(walker.tree))
        if len(stores) > 1 or read:
            raise Blocked(target, f"`{name}` means something else, too")
    else:
        raise Blocked(target, IN_CLASS)
    if len(own_attributes.stores(walker, region.node, name)) != there:
        raise Blocked(target, f"`{name}`, an object's iterator or dataset, is set again")
    return name


def owner_of(walker: Any, fetch: Fetch, data: object, frame: object) -> str:
    """Whose iterator a run lets begin, as written.

    Raises:
        Blocked: it can't be told.
    """
    node = next(leaf.node for leaf in fetch.leaves() if leaf.value.data is data)
    if isinstance(node, ast.Attribute) and node.attr == "initializer":
        node = node.value
    if isinstance(node, ast.Name) and frame is walker.frame:
        return itself(walker)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id
    raise Blocked(node, "an iterator of another function begins here")


def holder(element: Any, site: Site) -> str:
    """The one object that has an iterator, by the name that a run of another's graph sees.

    Raises:
        Blocked: there are several, or none has a name there.
    """
    walker, home = element.walker, element.symbols[0].step.region
    function = site.step.function if site.step is not None else None
    frames = [walker.module_frame(site.node)]
    frames += [r.frame for r in walker.regions if r.node is function and r.frame is not None]
    names: set[str] = {
        name
        for frame in frames
        for name, symbol in frame.env.items()
        if symbol.value.kind is Kind.OBJECT and getattr(symbol.value.data, "region", None) is home
    }
    made = [n for n in all_of(walker.tree, ast.Name) if n.id == home.node.name]
    if len(names) == 1 and len(made) == 1 and isinstance(home.node, ast.ClassDef):
        (name,) = names
        nodes = list(walk(function)) if isinstance(function, ast.FunctionDef) else []
        hidden = any(isinstance(n, ast.arg) and n.arg == name for n in nodes)
        outside = name in frames[0].env and any(
            isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
            for n in nodes
        )
        if not hidden and not outside:
            return name
    raise Blocked(site.node, UNTOLD)


def called(name: str, site: Site) -> str:
    """What a run calls an iterator: an object's by the object."""
    head, _, attribute = name.rpartition(".")
    if not head:
        return name
    if not site.owner:
        raise Blocked(site.node, UNTOLD)
    return f"{site.owner}.{attribute}"
