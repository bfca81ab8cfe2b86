"""Dicts of dicts of variables: ``params[name] = {}`` and ``params[name]["w"] = tf.Variable(…)``.

They stay where they are made; functions look the variables up.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.feeding import feeds
from migrate.programs.graph.model import Blocked, Kind, Value

INNER = Value(Kind.VARIABLE, "container")


def put(walker: Any, container: ast.expr, value: Value, node: ast.AST) -> bool:
    """Whether a container gets a variable in a dict of its own, or the next such dict.

    Raises:
        Blocked: it has variables beside such dicts.
    """
    owner = walker.expression(container)
    if owner.each is INNER:
        if value.kind is Kind.HOST and value.data == feeds.EMPTY:
            return True
        if value is not INNER:
            raise Blocked(node, "a dict of dicts of variables gets something else")
    if not isinstance(container, ast.Subscript) or value.kind is not Kind.VARIABLE:
        return False
    outer = walker.expression(container.value)
    began = outer.node.value if isinstance(outer.node, ast.Assign) else None
    if not isinstance(began, ast.Dict) or began.keys or not _single(value):
        return False
    if outer.kind is not Kind.HOST and outer.each is not INNER:
        return False  # a dict of variables, of lists …
    walker.host(container.slice)
    walker.mutate(container.value, INNER, container)
    walker.expression(container.value).each = INNER
    return True


def whole(value: Value, node: ast.AST) -> None:
    """See that a dict of dicts isn't gone through as one of variables.

    Raises:
        Blocked: it is.
    """
    if value.each is INNER:
        raise Blocked(node, "a dict of dicts of variables is gone through")


def _single(value: Value) -> bool:
    return value.items is None and value.each is None and value.data != "container"
