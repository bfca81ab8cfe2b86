"""Two lists of variables, sorted alike by their names before they are gone through at once.

``a = sorted(a, key=lambda v: v.name)``, the same for ``b``, then ``zip(a, b)``: where both have the
same names below their scopes, one after the other, sorting leaves each variable beside its twin.
TF 2 names variables otherwise, and needs no sorting.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of
from migrate.programs.graph.listing.collections import Owned
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled

REASON = "variables are sorted by their names"


def otherwise(walker: Any, node: ast.Call) -> None:
    """A list that is sorted by names, which layers of Keras have others of: it isn't written."""
    keys = [k.value for k in node.keywords if k.arg == "key"]
    named = any(n.attr in ("name", "op") for key in keys for n in all_of(key, ast.Attribute))
    if named and (walker.layers or walker.kept.get("applied cells")):

        def written(_: Any) -> str:
            raise Blocked(node, REASON)

        walker.rewrites[id(node)] = written


def check(walker: Any, target: ast.FunctionDef, lists: Sequence[ast.expr], node: ast.AST) -> None:
    """See whether all lists that are gone through at once are sorted, and needn't be.

    Raises:
        Spelled: so it is.
    """
    sorts: list[ast.Assign] = []
    below: list[list[str]] = []
    for name in lists:
        stores = [s for s in target.body if isinstance(s, ast.Assign) and _binds(s, name)]
        if not isinstance(name, ast.Name) or len(stores) != 2 or not _sorts(stores[1], name.id):
            return
        every = [n for n in all_of(target, ast.Name) if n.id == name.id]
        if sum(not isinstance(n.ctx, ast.Load) for n in every) != 2 or len(every) != 4:
            return
        sorts.append(stores[1])
        below.append(_below(walker.listed.get(id(stores[0].value), ())))
    if len(below) > 1 and below[0] and all(names == below[0] for names in below):
        raise Spelled(node, REASON, [(stmt, lambda _: "") for stmt in sorts])


def _binds(stmt: ast.Assign, name: ast.expr) -> bool:
    return [ast.unparse(t) for t in stmt.targets] == [ast.unparse(name)]


def _sorts(stmt: ast.Assign, name: str) -> bool:
    """``name = sorted(name, key=lambda v: v.name)``."""
    call = stmt.value
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != "sorted":
        return False
    if [ast.unparse(a) for a in call.args] != [name] or [k.arg for k in call.keywords] != ["key"]:
        return False
    key = call.keywords[0].value
    if not isinstance(key, ast.Lambda) or len(key.args.args) != 1:
        return False
    return ast.unparse(key.body) == f"{key.args.args[0].arg}.name"


def _below(entries: Sequence[Owned]) -> list[str]:
    """The names below the one scope in which all variables of a list are; [] if they aren't."""
    paths = [path or "" for entry in entries for path in entry.inner or (entry.path,)]
    heads = {path.partition("/")[0] for path in paths}
    names = [path.partition("/")[2] for path in paths]
    return names if len(heads) == 1 and all(names) else []
