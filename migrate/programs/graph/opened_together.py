"""Blocks that open a session and more: ``with tf.Session() as sess, open(path) as file:``.

They are two blocks, one in the other; the session's goes.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Sequence

from migrate.engine.trees import walk
from migrate.programs.graph.spelled import Source, Spelled

REASON = "this block can't be followed"


def check(stmt: ast.With, python: Sequence[bool]) -> None:
    """See whether some of what a block opens is Python's, and some of a graph.

    Raises:
        Spelled: it is, and may be opened one after the other.
    """
    if len(set(python)) < 2:
        return
    pairs = zip(stmt.items, python, strict=True)
    groups = [[item for item, _ in of] for _, of in itertools.groupby(pairs, lambda p: p[1])]
    raise Spelled(stmt.items[0].context_expr, REASON, [(stmt, _nested(stmt, groups))])


def _nested(
    stmt: ast.With, groups: Sequence[Sequence[ast.withitem]]
) -> Callable[[Source], str | None]:
    def written(source: Source) -> str | None:
        lines = source(stmt).split("\n")
        last = max(n.end_lineno or 0 for item in stmt.items for n in _parts(item))
        between = range(last + 1, stmt.body[0].lineno)
        first = stmt.body[0].lineno - stmt.lineno
        plain = (
            all(lines[n - stmt.lineno].strip()[:1] in ("", "#") for n in between)
            and stmt.body[0].lineno > last
        )
        if not plain or any(_spans(n) for part in stmt.body for n in walk(part)):
            return None
        base = " " * stmt.col_offset
        unit = lines[first][len(base) : stmt.body[0].col_offset]
        if unit.strip() or not unit:
            return None  # tabs before the block, or decorators
        head = [_header(group, source) for group in groups]
        new = [head[0]]
        for depth, text in enumerate(head[1:], 1):
            new.append(f"{base}{unit * depth}{text}")
        deeper = unit * (len(groups) - 1)
        new += [f"{deeper}{n}" if n.strip() else n for n in lines[last + 1 - stmt.lineno :]]
        return "\n".join(new)

    return written


def _parts(item: ast.withitem) -> list[ast.expr]:
    return [item.context_expr, *([item.optional_vars] if item.optional_vars is not None else [])]


def _header(items: Sequence[ast.withitem], source: Source) -> str:
    return f"with {', '.join(' as '.join(source(n) for n in _parts(item)) for item in items)}:"


def _spans(node: ast.AST) -> bool:
    """Whether a text goes over several lines, whose indentation is its own."""
    text = isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
    )
    return text and node.lineno != node.end_lineno  # type: ignore[attr-defined]
