"""Lists that show a normalization's variables: TF 1 made the offset first, Keras the scale.

``for v in tf.trainable_variables(): print(sess.run(v))`` behind `tf.contrib.layers.layer_norm`.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.layering.layers import LASTING
from migrate.programs.graph.listing.collections import Owned
from migrate.programs.graph.made import Layer
from migrate.programs.graph.model import Blocked

SHOWING = frozenset({"run", "eval", "print", "numpy"})


def check(walker: Any, node: ast.AST, entries: list[Owned]) -> None:
    """See that nobody looks at the order of a list with such a normalization's variables.

    Raises:
        Blocked: a run or a loop does.
    """
    layers = [walker.layers.get(id(entry.layer)) for entry in entries]
    if any(_both(walker, layer) for layer in layers if layer is not None):
        if _shown(walker, node):
            raise Blocked(node, "the order of a normalization's variables is looked at")


def _both(walker: Any, layer: Layer) -> bool:
    """Whether a layer, or one that a function makes, is one with an offset and a scale."""
    if layer.factory is not None:
        inside = (walker.layers.get(id(n)) for n in walk(layer.factory))
        return any(_both(walker, one) for one in inside if one is not None and one is not layer)
    given = layer.given
    if layer.endpoint not in LASTING:
        if layer.norm is None or not layer.norm.kind:
            return False
        given = layer.norm.given
    flags = (given.get(name) for name in ("center", "scale"))
    return not any(isinstance(f, ast.Constant) and not f.value for f in flags)


def _shown(walker: Any, node: ast.AST) -> bool:
    """Whether a loop goes through a list, or a run or a print is given it."""
    names = {
        n.id
        for tree in walker.program()
        for stmt in all_of(tree, ast.Assign)
        if holds(stmt.value, node)
        for n in all_of(stmt, ast.Name)
        if isinstance(n.ctx, ast.Store)
    }

    def meant(part: ast.AST) -> bool:
        return any(n is node or (isinstance(n, ast.Name) and n.id in names) for n in walk(part))

    for tree in walker.program():
        if any(meant(loop.iter) for loop in all_of(tree, ast.For)):
            return True
        for call in all_of(tree, ast.Call):
            called = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            called = call.func.id if isinstance(call.func, ast.Name) else called
            if called in SHOWING and meant(call):
                return True
        for part in all_of(tree, ast.ListComp):
            calls = all_of(part.elt, ast.Call)
            shows = any(getattr(c.func, "attr", "") in SHOWING for c in calls)
            if shows and any(meant(g.iter) for g in part.generators):
                return True
    return False
