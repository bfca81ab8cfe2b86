"""Functions that run a session and yield what it gives: they stay generators.

Their statements are done when somebody asks for the next value, in TF 1 as in TF 2. A generator
that builds a part of the graph, or starts variables anew, does that later than its call stands.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.model import HOST, Blocked, Region, Value
from migrate.programs.graph.own_nodes import own_nodes

REASON = "coroutines and generators aren't followed"


def yielded(walker: Any, node: ast.Yield | ast.YieldFrom) -> Value:
    """What a generator gives, Python's values.

    Raises:
        Blocked: the function that yields isn't one that runs a session, or gives tensors.
    """
    region, inner = walker.frame.region, walker.frame.node
    if region is None or inner is not region.node or not isinstance(inner, ast.FunctionDef):
        raise Blocked(node, REASON)
    if node.value is not None:
        walker.host(node.value)
    return HOST


def check(region: Region, started: bool, node: ast.AST) -> None:
    """See that a function that yields only runs what there is.

    Raises:
        Blocked: it builds, or starts something anew.
    """
    later = started or region.once or region.anew or region.gives is not None
    if later and any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in own_nodes(region.node)):
        raise Blocked(node, REASON)
