"""``tf.trainable_variables()[len(self.params):]``: the variables that came after some others.

An agent's nets list what they have made so, and a critic what isn't the actor's,
``tf.trainable_variables()[num_actor_vars:]``. Where the number is seen to be that of all variables
before, the list is of what came then.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds
from migrate.programs.graph.listing import object_variables
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Value
from migrate.programs.graph.objects import bases
from migrate.programs.graph.wording import known_branches

KERNELS = frozenset({"dense", "conv1d", "conv2d", "conv3d", "conv2d_transpose"})
DEPTH = 12


def found(walker: Any, node: ast.Subscript) -> Value | None:
    """The list of the last ones; None where the number, or which ones these are, isn't seen."""
    from migrate.programs.graph.listing import collections

    cut, whole = node.slice, node.value
    if not isinstance(cut, ast.Slice) or cut.lower is None or cut.upper or cut.step:
        return None
    if not isinstance(whole, ast.Call) or whole.args or whole.keywords:
        return None
    if walker.endpoints.get(id(whole.func)) != T + "trainable_variables":
        return None
    if walker.frame.region is None or walker.nested or walker.loops:
        return None
    try:
        entries = [o for o in object_variables.seen(walker, node) if o.trained]
    except Blocked:
        return None
    before = _count(walker, cut.lower, walker.frame.node, DEPTH)
    while before and entries:
        size = _size(walker, entries.pop(0))
        before = before - size if size is not None else None
    if before != 0 or not entries or any(o.owner for o in entries):
        return None
    return collections.listed(walker, node, entries)


def _size(walker: Any, entry: Any) -> int | None:
    """How many trained variables an entry is."""
    if entry.cell is not None or entry.looped is not None or entry.when is not None:
        return None
    if entry.layer is None:
        return 1
    layer = walker.layers.get(id(entry.layer))
    if layer is None:
        return None
    if layer.factory is not None:
        inner = walker.entered.get(id(layer.factory))
        sizes = [_size(walker, o) for o in inner.owned if o.trained] if inner is not None else []
        known = [s for s in sizes if s is not None]
        return sum(known) if sizes and len(known) == len(sizes) else None
    if not layer.endpoint.startswith(T + "layers."):
        return None
    if layer.endpoint.rpartition(".")[2] not in KERNELS:
        return None
    bias = layer.given.get("use_bias")
    if bias is None:
        return 2
    return 1 + bool(bias.value) if isinstance(bias, ast.Constant) else None


def _count(walker: Any, node: ast.expr | None, scope: ast.AST, depth: int) -> int | None:
    """The number that an expression of a function is, as far as lists of variables tell."""
    if not depth or node is None:
        return None
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [_count(walker, n, scope, depth - 1) for n in (node.left, node.right)]
        return parts[0] + parts[1] if parts[0] is not None and parts[1] is not None else None
    cls = next((c for c in all_of(walker.tree, ast.ClassDef) if scope in c.body), None)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "len" and len(node.args) == 1:
        return _length(walker, node.args[0], scope, cls)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _given(walker, node, depth)
    if isinstance(node, ast.Name) and isinstance(scope, ast.FunctionDef):
        return _argument(walker, node.id, scope, depth)
    if isinstance(node, ast.Attribute) and cls is not None:
        stmt = _kept(cls, node, scope)
        if stmt is not None:
            return _count(walker, stmt[0].value, stmt[1], depth - 1)
    return None


def _length(walker: Any, node: ast.expr, scope: ast.AST, cls: ast.ClassDef | None) -> int | None:
    """How many variables a list has that stands in a name or an attribute."""
    value: ast.expr | None = None
    if isinstance(node, ast.Attribute) and cls is not None:
        stmt = _kept(cls, node, scope)
        value = stmt[0].value if stmt is not None else None
    elif isinstance(node, ast.Name):
        made = [s for s in all_of(scope, ast.Assign) if ast.unparse(s.targets[0]) == node.id]
        stores = [n for n in all_of(scope, ast.Name) if n.id == node.id and _stored(n)]
        value = made[0].value if len(made) == len(stores) == 1 else None
    sizes = [_size(walker, o) for o in walker.listed.get(id(value), ())]
    known = [s for s in sizes if s is not None]
    return sum(known) if sizes and len(known) == len(sizes) else None


def _kept(
    cls: ast.ClassDef, node: ast.Attribute, scope: ast.AST
) -> tuple[ast.Assign, ast.FunctionDef] | None:
    """The one statement of a class that sets an attribute of its object, and its method."""
    if not isinstance(scope, ast.FunctionDef) or not scope.args.args:
        return None
    if ast.unparse(node.value) != scope.args.args[0].arg:
        return None
    stores = [n for n in all_of(cls, ast.Attribute) if n.attr == node.attr and _stored(n)]
    for method in bases.methods(cls):
        for stmt in all_of(method, ast.Assign):
            if [*stmt.targets] == stores and ast.unparse(stmt.targets[0]) == ast.unparse(node):
                return stmt, method
    return None


def _given(walker: Any, call: ast.Call, depth: int) -> int | None:
    """What a method gives that only returns a number: ``actor.get_num_trainable_vars()``."""
    assert isinstance(call.func, ast.Attribute)
    name = call.func.attr
    found = [f for f in all_of(walker.tree, ast.FunctionDef) if f.name == name]
    if len(found) != 1 or call.args or call.keywords or found[0].decorator_list:
        return None
    body = found[0].body[ast.get_docstring(found[0]) is not None :]
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return None
    return _count(walker, body[0].value, found[0], depth - 1)


def _argument(walker: Any, name: str, scope: ast.FunctionDef, depth: int) -> int | None:
    """What the one call of a function gives it."""
    if any(n.id == name and _stored(n) for n in all_of(scope, ast.Name)):
        return None
    calls = known_branches.every(walker, scope)
    if len(calls) != 1:
        return None
    value = known_branches.place(scope, calls[0], name)
    functions = all_of(walker.tree, ast.FunctionDef)
    around = [f for f in functions if value is not None and holds(f, value)]
    return _count(walker, value, around[-1] if around else walker.tree, depth - 1)


def _stored(node: ast.Name | ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)
