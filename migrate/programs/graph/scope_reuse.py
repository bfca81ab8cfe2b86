"""``tf.get_variable_scope().reuse`` of a module, which its blocks tell: `True` or `False`."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of


def told(walker: Any, node: ast.Attribute) -> bool:
    """Whether it is asked for, and is known; the answer is written, then."""
    modes = {s.reuse for s in walker.scopes}
    module = walker.frame.node
    if node.attr != "reuse" or not isinstance(module, ast.Module) or walker.loops:
        return False
    if walker.nested or not modes <= {True, False}:
        return False
    said = (n.attr for tree in walker.program() for n in all_of(tree, ast.Attribute))
    if "reuse_variables" in said:
        return False
    walker.rewrites[id(node)] = lambda _: str(True in modes)
    return True
