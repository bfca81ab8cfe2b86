"""Lines that are indented as far as a parenthesis, which stands elsewhere now."""

from __future__ import annotations

import ast

from migrate.engine.trees import all_of
from migrate.programs.graph.wording.spelled import Source


def line(text: str, by: int, place: int) -> str:
    """A line, moved where it is indented as far as a place that has moved."""
    if len(text) - len(text.lstrip()) != place:
        return text
    return " " * by + text if by > 0 else text[-by:]


def call(source: Source, node: ast.Call, func: str, column: int) -> str:
    """A call from another column, or of a function that is called otherwise."""
    old = source(node.func)
    if any(n.end_lineno != n.lineno for n in all_of(node, ast.Constant)):
        return func + source(node)[len(old) :]  # a text's lines stay as they are
    first, *more = (func + source(node)[len(old) :]).split("\n")
    place = node.col_offset + len(old) + 1
    by = column + len(func) + 1 - place
    return "\n".join([first, *(line(text, by, place) for text in more)])
