"""Assignments to several names, ``self.x = x = tf.placeholder(…)``, as one of each.

So are lists that begin together: ``weights, biases = [], []``.

A tensor that two names share is followed where the second one is given the first: ``x = …``, and
``self.x = x`` below it. Only programs that aren't followed as they are are read so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.names import Names
from migrate.engine.trees import walk
from migrate.rewriters.sessions.apart import rewritten


def unchained(files: Sequence[tuple[Document, Names]]) -> list[tuple[int, Document]]:
    """The files that have such assignments, with one to each name."""
    found = []
    for place, (document, _) in enumerate(files):
        edits = list(_edits(document))
        new = rewritten(document, edits) if edits else None
        if new is not None:
            found.append((place, new))
    return found


def _edits(document: Document) -> Iterator[Edit]:
    span, text = document.index.span, document.text
    newline = "\r\n" if "\r\n" in text else "\n"
    for stmt in walk(document.tree):
        if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
            yield from _empty(document, stmt, newline)
        if not isinstance(stmt, ast.Assign) or len(stmt.targets) < 2:
            continue
        # A number or a list is nothing of a graph's.
        if not isinstance(stmt.value, (ast.Call, ast.BinOp)):
            continue
        parts = [_plain(t) for t in stmt.targets]
        fed = "placeholder" in ast.unparse(getattr(stmt.value, "func", stmt.value))
        own = ast.Attribute if fed else ast.Name  # what is fed is the object's
        first = next((_plain(n) for n in stmt.targets if isinstance(n, own)), parts[0])
        if not all(parts) or len(set(parts)) < len(parts):
            continue
        start, end = span(stmt)
        head = text[document.index.offset(stmt.lineno, 0) : start]
        comment = text[end:].partition("\n")[0].strip()
        if head.strip() or comment[:1] not in ("", "#"):
            continue  # it isn't alone in its line
        lines = [f"{head}{name} = {first}" for name in parts if name != first]
        yield Edit(start, span(stmt.value)[0], f"{first} = " + _opening(document, stmt))
        below = end + len(text[end:].partition("\n")[0].rstrip("\r"))
        yield Edit(below, below, "".join(newline + line for line in lines))


def _empty(document: Document, stmt: ast.Assign, newline: str) -> Iterator[Edit]:
    """``weights, biases = [], []``: each list begins in a statement of its own."""
    target, value, text = stmt.targets[0], stmt.value, document.text
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return
    names = [_plain(t) for t in target.elts]
    new = [ast.unparse(v) in ("[]", "{}") for v in value.elts]
    if len(names) != len(new) or not all(names) or not all(new) or len(set(names)) < len(names):
        return
    start, end = document.index.span(stmt)
    head = text[document.index.offset(stmt.lineno, 0) : start]
    after = text[end:].partition("\n")[0].strip()
    if head.strip() or after[:1] not in ("", "#"):
        return
    source = [text[slice(*document.index.span(v))] for v in value.elts]
    lines = [f"{name} = {one}" for name, one in zip(names, source, strict=True)]
    yield Edit(start, end, f"{newline}{head}".join(lines))


def _opening(document: Document, stmt: ast.Assign) -> str:
    """The brackets between the last target and the value."""
    span, text = document.index.span, document.text
    between = text[span(stmt.targets[-1])[1] : span(stmt.value)[0]]
    return between.partition("=")[2].strip()


def _plain(target: ast.expr) -> str:
    """A name, or an attribute of one."""
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return f"{target.value.id}.{target.attr}"
    return ""
