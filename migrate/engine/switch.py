"""Where a graph program switches v2 behaviour off: behind its imports, before anything runs."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.engine.calls import _first_token
from migrate.engine.findings import Edit
from migrate.engine.names import ROOTS
from migrate.engine.site import FileContext
from migrate.engine.trees import holds, walk

IMPORTS = (ast.Import, ast.ImportFrom)


def indent_of(file: FileContext, offset: int) -> str | None:
    """The blanks in front of a statement; None where another shares its line."""
    line = file.index.position(offset)[0]
    before = file.text[file.index.line_start(line) : offset]
    return before if not before.strip() else None


def newline_of(file: FileContext) -> str:
    """The newline of what is inserted."""
    return "\r\n" if "\r\n" in file.text else "\n"


def anchor_of(file: FileContext) -> ast.stmt | None:
    """The top-level statement that holds the first import of TensorFlow."""
    ours = {id(stmt) for stmt, _, _ in file.names.imports if of_tensorflow(stmt)}
    for stmt in file.tree.body:
        for node in (stmt, *walk(stmt)) if hasattr(stmt, "body") else (stmt,):
            if id(node) in ours:
                return stmt
    return None


def of_tensorflow(stmt: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import statement imports TensorFlow or a part of it."""
    if isinstance(stmt, ast.Import):
        return any(alias.name.partition(".")[0] in ROOTS for alias in stmt.names)
    return not stmt.level and (stmt.module or "").partition(".")[0] in ROOTS


def first_statement(file: FileContext) -> ast.stmt:
    """The first statement behind the docstring and the imports from `__future__`."""
    for stmt in file.tree.body:
        doc = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
        future = isinstance(stmt, ast.ImportFrom) and stmt.module == "__future__"
        if not doc and not future:
            return stmt
    return file.tree.body[-1]


def is_top(file: FileContext, stmt: ast.stmt) -> bool:
    """Whether an import runs when the file is imported: at top level or in a try there."""
    if stmt in file.tree.body:
        return True
    return any(isinstance(outer, ast.Try) and holds(outer, stmt) for outer in file.tree.body)


def switch_off(
    file: FileContext,
    name: str,
    named: Sequence[tuple[ast.stmt, str]],
    removed: Sequence[ast.stmt],
) -> list[Edit]:
    """The call, under the name that compat.v1 has; ``named``: the imports that give it one.

    Where TensorFlow is imported inside functions only, each of those imports is followed by it.
    """
    anchor = anchor_of(file)
    assert anchor is not None
    if isinstance(anchor, (*IMPORTS, ast.Try)):
        anchor = _binder(file, name, anchor)
        return [_behind_imports(file, anchor, f"{name}.disable_v2_behavior()", removed)]
    if named:
        return [_behind(file, stmt, f"{own}.disable_v2_behavior()") for stmt, own in named]
    start, _ = file.index.span(anchor)
    start = file.index.line_start(file.index.position(start)[0])
    return [Edit(start, start, f"{name}.disable_v2_behavior()" + newline_of(file))]


def _binder(file: FileContext, name: str, anchor: ast.stmt) -> ast.stmt:
    """The import from which on ``name`` is known, if that stands below the anchor."""
    bound = file.names.module.bindings.get(name.partition(".")[0], ())
    body = file.tree.body
    places = [body.index(b.stmt) for b in bound if b.kind == "import" and b.stmt in body]
    return body[max(min(places), body.index(anchor))] if places else anchor


def _behind_imports(
    file: FileContext, anchor: ast.stmt, line: str, removed: Sequence[ast.stmt]
) -> Edit:
    """Behind the imports that follow the first one of TensorFlow without a break."""
    body = file.tree.body
    at = body.index(anchor)
    run = [anchor]
    for stmt in body[at + 1 :]:
        if not isinstance(stmt, IMPORTS):
            break
        run.append(stmt)
    kept = [stmt for stmt in run if stmt not in removed]
    nl = newline_of(file)
    if not kept:
        # All of them go: the call takes the place behind the last one's line.
        _, end = file.index.span(run[-1])
        stop = file.index.line_start(file.index.position(end)[0] + 1)
        return Edit(stop, stop, f"{nl}{line}{nl}")
    home = kept[-1]
    start, end = file.index.span(home)
    stop = file.index.line_start(file.index.position(end)[0] + 1)
    rest = file.text[end:stop]
    if _first_token(file.text, end, stop) < stop or indent_of(file, start) is None:
        return Edit(end, end, f"; {line}")  # another statement shares the line
    where = end + len(rest.rstrip("\r\n"))
    following = file.text[stop:].split("\n", 1)[0].strip() if stop < len(file.text) else ""
    return Edit(where, where, f"{nl}{nl}{line}" + (nl if following else ""))


def _behind(file: FileContext, stmt: ast.stmt, line: str) -> Edit:
    start, end = file.index.span(stmt)
    stop = file.index.line_start(file.index.position(end)[0] + 1)
    indent = indent_of(file, start)
    if indent is None or _first_token(file.text, end, stop) < stop:
        return Edit(end, end, f"; {line}")
    where = end + len(file.text[end:stop].rstrip("\r\n"))
    return Edit(where, where, f"{newline_of(file)}{indent}{line}")
