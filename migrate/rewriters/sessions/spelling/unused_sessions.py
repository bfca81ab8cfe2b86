"""A function and its calls without a session that it doesn't read."""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.findings import Edit
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.known_branches import place
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.source import Source


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """The parameter goes, and each call's argument for it."""
    target: ast.FunctionDef = error.found["target"]
    name: str = error.found["name"]
    home = Source(source.parts, target)
    args = target.args
    defaults: list[ast.expr | None] = [None] * (len(args.args) - len(args.defaults))
    params = [(a, d or a) for a, d in zip(args.args, [*defaults, *args.defaults], strict=True)]
    index = [a.arg for a in args.args].index(name)
    found = {home.document.path: [cut(home, params, index)]}
    for call in error.found["calls"]:
        there = Source(source.parts, call)
        value = place(target, call, name)
        items: list[Any] = [*call.args, *call.keywords]
        at = next(i for i, n in enumerate(items) if value in (n, getattr(n, "value", None)))
        edit = cut(there, [(n, n) for n in items], at)
        found.setdefault(there.document.path, []).append(edit)
    mine = found.pop(source.document.path)
    error.more.update({p: sorted(each, key=lambda e: e.start) for p, each in found.items()})
    return mine


def cut(source: Source, items: list[tuple[Any, Any]], at: int) -> Edit:
    """Items of a list without one of them, which takes a comma along."""
    index, above = source.document.index, source.part.line

    def start(node: Any) -> int:
        return index.offset(node.lineno - above, node.col_offset)

    def end(node: Any) -> int:
        return index.offset(node.end_lineno - above, node.end_col_offset)

    if at + 1 < len(items):
        return Edit(start(items[at][0]), start(items[at + 1][0]), "")
    if at:
        return Edit(end(items[at - 1][1]), end(items[at][1]), "")
    return Edit(start(items[at][0]), end(items[at][1]), "")
