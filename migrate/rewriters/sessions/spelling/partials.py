"""`functools.partial` of TensorFlow's functions as the calls that it makes."""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of
from migrate.programs.graph.walk import Walker
from migrate.programs.graph.wording.respelled import Respelled
from migrate.rewriters.sessions.spelling.source import Source


def edits(source: Source, error: Respelled, walker: Walker) -> list[Edit] | None:
    """The calls with all their arguments; the name goes, and an import that nothing needs."""
    node, stmt = error.node, error.found["stmt"]
    assert isinstance(node, ast.Call)
    if not source.alone(stmt):
        return None
    found = [_gone(source, stmt)]
    function = source.of(node.args[0])
    for call in error.found["calls"]:
        found.append(Edit(*source.span(call.func), function))
        own = {k.arg for k in call.keywords}
        more = [f"{k.arg}={source.of(k.value)}" for k in node.keywords if k.arg not in own]
        if not more:
            continue
        given = [*call.args, *(k.value for k in call.keywords)]
        if given:
            at = _behind(source, call, max(source.span(a)[1] for a in given))
            if at is None:
                return None
            found.append(Edit(at, at, "".join(f", {part}" for part in more)))
        else:
            at = source.span(call)[1] - 1
            found.append(Edit(at, at, ", ".join(more)))
    return [*found, *_imports(source, node)]


def _behind(source: Source, call: ast.Call, at: int) -> int | None:
    """Where a call's last argument ends, the brackets around it included."""
    rest = source.document.text[at : source.span(call)[1] - 1]
    if "#" in rest and ")" in rest:
        return None
    return at + rest.rfind(")") + 1


def _gone(source: Source, stmt: ast.stmt) -> Edit:
    """A statement's lines, and the empty ones that would then be twice."""
    first = stmt.lineno - source.part.line
    last = (stmt.end_lineno or stmt.lineno) - source.part.line
    empty = not "".join(source.lines[last : last + 1]).strip()
    while first > 1 and empty and not source.lines[first - 2].strip():
        first -= 1
    before = sum(map(len, source.lines[: first - 1]))
    return Edit(before, before + sum(map(len, source.lines[first - 1 : last])), "")


def _imports(source: Source, node: ast.Call) -> list[Edit]:
    """The import of `partial`, if this was its last use."""
    root = node.func
    while isinstance(root, ast.Attribute):
        root = root.value
    assert isinstance(root, ast.Name)
    loads = [n for n in all_of(source.tree, ast.Name) if n.id == root.id]
    if len(loads) > 1:
        return []
    return [
        _gone(source, stmt)
        for stmt in source.tree.body
        if isinstance(stmt, (ast.Import, ast.ImportFrom)) and source.alone(stmt)
        if len(stmt.names) == 1 and (stmt.names[0].asname or stmt.names[0].name) == root.id
    ]
