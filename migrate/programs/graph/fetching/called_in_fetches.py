"""``sess.run(tf.image.decode_png(file.read()))``: what a fetch calls is called above it."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.wording import spelled

READS = ("read", "readline", "readlines")


def apart(walker: Any, node: ast.AST, reason: str) -> None:
    """See whether a call of Python's in a fetch comes before all else in its statement.

    Raises:
        Spelled: it does, and gets a name above the statement.
    """
    around = [n for n in all_of(walker.stmt, ast.Call) if n is not node and holds(n, node)]
    if not isinstance(node, ast.Call) or not any(
        getattr(n.func, "attr", "") in ("run", "eval") for n in around
    ):
        return  # a part of what a function returns
    called = getattr(node.func, "attr", getattr(node.func, "id", ""))
    wish = "contents" if called in READS else f"{called}_result"
    holding = [n for n in walk(walker.stmt) if isinstance(n, ast.stmt) and holds(n, node)]
    spelled.first(walker, holding[-1], node, wish, reason)
