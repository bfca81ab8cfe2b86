"""Methods that a dataset maps, ``dataset.map(self.parse)``: they compute from what Python has."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph import bases, properties
from migrate.programs.graph.made import Function
from migrate.programs.graph.model import Blocked, Instance, Kind, Value, described


def check(walker: Any, value: Value, at: ast.expr) -> None:
    """See that a method that is mapped reads nothing of a graph.

    Raises:
        Blocked: it may.
    """
    owner, name = value.data
    known = owner.kind is Kind.OBJECT and isinstance(owner.data, Instance) and owner.each is None
    if not known or not isinstance(at, ast.Attribute):
        raise Blocked(at, f"a dataset is given {described(value)}")
    _plain(walker, owner.data, name, at, set())


def _plain(walker: Any, instance: Instance, name: str, at: ast.AST, seen: set[str]) -> None:
    from migrate.programs.graph.datasets import plain

    if name in seen:
        return
    seen.add(name)
    member = bases.find(walker, instance.node, name)
    symbol = instance.attrs.get(name)
    if symbol is not None or member is None:
        if symbol is None and properties.fixed(walker, instance, name):
            return
        if symbol is None or symbol.value.kind is not Kind.HOST:
            raise Blocked(at, f"a method that is mapped uses `{name}` of its object")
        return
    if member.decorator_list and properties.of_host(walker, instance, member):
        return
    if member.decorator_list or not member.args.args:
        raise Blocked(at, f"`{name}`, a method that is mapped, has a decorator or no self")
    plain(walker, Function(member, walker.module_frame(member)), set())
    own = member.args.args[0].arg
    inside: set[int] = set()
    for node in walk(member):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == own:
                inside.add(id(node.value))
                if not isinstance(node.ctx, ast.Load):
                    raise Blocked(at, f"`{name}`, a method that is mapped, sets `{node.attr}`")
                _plain(walker, instance, node.attr, at, seen)
    names = [n for n in walk(member) if isinstance(n, ast.Name) and n.id == own]
    if any(id(n) not in inside for n in names):
        raise Blocked(at, f"`{name}`, a method that is mapped, hands its object on")
