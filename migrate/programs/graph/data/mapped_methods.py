"""Methods that a dataset maps, ``dataset.map(self.parse)``: they compute from what Python has."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.made import Function
from migrate.programs.graph.model import Blocked, Instance, Kind, Value, described
from migrate.programs.graph.objects import bases, properties


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


def inside(walker: Any, node: ast.AST, name: str, value: Value) -> None:
    """See that a function that is mapped, of a method, reads only such of the method's object.

    Raises:
        Blocked: it reads more, or it isn't known which object that is.
    """
    known = value.kind is Kind.OBJECT and isinstance(value.data, Instance) and value.each is None
    if not known:
        raise Blocked(node, f"a function that is mapped uses the {value.kind.value} `{name}`")
    parts = [n for n in all_of(node, ast.Attribute) if _is(n.value, name)]
    if len(parts) != sum(_is(n, name) for n in walk(node)):
        raise Blocked(node, f"a function that is mapped hands `{name}` on")
    for part in parts:
        if not isinstance(part.ctx, ast.Load):
            raise Blocked(part, f"a function that is mapped sets `{part.attr}`")
        _plain(walker, value.data, part.attr, part, set())


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _plain(walker: Any, instance: Instance, name: str, at: ast.AST, seen: set[str]) -> None:
    from migrate.programs.graph.data.datasets import plain

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
    if [ast.unparse(d) for d in member.decorator_list] == ["staticmethod"]:
        plain(walker, Function(member, walker.module_frame(member)), set())
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
    names = [n for n in all_of(member, ast.Name) if n.id == own]
    if any(id(n) not in inside for n in names):
        raise Blocked(at, f"`{name}`, a method that is mapped, hands its object on")
