"""The end of the data that is only told: ``except tf.errors.OutOfRangeError as e: print(e)``.

TF 1's text names ops and the lines that made them, which TF 2 hasn't. Of an iterator it begins with
"End of sequence", and that is what is told instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, parents_of, walk
from migrate.programs.graph.wording.spelled import Source, Spelled

TOLD = '"End of sequence"'
LOGS = ("debug", "info", "warn", "warning", "error", "exception", "fatal", "critical")
TEXTS = (ast.BinOp, ast.Tuple)  # a text in an f-string would need other quotes


def check(walker: Any, node: ast.AST, handler: ast.ExceptHandler, reason: str) -> None:
    """See whether a handler only tells what its error says.

    Raises:
        Spelled: it does, and nothing of it is there on TF 2.
    """
    name = handler.name
    assert name is not None
    home = walker.files.at(node).tree or walker.tree
    used = [n for n in all_of(handler, ast.Name) if n.id == name]
    parents = parents_of(handler)
    if any(isinstance(n.ctx, ast.Store) for n in used) or _printed_otherwise(home):
        return
    places = [_text(n, parents) for n in used]
    if any(p is None or not _shown(p, parents) for p in places):
        return
    found = [p for p in places if p is not None]

    def written(source: Source) -> str:
        return _without(source(handler), handler, name, found)

    raise Spelled(node, reason, [(handler, written)])


def _printed_otherwise(tree: ast.AST) -> bool:
    """Whether `print` or `str` isn't Python's."""
    return any(n in ("print", "str", "repr") for n in _bound(tree))


def _bound(tree: ast.AST) -> Iterator[str]:
    for n in walk(tree):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            yield n.id
        elif isinstance(n, (ast.FunctionDef, ast.ClassDef)):
            yield n.name
        elif isinstance(n, ast.arg):
            yield n.arg
        elif isinstance(n, ast.alias):
            yield n.asname or n.name


def _text(node: ast.AST, parents: dict[int, ast.AST]) -> ast.expr | None:
    """The whole of what an error says: itself, its text or its message."""
    outer = parents[id(node)]
    if isinstance(outer, ast.Attribute):
        return outer if outer.attr == "message" else None
    match outer:
        case ast.Call(ast.Name("str" | "repr"), [only], []) if only is node:
            return outer
    return node if isinstance(node, ast.expr) else None


def _shown(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    """Whether a text is only printed or logged, as such or in another one."""
    while True:
        inner, node = node, parents[id(node)]
        match node:
            case ast.Call(ast.Name("print")) | ast.Call(ast.Attribute(_, "format")):
                pass
            case ast.Call(ast.Attribute(_, name)) if name in LOGS:
                pass
            case _ if not isinstance(node, TEXTS):
                return False
        if isinstance(node, ast.Call):
            if inner is node.func:
                return False
            outer = parents[id(node)]
            if isinstance(outer, ast.Expr):
                return getattr(node.func, "attr", "") != "format"
        if isinstance(node, ast.BinOp) and not isinstance(node.op, (ast.Add, ast.Mod)):
            return False


def _without(text: str, handler: ast.ExceptHandler, name: str, places: list[ast.expr]) -> str:
    """A handler's text that says what is told, and has no name for the error."""
    lines = re.split(rb"(?<=\n)|(?<=\r)(?!\n)", text.encode())
    for place in sorted(places, key=lambda p: (p.lineno, p.col_offset), reverse=True):
        row = place.lineno - handler.lineno
        cut = 0 if row else handler.col_offset
        line, end = lines[row], (place.end_col_offset or 0) - cut
        lines[row] = line[: place.col_offset - cut] + TOLD.encode() + line[end:]
    return re.sub(rf"\s+as\s+{re.escape(name)}\s*:", ":", b"".join(lines).decode(), count=1)
