"""``del outputs``: a name of a part of the graph that nobody reads any more.

The graph keeps what it named; without the statement, it is the same program.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked, Kind
from migrate.programs.graph.wording.spelled import Spelled, word

REASON = "a part of the graph is deleted"
INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
LOOKS = frozenset({"globals", "locals", "vars", "dir", "eval", "exec"})


def check(walker: Any, stmt: ast.Delete) -> None:
    """See whether what is deleted is Python's, or a name that isn't read behind it.

    Raises:
        Spelled: all of it is names that aren't read.
        Blocked: a part of the graph is, and may be read.
    """
    values = [walker.expression(target) for target in stmt.targets]
    if all(value.kind is Kind.HOST for value in values):
        return
    scope = walker.frame.node
    plain = not walker.nested and not walker.loops and not isinstance(scope, ast.Lambda)
    targets = [t.id for t in stmt.targets if isinstance(t, ast.Name)]
    if plain and len(targets) == len(values) and not _read(scope, stmt, set(targets)):
        raise Spelled(stmt, REASON, [(stmt, word(""))])
    raise Blocked(stmt, REASON)


def _read(scope: ast.AST, stmt: ast.Delete, names: set[str]) -> bool:
    """Whether names are read or bound behind a statement, or by what may run then."""
    hidden = [n for n in walk(scope) if isinstance(n, INNER) and n is not scope]
    inside = {id(n) for inner in hidden for n in walk(inner)}
    for node in walk(scope):
        if isinstance(node, ast.Name):
            later = node.lineno > stmt.lineno or id(node) in inside
            if (node.id in names and later) or node.id in LOOKS:
                return True
        elif isinstance(node, (ast.Global, ast.Nonlocal)) and names & set(node.names):
            return True
    return False
