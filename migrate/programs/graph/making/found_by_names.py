"""Variables that a loop finds again by computed names: ``with tf.variable_scope(op, reuse=True):``.

A loader of weights goes through layers by their names. It reads a dict of all variables by theirs,
``variables[f"{op}/weights:0"]``, which `named_variables` writes.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, parents_of
from migrate.programs.graph.meaning import SCOPES, T
from migrate.programs.graph.scoping.scopes import scope_name
from migrate.programs.graph.wording.spelled import Source, Spelled, free, word

FOUND = frozenset({"name", "trainable", "shape", "dtype"})


def check(walker: Any, node: ast.Call, reason: str) -> None:
    """See whether what a function that runs finds again has a name that it can compute.

    Raises:
        Spelled: all that it finds so can be looked up.
    """
    target = walker.frame.node
    if not isinstance(target, ast.FunctionDef) or not all(o.trained for o in walker.owned):
        return
    calls = [
        n
        for n in all_of(target, ast.Call)
        if walker.endpoints.get(id(n.func)) == T + "get_variable"
    ]
    parents = parents_of(target)
    paths = [_path(walker, call, target, parents) for call in calls]
    own = paths[calls.index(node)] if node in calls else None
    names = [s.name for s in walker.scopes if not s.ops_only]
    if own is None or None in paths or own.rpartition("/")[0] != "/".join(map(str, names)):
        return
    first = next(s for s in target.body if holds(s, node))
    if any(not holds(first, call) for call in calls) or not isinstance(node.func, ast.Attribute):
        return
    root = node.func.value
    known = free(walker, "variables")

    def lines(source: Source) -> list[str]:
        return [f"{known} = {{v.name: v for v in {source(root)}.trainable_variables()}}"]

    replaced = [
        (call, word(f'{known}[{"f" * ("{" in str(path))}"{path}:0"]'))
        for call, path in zip(calls, paths, strict=True)
    ]
    raise Spelled(node, reason, replaced, [(first, lines)])


def _path(
    walker: Any, call: ast.Call, target: ast.FunctionDef, parents: dict[int, ast.AST]
) -> str | None:
    """A variable's name, as an f-string has it; None where it isn't one that is found again."""
    given = walker.bound(T + "get_variable", call)
    tail = scope_name(given.get("name"))
    if tail is None or not set(given) <= FOUND:
        return None
    parts = [tail]
    reuses = False
    outer: ast.AST = call
    while outer is not target:
        outer = parents[id(outer)]
        for item in reversed(outer.items) if isinstance(outer, ast.With) else ():
            scope = item.context_expr
            endpoint = walker.endpoints.get(id(getattr(scope, "func", None)))
            if endpoint not in SCOPES or not isinstance(scope, ast.Call):
                continue
            said = walker.bound(str(endpoint), scope)
            reuse, name = said.get("reuse"), scope_name(said.get("name_or_scope"))
            plain = endpoint == T + "variable_scope" and set(said) <= {"name_or_scope", "reuse"}
            if not plain or name is None or item.optional_vars is not None:
                return None
            reuses = reuses or (isinstance(reuse, ast.Constant) and reuse.value is True)
            parts.insert(0, name)
    path = "/".join(parts)
    return path if reuses and '"' not in path and "\\" not in path else None
