"""What functions of layers are applied to has a shape that all of their calls agree on.

Layers whose variables are read before their first call are built with it, inside the function.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph import shapes
from migrate.programs.graph.made import Layer
from migrate.programs.graph.model import Blocked, Kind

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
    if known is not None and _given(walker, layer) != known:
        raise Blocked(layer.call, "layers that are built for another shape before")


def _given(walker: Any, layer: Layer) -> dict[str, list[str]] | None:
    """The shapes of what a call gives its function, by parameter; None where one isn't plain."""
    target = layer.factory
    assert target is not None
    func = layer.call.func
    method = isinstance(func, ast.Attribute) and ast.unparse(func.value) == "self"
    found: dict[str, list[str]] = {}
    for name, value in zip(layer.keywords, layer.tensors, strict=True):
        if walker.entered[id(target)].kinds.get(name) is not Kind.TENSOR:
            continue
        shape = shapes.dims(walker, value)
        owner = value.value if isinstance(value, ast.Attribute) else None
        if owner is not None and ast.unparse(owner) != "self":
            method = False  # another object's
        if shape is None or not all(_plain(walker, target, d, method) for d in shape):
            return None
        found[name] = shape
    return found


def _plain(walker: Any, target: ast.FunctionDef, dim: str, method: bool) -> bool:
    """Whether a dimension means the same in a function as where it is called.

    It is a number, open, a constant of the module, or an attribute of the method's object.
    """
    if dim == shapes.OPEN or dim.isdigit() or (method and dim.startswith("self.")):
        return True
    tree = walker.files.at(target).tree
    bound = [n for n in ast.walk(tree) if dim in (getattr(n, "id", ""), getattr(n, "arg", ""))]
    stores = [n for n in bound if not isinstance(getattr(n, "ctx", None), ast.Load)]
    home = walker.module_frame(target).env.get(dim)
    return dim.isidentifier() and len(stores) == 1 and home is not None
