"""The scope that is open where a program asks for it, and what is asked of its variables.

``tf.get_variable_scope().reuse`` of a module, which its blocks tell: `True` or `False`.
``tf.get_variable_scope().reuse_variables()`` in no scope, behind all that makes variables.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds
from migrate.programs.graph.made import Scope
from migrate.programs.graph.model import Blocked

REASON = "`.reuse_variables()` of a variable scope isn't followed"
LOOPS = ("calls in loops that reuse variables",)  # cells keep theirs anyway
LATE = ("calls that reuse the variables of no scope",)


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


def late(walker: Any, node: ast.Call) -> bool:
    """Whether the variables of all scopes are to be found again from here on; none should be."""
    if walker.loops:
        walker.kept.setdefault(LOOPS, []).append((node, walker.sink.node))
        return True
    if node.args or node.keywords or walker.nested or not all(s.ops_only for s in walker.scopes):
        return False
    if walker.sink.node in getattr(walker.frame.node, "body", ()) and _module(walker):
        walker.scopes.insert(0, Scope("", False, True, None))  # until the end
    else:
        walker.kept.setdefault(LATE, []).append((node, len(walker.owned)))
    return True


def _module(walker: Any) -> bool:
    return isinstance(walker.frame.node, ast.Module) and not walker.scopes


def check(walker: Any) -> None:
    """See that nothing makes variables behind what would have them found again.

    Raises:
        Blocked: something does.
    """
    for node, owned in walker.kept.get(LATE, ()):
        if len(walker.owned) > owned:
            raise Blocked(node, REASON)
    for node, loop in walker.kept.get(LOOPS, ()):
        for entry in walker.owned:
            made = entry.layer or (entry.place and entry.place[1])
            if made is not None and holds(loop, made):
                raise Blocked(node, REASON)
