"""``summary.ParseFromString(sess.run(merged))``, to which the program adds values of its own.

What a run gives is no text of a message in TF 2. It is written by itself, before the values that
are added, under the same step.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, parents_of
from migrate.programs.graph.own_nodes import function_around
from migrate.programs.graph.wording.spelled import Source, Spelled, Written, free

REASON = "a tf.Summary is what a run gives"


def check(walker: Any, method: ast.Attribute, made: ast.Call) -> None:
    """See whether a summary is parsed once, added to and written.

    Raises:
        Spelled: that is all that is done with it.
    """
    stmt, owner = walker.stmt, method.value
    home = function_around(walker.tree, method) or walker.files.at(method).tree
    node = stmt.value if isinstance(stmt, ast.Expr) else None
    if not isinstance(node, ast.Call) or node.func is not method or not isinstance(owner, ast.Name):
        return
    if len(node.args) != 1 or node.keywords or made.args or made.keywords:
        return
    parents = parents_of(home)
    writes: list[tuple[ast.stmt, ast.Call]] = []
    for use in (n for n in all_of(home, ast.Name) if n.id == owner.id and n is not owner):
        at = parents[id(use)]
        above = parents.get(id(at))
        if isinstance(at, ast.Assign) and at.targets == [use] and at.value is made:
            continue
        if isinstance(at, ast.Attribute) and at.attr == "value" and use.lineno > node.lineno:
            continue  # what is added; anything else of it isn't followed
        written = isinstance(at, ast.Call) and at.args[:1] == [use] and isinstance(above, ast.Expr)
        if not written or getattr(at.func, "attr", "") != "add_summary":  # type: ignore[attr-defined]
            return
        if use.lineno < node.lineno:
            return
        writes.append((above, at))  # type: ignore[arg-type]
    if not writes:
        return
    new = free(walker, f"run_{owner.id}")

    def parsed(source: Source) -> str:
        return f"{new} = {source(node.args[0])}"

    replaced: list[Written] = [(stmt, parsed)]
    before = [(above, _line(call, new)) for above, call in writes]
    raise Spelled(node, REASON, replaced, before)


def _line(call: ast.Call, new: str) -> Any:
    def line(source: Source) -> list[str]:
        rest = [source(a) for a in call.args[1:]]
        rest += [f"{k.arg}={source(k.value)}" for k in call.keywords]
        return [f"{source(call.func)}({', '.join([new, *rest])})"]

    return line
