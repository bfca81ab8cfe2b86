"""Moving averages among all variables of a graph: ``for v in tf.global_variables(): …``.

TF 1's averages are variables of the graph, from where they are first kept on. TF 2's are their
object's: ``[v, averages.average(v)]``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked

REASON = "all variables, moving averages among them"


def beside(walker: Any, node: ast.expr) -> list[tuple[str, ast.Call]]:
    """Whose averages stand behind a list of all variables, by their names, and who lists them.

    Raises:
        Blocked: they do, and the list is more than gone through.
    """
    kept = [
        call
        for key, call in walker.averages.items()
        if id(walker.kept["averages", key]) not in walker.forgotten
    ]
    stmt = walker.stmt
    through = isinstance(stmt, ast.For) and stmt.iter is node
    found = []
    for call in kept:
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        told = through and len(kept) == 1 and _names(walker, call) is not None
        symbol = walker.frame.env.get(owner.id) if isinstance(owner, ast.Name) else None
        if symbol is None or getattr(symbol.value.data, "scoped", True) or not told:
            raise Blocked(node, REASON)
        found.append((symbol.name, call))
    return found


def written(writer: Any, kept: list[tuple[str, ast.Call]]) -> list[str]:
    """The items of a list that such averages are.

    Raises:
        Blocked: no run brings them up to date, so that they aren't made.
    """
    found = []
    for owner, call in kept:
        if not any(call in walk(step.node) for step in writer.module.moving):
            raise Blocked(call, REASON)
        found += [f"{owner}.average({name})" for name in _names(writer.walker, call) or ()]
    return found


def _names(walker: Any, call: ast.Call) -> list[str] | None:
    """The names of the variables whose averages are kept; None where these aren't seen."""
    if len(call.args) != 1 or call.keywords:
        return None
    (listed,) = call.args
    if isinstance(listed, ast.List):
        plain = all(isinstance(n, ast.Name) for n in listed.elts)
        return list(map(ast.unparse, listed.elts)) if plain else None
    entries = walker.listed.get(id(listed))
    if entries is None or any(e.ref is None or e.layer or e.looped or e.when for e in entries):
        return None
    return [str(e.ref) for e in entries]
