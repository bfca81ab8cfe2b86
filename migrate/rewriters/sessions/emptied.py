"""Functions of which nothing is left but ``pass``: what they built stands in their caller.

They go, and so do the statements that call them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.source import LineIndex, apply
from migrate.engine.trees import all_of, walk
from migrate.rewriters.sessions.lines import GONE, by_line, tidy


def without_emptied(document: Document, edits: Sequence[Edit], others: Iterable[str]) -> list[Edit]:
    """The edits of a module, with which such functions go.

    ``others``: the texts of the program's other files.
    """
    edits = list(edits)
    if not edits or document.notebook is not None:
        return edits
    new = apply(document.text, edits)
    if not re.search(r"^\s+pass\s*$", new, re.MULTILINE):
        return edits
    tree = ast.parse(new)
    held = {n.name for n in all_of(document.tree, ast.FunctionDef) if _stays(n)}
    if any(_looks_up(n) for n in walk(tree)):
        return edits
    names = list(_emptied(tree, new, held))
    elsewhere = "\n".join(others)
    lines = new.splitlines(keepends=True)
    gone: list[ast.stmt] = []
    for function, home in names:
        calls = _calls(tree, function, lines)
        if calls is None or re.search(rf"\b{function.name}\b", elsewhere):
            continue
        whole = [*gone, function, *(stmt for stmt, _ in calls)]
        if all(any(s not in whole for s in block) for block in (home, *(b for _, b in calls))):
            gone = whole  # no block ends up empty
    if not gone:
        return edits
    for stmt in gone:
        first, last = stmt.lineno - 1, stmt.end_lineno or stmt.lineno
        lines[first:last] = [GONE] + [""] * (last - first - 1)
    return by_line(document.text, tidy("".join(lines)))


def _stays(function: ast.FunctionDef) -> bool:
    """Whether the author's function did nothing, or closed what others may want closed."""
    closes = (getattr(n.func, "attr", "") == "close" for n in all_of(function, ast.Call))
    return _idle(function) or any(closes)


def _looks_up(node: ast.AST) -> bool:
    """Whether something asks for an attribute or a name that is computed."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    named = node.func.id in ("getattr", "hasattr") and len(node.args) > 1
    return node.func.id in ("globals", "vars", "eval", "exec") or (
        named and not isinstance(node.args[1], ast.Constant)
    )


def _idle(function: ast.FunctionDef) -> bool:
    return [type(s) for s in function.body] == [ast.Pass]


def _emptied(
    tree: ast.Module, text: str, held: set[str]
) -> Iterator[tuple[ast.FunctionDef, list[ast.stmt]]]:
    """The functions and methods that only pass, which the author's didn't, and their blocks."""
    index = LineIndex(text)
    for owner in walk(tree):
        if not isinstance(owner, (ast.Module, ast.ClassDef)):
            continue
        for n in owner.body:
            if isinstance(n, ast.FunctionDef) and _idle(n) and n.name not in held:
                start, end = index.span(n)
                if not n.decorator_list and "#" not in text[start:end]:
                    yield n, owner.body


def _calls(
    tree: ast.Module, function: ast.FunctionDef, lines: Sequence[str]
) -> list[tuple[ast.Expr, list[ast.stmt]]] | None:
    """What calls a function with nothing, and its block; None where its name is used otherwise."""
    name, found, seen = function.name, [], 0
    for n in walk(tree):
        for block in ("body", "orelse", "finalbody"):
            stmts = getattr(n, block, None)
            if not isinstance(stmts, list):
                continue
            for stmt in stmts:
                if not isinstance(stmt, ast.Expr) or not isinstance(stmt.value, ast.Call):
                    continue
                call = stmt.value
                if call.args or call.keywords:
                    continue
                if name in _said(call.func) and _simple(call.func):
                    shared = re.search("[;#]", lines[stmt.lineno - 1])
                    if stmt.lineno != stmt.end_lineno or shared:
                        return None
                    found.append((stmt, stmts))
    for n in walk(tree):
        seen += name in _said(n)
        if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == name and n is not function:
            return None
        if isinstance(n, ast.Constant) and n.value == name:
            return None
    return found if found and seen == len(found) else None


def _said(node: ast.AST) -> tuple[str, str]:
    return getattr(node, "id", ""), getattr(node, "attr", "")


def _simple(func: ast.expr) -> bool:
    """Whether to look the function up does nothing."""
    return isinstance(func, ast.Name) or (
        isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name)
    )
