"""Names for what a condition chose together: a tensor and the placeholder that it needs.

``out, fed = (b, x) if forth else (a, y)``, then ``sess.run(out, {fed: image})``: each statement
that reads them stands in a branch for either way.
"""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.fetching.choices import PARTS, deeper, is_plain, kind_of, unit_of
from migrate.programs.graph.wording.spelled import Source, Spelled, Written

REASON = "a condition chooses what is fetched and what is fed"
SIMPLE = (ast.Assign, ast.Expr, ast.Return)
INNER = (ast.FunctionDef, ast.Lambda, ast.ClassDef)
ASKS = frozenset({"setattr", "delattr", "vars", "__dict__"})


def check(walker: Any, stmt: ast.Assign) -> None:
    """See whether a statement names what a condition chooses, several parts of the graph at once.

    Raises:
        Spelled: it does, and what reads the names may be written for each way.
    """
    names, choice, scope = stmt.targets[0], stmt.value, walker.frame.node
    if walker.nested or len(stmt.targets) != 1 or not isinstance(scope, ast.FunctionDef):
        return
    if not isinstance(names, ast.Tuple) or not isinstance(choice, ast.IfExp):
        return
    ways = [w for w in (choice.body, choice.orelse) if isinstance(w, ast.Tuple)]
    if len(ways) < 2 or any(len(w.elts) != len(names.elts) for w in ways):
        return
    own = [n.id for n in names.elts if isinstance(n, ast.Name)]
    parts = [p for w in ways for p in w.elts]
    if len(set(own)) != len(names.elts) or not is_plain(choice.test):
        return
    if not all(isinstance(p, (ast.Name, ast.Attribute)) for p in parts):
        return
    if not {kind_of(walker, p) for p in parts} & PARTS or not _kept(
        walker, stmt, choice.test, own, parts
    ):
        return
    readers = _readers(scope, stmt, own)
    if readers is None:
        return
    unit = unit_of(walker.tree)
    replaced: list[Written] = [(stmt, lambda _: "")]
    replaced += [(reader, _branch(reader, own, choice.test, ways, unit)) for reader in readers]
    raise Spelled(stmt, REASON, replaced)


def _kept(
    walker: Any, stmt: ast.Assign, test: ast.expr, own: list[str], parts: list[ast.expr]
) -> bool:
    """Whether the condition and its values mean the same wherever the names are read."""
    scope = walker.frame.node
    read = {n.id for p in (*parts, test) for n in all_of(p, ast.Name)}
    asked = {n.attr for n in all_of(test, ast.Attribute)}
    for n in walk(walker.tree):
        if isinstance(n, ast.Attribute) and n.attr in asked and not isinstance(n.ctx, ast.Load):
            return False
        if asked and getattr(n, "id", getattr(n, "attr", None)) in ASKS:
            return False
        if isinstance(n, (ast.Global, ast.Nonlocal)) and {*own, *read} & set(n.names):
            return False
    stored = [n for n in all_of(scope, ast.Name) if not isinstance(n.ctx, ast.Load)]
    late = {n.id for n in stored if n.lineno >= stmt.lineno}
    return not read & late and all(sum(n.id == name for n in stored) == 1 for name in own)


def _readers(scope: ast.FunctionDef, stmt: ast.Assign, own: list[str]) -> list[ast.stmt] | None:
    """The statements that read the names, all behind; None where one isn't simple."""
    loads = [n for n in all_of(scope, ast.Name) if n.id in own and isinstance(n.ctx, ast.Load)]
    hidden = [n for f in walk(scope) if isinstance(f, INNER) and f is not scope for n in walk(f)]
    if not loads or any(n in hidden or n.lineno <= stmt.lineno for n in loads):
        return None
    found: list[ast.stmt] = [
        s for s in walk(scope) if isinstance(s, SIMPLE) and any(n in loads for n in walk(s))
    ]
    seen = sum(n in loads for s in found for n in walk(s))
    return found if seen == len(loads) else None


def _given(values: dict[str, str], found: re.Match[str]) -> str:
    return values[found[1]]


def _branch(
    reader: ast.stmt, own: list[str], test: ast.expr, ways: list[ast.Tuple], unit: str
) -> Any:
    """A statement for each way of a condition."""
    indent = " " * reader.col_offset
    reads = [n.id for n in all_of(reader, ast.Name) if n.id in own]

    def written(source: Source) -> str | None:
        text = source(reader)
        if '"""' in text or "'''" in text:
            return None
        if any(len(re.findall(rf"\b{n}\b", text)) != reads.count(n) for n in own):
            return None  # it is in a string or a keyword, too
        lines = []
        for way in ways:
            values = dict(zip(own, map(source, way.elts), strict=True))
            put = re.sub(rf"\b({'|'.join(own)})\b", partial(_given, values), text)
            lines.append(indent + unit + "\n".join(deeper(put, unit)))
        head = f"if {source(test)}:"
        return "\n".join([head, lines[0], f"{indent}else:", lines[1]])

    return written
