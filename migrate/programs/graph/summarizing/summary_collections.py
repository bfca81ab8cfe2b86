"""Summaries in collections of their own: ``collections=["train"]`` and ``merge_all("train")``."""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph import constants
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked

USUAL = "summaries"
KEY = T + "GraphKeys.SUMMARIES"
ALL = frozenset({USUAL})


def put(walker: Any, node: ast.expr | None) -> frozenset[str]:
    """The collections that a summary is put into.

    Raises:
        Blocked: they aren't seen.
    """
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return ALL
    if not isinstance(node, (ast.List, ast.Tuple)):
        raise Blocked(node, "a summary in collections that aren't seen")
    return frozenset(key(walker, item) for item in node.elts)


def key(walker: Any, node: ast.expr | None) -> str:
    """The name of one collection.

    Raises:
        Blocked: it isn't seen.
    """
    if node is None or walker.endpoints.get(id(node)) == KEY:
        return USUAL
    text = constants.text_of(node, walker.program())
    if text is None:
        raise Blocked(node, "a collection of summaries that isn't seen")
    return text


def of(walker: Any, name: str) -> list[Any]:
    """The summaries so far in a collection."""
    return [
        item
        for item in walker.kept.get("summaries", ())
        if name in getattr(item, "collections", ALL)
    ]
