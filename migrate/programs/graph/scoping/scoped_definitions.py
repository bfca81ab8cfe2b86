"""Functions that are defined in a scope of a function that makes layers: they stand above it.

A scope counts where a function is called, not where it is defined.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import holds, walk
from migrate.programs.graph.wording.spelled import Source, Spelled

REASON = "a function that makes layers is defined in a scope"


def check(walker: Any, stmt: ast.FunctionDef) -> None:
    """See whether a function's definition stands in a `with` of the function at hand.

    Raises:
        Spelled: it does, and may stand above it.
    """
    region, scope = walker.frame.region, walker.frame.node
    if region is None or region.inputs is None or region.node is not scope or walker.nested:
        return
    outer = next((s for s in scope.body if holds(s, stmt)), None)
    if not isinstance(outer, ast.With) or stmt.decorator_list or not walker._variables_made(stmt):
        return
    told = [d for d in (*stmt.args.defaults, *stmt.args.kw_defaults) if d is not None]
    if not all(isinstance(d, ast.Constant) for d in told):
        return
    names = [n for n in walk(scope) if getattr(n, "id", getattr(n, "name", "")) == stmt.name]
    if any(n is not stmt and not isinstance(getattr(n, "ctx", None), ast.Load) for n in names):
        return
    less = stmt.col_offset - outer.col_offset

    def lines(source: Source) -> list[str]:
        first, *rest = source(stmt).split("\n")
        return ["\n".join([first, *(n[less:] if n[:less].isspace() else n for n in rest)])]

    texts = [n for n in walk(stmt) if isinstance(n, (ast.Constant, ast.JoinedStr))]
    if not any(n.lineno != n.end_lineno for n in texts):
        raise Spelled(stmt, REASON, [(stmt, lambda _: "")], [(outer, lines)])
