"""Layers without names that are used again: which variables these are, TF 1's counters say.

``tf.layers.dense(x, n, reuse=True)`` without a name is the scope's first one (1.15.5's
tensorflow/python/layers/base.py, `_set_scope`). In a scope that isn't opened anew each further one
has a new name, whatever `reuse` says.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, children, holds, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.made import Layer
from migrate.programs.graph.meaning import SCOPES, T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.scoping import layers_reuse

NAMED = layers_reuse.NAMED
STATELESS = (*layers_reuse.STATELESS, "dropout")
REASON = "layers without names that are used again"


def check(walker: Any, layer: Layer) -> None:
    """See that a layer of a function that is told `reuse` itself is the only one without a name.

    Raises:
        Blocked: there are others of its kind, which the first one's variables may be for.
    """
    if not layer.endpoint.startswith(T + "layers.") or NAMED & set(layer.given):
        return
    said = layer.given.get("reuse")
    if said is None or (isinstance(said, ast.Constant) and not said.value):
        return
    alike = [
        n
        for module in walker.files.order
        if module.tree is not None
        for n in all_of(module.tree, ast.Call)
        if walker.endpoints.get(id(n.func)) == layer.endpoint
        if not any(k.arg in NAMED for k in n.keywords)
    ]
    if len(alike) > 1:
        raise Blocked(layer.call, REASON)


def called(walker: Any, layer: Layer, other: Layer) -> None:
    """See that a second call of a function opens the scopes anew in which its layers count.

    Raises:
        Blocked: they count on from those of the first call.
    """
    assert layer.factory is not None
    opened = [s.opened for s in walker.scopes if not s.ops_only and s.opened is not None]
    place = opened[-1] if opened else None
    block = next(
        (
            n
            for n in all_of(walker.frame.node, ast.With)
            if any(i.context_expr is place for i in n.items)
        ),
        walker.frame.node,
    )
    inside = {id(n) for n in walk(block)}
    if id(other.call) not in inside or not bare(walker, layer.factory, set()):
        return
    if other.call is layer.call:
        loops = [n for n in walk(block) if isinstance(n, (ast.For, ast.While)) and n is not block]
        if not any(holds(loop, layer.call) for loop in loops):
            return  # the block stands in the loop
    raise Blocked(layer.call, REASON)


def bare(walker: Any, function: ast.AST, seen: set[int]) -> bool:
    """Whether a function makes layers without names outside of scopes of its own."""
    if id(function) in seen:
        return False
    seen.add(id(function))
    todo = list(children(function))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.With) and any(_scope(walker, i.context_expr) for i in node.items):
            continue
        if isinstance(node, ast.Call):
            name = walker.endpoints.get(id(node.func))
            named = any(k.arg in NAMED for k in node.keywords)
            if name in meaning.MAKING and not named and not name.endswith(STATELESS):
                return True
            callee = walker._module_function(node.func) if not name else None
            if callee is not None and bare(walker, callee, seen):
                return True
        todo += children(node)
    return False


def _scope(walker: Any, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) in SCOPES
