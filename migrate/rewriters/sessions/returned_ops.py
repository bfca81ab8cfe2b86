"""Lists of ops that are run: TF 1 gives what each of them gives, as what was assigned.

``return self.sess.run(self.ops)``: the function of TF 2 assigns and gives nothing, which is the
same to those who call it for its effect.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, named, walk
from migrate.programs.graph.model import Blocked, Kind, Site
from migrate.programs.graph.slices import Plan, has_value


def check(walker: Any, plan: Plan) -> None:
    """See that nobody asks for what a list of ops gives.

    Raises:
        Blocked: somebody may.
    """
    for site in plan.sites:
        if not _listed(site):
            continue
        function = site.step.function if site.step is not None else None
        if isinstance(site.stmt, ast.Return) and site.stmt.value is site.node:
            if isinstance(function, ast.FunctionDef) and _asked(walker, function):
                what = f"what was assigned, which `{function.name}` returns, is asked for"
                raise Blocked(site.stmt, what)
        elif _read(walker, site):
            raise Blocked(site.node, "the values of a list of ops")


def _asked(walker: Any, function: ast.FunctionDef) -> bool:
    """Whether a call of a function is more than a statement."""
    bare = {
        id(n.value.func) for n in all_of(walker.tree, ast.Expr) if isinstance(n.value, ast.Call)
    }
    return any(
        id(n) not in bare
        for n in walk(walker.tree)
        if function.name in (getattr(n, "id", 0), _attribute(n))
    )


def _read(walker: Any, site: Site) -> bool:
    """Whether a run is more than a statement that keeps what it gives for nobody."""
    stmt = site.stmt
    if isinstance(stmt, ast.Expr) and stmt.value is site.node:
        return False
    kept = stmt.targets[0] if isinstance(stmt, ast.Assign) and stmt.value is site.node else None
    if not isinstance(kept, ast.Name):
        return True
    return any(isinstance(n.ctx, ast.Load) for n in named(walker.tree, kept.id))


def _listed(site: Site) -> bool:
    """Whether what a run gives is that of a list of ops, which isn't None."""
    fetch = site.fetch
    if has_value(fetch) or fetch.items is not None or fetch.value.kind is not Kind.OP:
        return False
    if fetch.value.data == "group":
        made = fetch.value.node
        made = made.value if isinstance(made, ast.Assign) else made
        return not isinstance(made, ast.Call)  # `tf.group` gives None
    return fetch.value.data == "assigns" or (
        fetch.value.data is None and isinstance(site.stmt, ast.Return)
    )


def _attribute(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ""
