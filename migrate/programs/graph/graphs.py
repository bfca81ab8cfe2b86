"""`tf.reset_default_graph`: what was built before belongs to no session that comes after."""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.walk import T, Walker, family


@family(T + "reset_default_graph")
def reset_default_graph(walker: Walker, name: str, node: ast.Call) -> Value:
    """A new graph: its variables, summaries and sessions are other ones."""
    walker.arguments(node)
    if walker.frame.region is not None and not walker.nested and not walker.loops:
        walker.forget()
    return Value(Kind.SETTING, name, node=node)
