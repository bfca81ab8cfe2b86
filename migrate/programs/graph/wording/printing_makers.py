"""Functions that compute and print Python's values: they print where what computes is made.

``def pool(i, x): print("layer", i); return tf.nn.max_pool(x, …)`` prints while the graph is built.
It is followed as one that makes variables is: `pool(4)` prints, and gives the function of `x`.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.mixed_branches import PRINTS


def asked(walker: Any, error: Blocked) -> int | None:
    """The line of a function that can't be followed as it prints; None for another reason."""
    if type(error) is not Blocked or id(error.node) not in walker.kept.get(PRINTS, ()):
        return None
    tree = walker.files.at(error.node).tree
    homes = all_of(tree, ast.FunctionDef)
    homes = [n for n in homes if holds(n, error.node)]
    inner = max(homes, key=lambda n: n.lineno, default=None)
    if inner is None or inner.decorator_list or inner.name == "__init__" or walker.runs(inner):
        return None
    return inner.lineno


def is_one(walker: Any, node: ast.AST) -> bool:
    """Whether a function is followed so."""
    return isinstance(node, ast.FunctionDef) and node.lineno in walker.printing


def empty(walker: Any, layer: Any) -> bool:
    """Whether what a call makes has no variables: it was made for what it prints."""
    if layer.factory is None or not is_one(walker, layer.factory):
        return False
    region = walker.entered[id(layer.factory)]
    return not region.owned and not region.shaped
