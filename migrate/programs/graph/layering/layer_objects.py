"""`tf.layers.Dense` as an object: Keras's, made where it was, applied by hand or by a decoder.

It is held as a cell is, since it too is Python's and has its variables with its first call.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from migrate.programs.graph.layering import layer_classes
from migrate.programs.graph.listing.collections import Owned
from migrate.programs.graph.made import Layer, family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import RUNTIME, Blocked, Kind, Value
from migrate.programs.graph.recurrence.cells import Cells, Shape
from migrate.programs.graph.recurrence.recurrent import by_place, named, none
from migrate.programs.graph.scoping import scopes

DENSE = T + "layers.Dense"
KERNEL = (("kernel", "_kernel"), ("bias", "bias"))
LEAVES = {
    "Dense": KERNEL,
    **{f"Conv{d}D": KERNEL for d in (1, 2, 3)},
    **{f"Conv{d}DTranspose": (("kernel", "kernel"), ("bias", "bias")) for d in (2, 3)},
    **{
        f"SeparableConv{d}D": tuple(
            (n, n) for n in ("depthwise_kernel", "pointwise_kernel", "bias")
        )
        for d in (1, 2)
    },
}
GONE = ("_reuse", "_scope", "dtype", "kernel_constraint", "bias_constraint")


@family(*(f"{T}layers.{name}" for name in layer_classes.CLASSES))
def dense(walker: Any, endpoint: str, node: ast.Call) -> Value:
    """A layer as an object."""
    layer_classes.check(walker, endpoint, node)
    kind = endpoint.rpartition(".")[2]
    function = T + "layers." + layer_classes.function(kind)
    given = walker.bound(endpoint, node)
    walker.stateful = True
    for argument in given:
        gone = argument in GONE or argument.endswith("_regularizer")
        if gone and not none(given[argument]):
            raise Blocked(given[argument], f"`{argument}` of tf.layers.{kind}")
    layer = Layer(function, node, given, {})
    walker.layer_values(layer)
    own, bias, trained = (given.get(a) for a in ("name", "use_bias", "trainable"))
    if bias is not None and not isinstance(bias, ast.Constant):
        raise Blocked(bias, f"`use_bias` of tf.layers.{kind} is computed")
    if trained is not None and not (isinstance(trained, ast.Constant) and trained.value):
        raise Blocked(trained, f"an object of tf.layers.{kind} that isn't trained")
    said = own.value if isinstance(own, ast.Constant) else None
    name = layer_classes.function(kind) if own is None or none(own) else said
    bare = bias is not None and not bias.value
    leaves = tuple(pair for pair in LEAVES.get(kind, ()) if not (bare and pair[0] == "bias"))
    shape = Shape(kind, name, None, leaves) if isinstance(name, str) else None
    walker.created.append(None)
    walker.rewrites[id(node)] = lambda writer: writer.module.recurrent.dense(layer, writer)
    return Value(Kind.HOST, Cells(frozenset({kind}), {}, True, shape, kind="layer"), node=node)


def called(walker: Any, owner: Value, node: ast.Call) -> Value:
    """A layer that is called by hand.

    Raises:
        Blocked: in a loop, or with more than its inputs.
    """
    given = by_place(node, ("inputs",))
    if "inputs" not in given or walker.expression(given["inputs"]).kind not in RUNTIME:
        raise Blocked(node, "the inputs of a layer aren't a tensor")
    kind = next(iter(owner.data.names))
    if kind not in LEAVES:  # it has no variables
        seen(walker, node.func, owner, node)
        return Value(Kind.TENSOR)
    if walker.nested:
        raise Blocked(node, "a layer that is called in a loop or a branch")
    shape: Shape | None = owner.data.shape
    scope: str | None = None
    if shape is not None and id(owner.data) not in walker.kept.get("cell scopes", {}):
        # An object's own name gets a number too.
        full = walker.naming.layer(node, None, shape.name)
        scope, _, name = full.rpartition("/") if full is not None else (None, "", "")
        owner.data.shape = replace(shape, name=name) if full is not None else None
    applied(walker, node, owner, node.func, scope if scope is not None else "{}")
    return Value(Kind.TENSOR)


def applied(walker: Any, node: ast.Call, layer: Value, place: ast.expr, scope: str) -> None:
    """A layer is applied: it has its variables with the first call, in the scope open there.

    Raises:
        Blocked: they would be another layer's, or its name means something else here.
    """
    scopes.plain(walker, node)
    data = layer.data
    known = walker.kept.setdefault("applied layers", {})
    where = walker.kept.setdefault("cell scopes", {}).setdefault(id(data), [])
    if not where:
        if any(s.reuse for s in walker.scopes):
            raise Blocked(node, "a layer that finds its variables")
        first = walker.kept.setdefault("layer scopes", {}).setdefault((scope, data.shape), data)
        if first is not data:
            raise Blocked(node, "two layers of one name in a scope")
        where.append((None if "{" in scope else scope, walker.naming.place(node)))
    seen(walker, place, layer, node)
    if id(node) in known:
        if known[id(node)][0][0] is not data:
            raise Blocked(node, "one call applies several layers")
        return
    known[id(node)] = ([data], scope, False)
    walker.kept.setdefault("held cells", []).append((place, data, walker.frame))
    cell = place if walker.frame.region is not None else None
    walker.owned.append(Owned(None if "{" in scope else scope, None, cell=cell))


def seen(walker: Any, place: ast.expr, value: Value, node: ast.AST) -> None:
    """What is applied must have its name here.

    Raises:
        Blocked: the name means something else.
    """
    if isinstance(place, ast.Call):
        return
    symbol = named(walker, place)
    if symbol is None or symbol.value.data is not value.data:
        raise Blocked(node, f"`{ast.unparse(place)}` means something else here")
