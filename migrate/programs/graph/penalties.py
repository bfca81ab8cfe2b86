"""Regularization losses: what the layers of a graph add to ``REGULARIZATION_LOSSES``.

A layer's penalty is read from the layer, and so wherever its variables are there.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph import repeated
from migrate.programs.graph.made import Layer, family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Value

LOSSES = T + "losses."


def penalized(walker: Any, node: ast.AST) -> list[Layer]:
    """The layers so far that have a penalty, in order; the statement needs them.

    Raises:
        Blocked: one of them isn't seen from here.
    """
    if walker.frame.region is None or walker.nested:
        raise Blocked(node, "regularization losses in a loop, a branch or a helper")
    found = []
    for region in walker.regions:
        for step in region.steps:
            for n in ast.walk(step.node) if not step.drop else ():
                layer = walker.layers.get(id(n))
                if layer is None or layer.same is not None or id(n) in walker.past:
                    continue
                if not _has_penalty(layer):
                    continue
                if any(
                    isinstance(b, (ast.For, ast.If)) for b in repeated.chain(step.node, n) or ()
                ):
                    raise Blocked(node, "the regularization losses of layers in a loop or a branch")
                if region is not walker.frame.region:
                    raise Blocked(node, "the regularization losses of layers in a function")
                found.append(layer)
                if step is not walker.sink:
                    walker.sink.after.append(step)
    for key, made in walker.made.items():
        if key in walker.past:
            continue
        regularizer = made.given.get("regularizer")
        if regularizer is not None and not _none(regularizer):
            raise Blocked(node, "the regularization losses of single variables")
    return found


def _has_penalty(layer: Layer) -> bool:
    given = layer.given | (layer.norm.given if layer.norm is not None else {})
    return any(k.endswith("regularizer") and not _none(v) for k, v in given.items())


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _penalized(layer: Layer, names: list[str]) -> list[str]:
    """Those of a layer's objects that have a penalty."""
    return names[: 1 if layer.norm is not None and not layer.norm.alone else None]


def listed(walker: Any, node: ast.Call) -> Value:
    """``tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)``, as a list of tensors."""
    layers = penalized(walker, node)
    if not layers:
        raise Blocked(node, "no regularization losses are seen here")

    def written(writer: Any) -> str:
        parts = [name for la in layers for name in _penalized(la, writer.layers[id(la.call)])]
        if len(parts) == 1:
            return f"{parts[0]}.losses"
        return f"[{', '.join(f'*{name}.losses' for name in parts)}]"

    walker.rewrites[id(node)] = written
    return Value(Kind.TENSOR, "container")


@family(LOSSES + "get_regularization_losses")
def _losses(walker: Any, name: str, node: ast.Call) -> Value:
    if walker.bound(name, node):
        raise Blocked(node, "the regularization losses of a scope")
    return listed(walker, node)


@family(LOSSES + "get_regularization_loss")
def _loss(walker: Any, name: str, node: ast.Call) -> Value:
    if set(walker.bound(name, node)) - {"name"}:
        raise Blocked(node, "the regularization loss of a scope")
    listed(walker, node)
    inner = walker.rewrites[id(node)]
    walker.rewrites[id(node)] = lambda writer: f"{writer.tf}.add_n({inner(writer)})"
    return Value(Kind.TENSOR)
