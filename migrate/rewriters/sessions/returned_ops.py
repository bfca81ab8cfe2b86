"""Lists of assignments that a function runs and returns: TF 1 gives what was assigned.

``return self.sess.run(self.ops)``: the function of TF 2 assigns and gives nothing, which is the
same to those who call it for its effect.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Kind, Site
from migrate.programs.graph.slices import Plan, has_value


def check(walker: Any, plan: Plan) -> None:
    """See that nobody asks for what was assigned.

    Raises:
        Blocked: a call is more than a statement.
    """
    for site in plan.sites:
        function = site.step.function if site.step is not None else None
        if not isinstance(function, ast.FunctionDef) or not _listed(site):
            continue
        named = [
            n for n in walk(walker.tree) if function.name in (getattr(n, "id", 0), _attribute(n))
        ]
        bare = {
            id(n.value.func) for n in all_of(walker.tree, ast.Expr) if isinstance(n.value, ast.Call)
        }
        if any(id(n) not in bare for n in named):
            what = f"what was assigned, which `{function.name}` returns, is asked for"
            raise Blocked(site.stmt, what)


def _listed(site: Site) -> bool:
    """Whether a statement returns what a list of ops gives, which isn't None."""
    fetch, stmt = site.fetch, site.stmt
    if not isinstance(stmt, ast.Return) or stmt.value is not site.node or has_value(fetch):
        return False
    return (
        fetch.items is None
        and fetch.value.kind is Kind.OP
        and fetch.value.data in (None, "assigns")
    )


def _attribute(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ""
