"""Updates in a list, `step = [tf.assign(w, a), tf.assign(b, c)]`, whose values a run keeps.

Each of them gets a name: what is fetched is then a list of named ops.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, word

if TYPE_CHECKING:
    from migrate.programs.graph.model import Site
    from migrate.rewriters.sessions.text import Text


def named(site: Site, reason: str, text: Text) -> None:
    """See whether such a list is among what a run fetches.

    Raises:
        Spelled: it is, and its ops may have names.
    """
    tree = text.document.tree
    names = all_of(tree, ast.Name)
    taken = {n.id for n in names}
    replaced: list[Written] = []
    for stmt in all_of(tree, ast.Assign):
        if len(stmt.targets) != 1:
            continue
        target, listed = stmt.targets[0], stmt.value
        if not isinstance(target, ast.Name) or not isinstance(listed, ast.List):
            continue
        if not any(_of(f.value.node, stmt) for f in site.fetch.items or ()):
            continue
        if not listed.elts or not all(isinstance(e, ast.Call) for e in listed.elts):
            return
        mine = [n for n in names if n.id == target.id and n is not target]
        if not all(isinstance(n.ctx, ast.Load) for n in mine):
            return
        ops: list[tuple[str, ast.expr]] = []
        for i, call in enumerate(listed.elts, 1):
            first = call.args[0] if isinstance(call, ast.Call) and call.args else None
            name = f"{target.id}_{first.id if isinstance(first, ast.Name) else i}"
            if name in taken:
                return
            taken.add(name)
            ops.append((name, call))
        replaced.append((stmt, _lines(stmt, ops)))
        shown = ", ".join(name for name, _ in ops)
        replaced += [(n, word(f"[{shown}]")) for n in mine]
    if replaced:
        raise Spelled(site.node, reason, replaced)


def _lines(stmt: ast.Assign, ops: list[tuple[str, ast.expr]]) -> Callable[[Source], str]:
    """The ops, each in a statement of its own."""
    end = "\n" + " " * stmt.col_offset
    return lambda source: end.join(f"{name} = {source(call)}" for name, call in ops)


def _of(node: ast.AST | None, stmt: ast.Assign) -> bool:
    return node is stmt or node is stmt.value
