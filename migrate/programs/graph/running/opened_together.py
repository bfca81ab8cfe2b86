"""Blocks that open a session and more: ``with tf.Session() as sess, open(path) as file:``.

They are two blocks, one in the other; the session's goes.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Sequence

from migrate.engine.trees import walk
from migrate.programs.graph.wording.spelled import Source, Spelled

# The end of a block's header, with the comment on its line and those below it.
END = re.compile(r"[^#]*:[ \t]*(?P<said>(?:#[^\r\n]*)?)\r?(?P<more>(?:\n[ \t]*(?:#.*)?\r?)*)\Z")
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
        first = stmt.body[0].lineno - stmt.lineno
        header = END.match("\n".join(lines[:first]))
        if header is None or any(_spans(n) for part in stmt.body for n in walk(part)):
            return None  # it ends where a statement follows, or comments stand in it
        base = lines[first][: stmt.col_offset]
        unit = lines[first][stmt.col_offset : stmt.body[0].col_offset]
        if unit.strip() or not unit:
            return None  # a decorator
        deeper = unit * (len(groups) - 1)
        new = [f"{base}{unit * i}{_header(of, source)}" for i, of in enumerate(groups)]
        new[0] = new[0].removeprefix(base)
        said = [header["said"], *header["more"].split("\n")[1:]]
        if said[0]:  # the comment on the line stands above what the block does
            new.append(f"{base}{deeper}{unit}{said[0]}")
        new += [f"{deeper}{n}" if n.strip() else n for n in (*said[1:], *lines[first:])]
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
