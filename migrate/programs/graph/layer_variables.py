"""Variables of layers in lists: Keras's have no `get_shape`, and `value` is no method of theirs."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked, Value

VARIABLES = "variables"  # a list of variables that exist once their layers have been called
LATE = "a late variable"  # one of them
SHAPES = ("shape", "get_shape")


def read(walker: Any, owner: Value, node: ast.Call) -> None:
    """``v.value()`` of what may be a layer's variable is the variable."""
    assert isinstance(node.func, ast.Attribute)
    variable = node.func.value
    if _may_be(walker, owner):
        walker.rewrites[id(node)] = lambda writer: str(writer.source(variable))


def shape(walker: Any, owner: Value, node: ast.Call | ast.Attribute) -> None:
    """The shape of what may be a layer's variable, a tuple in Keras, as TensorFlow has it."""
    read = node.func if isinstance(node, ast.Call) else node
    assert isinstance(read, ast.Attribute)
    variable = read.value
    if _may_be(walker, owner):
        walker.rewrites[id(node)] = lambda writer: (
            f"{writer.tf}.TensorShape({writer.source(variable)}.shape)"
        )


def late(owner: Value, node: ast.AST) -> None:
    """See that Python isn't told the shape of a variable that isn't there yet.

    Raises:
        Blocked: it is.
    """
    if owner.data == LATE:
        raise Blocked(node, "the shape of a layer's variable, which is made at the first call")


def asked(walker: Any) -> bool:
    """Whether the statement at hand asks for the shapes of what it goes through."""
    stmt = walker.stmt
    return isinstance(stmt, ast.stmt) and any(
        isinstance(n, ast.Attribute) and n.attr in SHAPES for n in walk(stmt)
    )


def _may_be(walker: Any, owner: Value) -> bool:
    """Whether a variable is one of a list, and layers have been made."""
    return bool(walker.layers) and not isinstance(owner.node, ast.Call)
