"""Lists of tensors under two names: ``h = hidden``, and then ``hidden.append(t)``.

A run that reads the second name would be given the list as it was. The name means nothing that is
followed from then on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.programs.graph.model import Instance, Kind, Symbol, Value

Place = tuple[dict[str, Symbol], str]  # where a name is kept, and the name
KEY = ("lists' names",)


def noted(walker: Any, stmt: ast.Assign) -> None:
    """Remember which names an assignment gives to lists that have some already."""
    if walker.frame.region is None:
        return  # of a function that stays as it is
    known: dict[Symbol, list[Place]] = walker.kept.setdefault(KEY, {})
    places = [p for p in (_place(walker, t) for t in stmt.targets) if p is not None]
    if len(stmt.targets) > 1 and isinstance(stmt.value, ast.List):
        known |= {env[name]: places for env, name in places}
    for node in _whole(stmt.value):
        symbol = _symbol(walker, node)
        place = _place(walker, node)
        if symbol is None or place is None or not _list(symbol.value):
            continue
        group = known.setdefault(symbol, [place])
        group += places
        known |= {env[name]: group for env, name in places}


def grown(walker: Any, container: ast.expr) -> None:
    """A list gets longer: its other names mean something else than what they were bound to."""
    own = _place(walker, container)
    for env, name in walker.kept.get(KEY, {}).pop(_symbol(walker, container), ()):
        if env[name].step is walker.sink:
            continue  # a loop that goes as a whole
        if own is None or env is not own[0] or name != own[1]:
            env[name] = Symbol(name, walker.sink, Value(Kind.OTHER, "mixed"), env[name].attribute)


def _list(value: Value) -> bool:
    """Whether a value is a list that may get tensors."""
    if value.kind is Kind.HOST:
        return isinstance(value.node, ast.Assign)
    return value.kind is Kind.TENSOR and (value.items is not None or value.data == "container")


def _whole(node: ast.expr) -> Iterator[ast.Name | ast.Attribute]:
    """The names that an expression gives, or has in what it gives."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        yield node
    elif isinstance(node, (ast.Tuple, ast.List)):
        for item in node.elts:
            yield from _whole(item)
    elif isinstance(node, ast.Dict):
        for item in node.values:
            yield from _whole(item)
    elif isinstance(node, ast.IfExp):
        yield from _whole(node.body)
        yield from _whole(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for item in node.values:
            yield from _whole(item)


def _symbol(walker: Any, node: ast.expr) -> Symbol | None:
    known = walker.meant if isinstance(node, ast.Name) else walker.attributes
    found: Symbol | None = known.get(id(node))
    return found


def _place(walker: Any, node: ast.expr) -> Place | None:
    if isinstance(node, ast.Name):
        return (walker.frame.env, node.id) if node.id in walker.frame.env else None
    if isinstance(node, ast.Attribute):
        owner = walker.expression(node.value).data
        if isinstance(owner, Instance) and node.attr in owner.attrs:
            return owner.attrs, node.attr
    return None
