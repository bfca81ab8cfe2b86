"""What functions of layers are applied to has a shape that all of their calls agree on.

Layers whose variables are read before their first call are built with it, inside the function.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.made import Layer
from migrate.programs.graph.making import repeated
from migrate.programs.graph.model import Blocked, Kind
from migrate.programs.graph.sizing import plain_dims, shapes, told_shapes

KEPT = "given shapes"
REASON = "all variables of layers, which are made at their first call"


def note(walker: Any, layer: Layer, node: ast.AST) -> None:
    """Remember which shapes a function is given at its calls so far.

    Raises:
        Blocked: they aren't seen, or differ.
    """
    target = layer.factory
    assert target is not None
    region = walker.entered[id(target)]
    if not region.owned or region.shaped:
        raise Blocked(node, REASON)
    given = _given(walker, layer)
    if given is None:
        raise Blocked(node, REASON)
    walker.kept.setdefault(KEPT, {})[id(target)] = given
    for symbol in region.inputs:
        if symbol.name in given:
            walker.kept.setdefault("input shapes", {})[symbol] = given[symbol.name]
    for key, other in walker.layers.items():
        if other.factory is target and key not in walker.past:
            same(walker, other)


def same(walker: Any, layer: Layer) -> None:
    """A call of such a function gives it the same shapes as the others.

    Raises:
        Blocked: it doesn't.
    """
    known = walker.kept.get(KEPT, {}).get(id(layer.factory))
    if layer.same is not None:
        return  # it makes none: TF 1 has seen to it that the shapes agree
    if known and _given(walker, layer) != known:
        raise Blocked(layer.call, "layers that are built for another shape before")


def _given(walker: Any, layer: Layer) -> dict[str, list[str]] | None:
    """The shapes of what a call gives its function, by parameter; None where one isn't plain."""
    target = layer.factory
    assert target is not None
    func = layer.call.func
    method = isinstance(func, ast.Attribute) and ast.unparse(func.value) == "self"
    method = method and getattr(func, "attr", "") == target.name  # of the same object
    method = method or _inner(walker, target, layer.call)
    found: dict[str, list[str]] = {}
    for name, value in zip(layer.keywords, layer.tensors, strict=True):
        if walker.entered[id(target)].kinds.get(name) is not Kind.TENSOR:
            continue
        shape = shapes.dims(walker, value)
        owner = value.value if isinstance(value, ast.Attribute) else None
        own = method and (owner is None or ast.unparse(owner) == "self")  # not another object's
        if shape is None:
            continue  # it may be that no layer is applied to it as it is
        if method:
            shape = [_kept(walker, layer.call, d) for d in shape]
        if not all(plain_dims.plain(walker, target, d, own) for d in shape):
            shape = told_shapes.of(walker, value)
            if shape is None:
                return None
        found[name] = shape
    return found


def _inner(walker: Any, target: ast.FunctionDef, call: ast.Call) -> bool:
    """Whether a function stands in the method that calls it, whose `self` it sees."""
    for n in walk(walker.files.at(target).tree):
        if isinstance(n, ast.FunctionDef) and n is not target and n.args.args:
            nodes = list(walk(n)) if n.args.args[0].arg == "self" else []
            if target in nodes and call in nodes:
                return "self" not in [a.arg for a in all_of(target, ast.arg)]
    return False


def _kept(walker: Any, call: ast.Call, dim: str) -> str:
    """The attribute in which a method's object keeps one of its arguments, where there is one."""
    steps = (s for r in walker.regions for s in r.steps if not s.drop)
    home = next((s.function for s in steps if repeated.stands(call, s.node)), None)
    method = home or walker.frame.node
    if not isinstance(method, ast.FunctionDef) or not dim.isidentifier():
        return dim
    stores = [
        n for n in all_of(method, ast.Name) if n.id == dim and not isinstance(n.ctx, ast.Load)
    ]
    if stores or dim not in {a.arg for a in method.args.args} or method.name != "__init__":
        return dim
    if any(scope is not method for scope in plain_dims.read_in(walker, dim)):
        return dim  # it may be another one of that name
    for stmt in method.body:
        if not isinstance(stmt, ast.Assign) or stmt.lineno >= call.lineno or len(stmt.targets) > 1:
            continue
        pairs = [(stmt.targets[0], stmt.value)]
        if isinstance(stmt.targets[0], ast.Tuple) and isinstance(stmt.value, ast.Tuple):
            pairs = list(zip(stmt.targets[0].elts, stmt.value.elts, strict=False))
        for target, value in pairs:
            said = ast.unparse(target)
            if isinstance(value, ast.Name) and value.id == dim and said.startswith("self."):
                if plain_dims.once(walker, target, getattr(target, "attr", "")):
                    return said
    return dim
