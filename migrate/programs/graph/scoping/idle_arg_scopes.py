"""`@slim.add_arg_scope` of functions that no arg_scope lists: they can do without."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.sizing.size_texts import trees
from migrate.programs.graph.wording.known_branches import span
from migrate.programs.graph.wording.spelled import Spelled, word

REASON = "a function whose arguments arg_scopes may give"


def check(walker: Any, target: ast.FunctionDef) -> None:
    """See whether a function has the decorator for nothing.

    Raises:
        Spelled: it has.
    """
    marks = [n for n in target.decorator_list if _is(walker, n, "framework.add_arg_scope")]
    if len(marks) != 1:
        return
    for tree in trees(walker):
        for call in all_of(tree, ast.Call):
            if not _is(walker, call.func, "framework.arg_scope") or not call.args:
                continue
            listed = getattr(call.args[0], "elts", None)
            if listed is None and call.keywords:
                return
            names = {getattr(n, "attr", getattr(n, "id", "")) for n in listed or ()}
            if target.name in names or "" in names:
                return
    (mark,) = marks
    end = (mark.end_lineno or 0, mark.end_col_offset or 0)
    whole = span((mark.lineno, mark.col_offset - 1), end)
    raise Spelled(target, REASON, [(whole, word(""))])


def _is(walker: Any, node: ast.AST, what: str) -> bool:
    name = str(walker.endpoints.get(id(node), "")).replace("contrib.slim.", "contrib.framework.")
    return name.endswith(what)
