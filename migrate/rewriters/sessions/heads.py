"""A module's head: the imports that it begins with; what it is given besides stands below."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import takewhile

GAP = 10  # lines between two imports of one head


def _is_tensorflow(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Import) and any(a.name == "tensorflow" for a in stmt.names)


def imports_from(body: Sequence[ast.stmt], place: int) -> list[int]:
    """The last lines of the imports that stand together from a place on; 0 where there are none."""
    more = takewhile(lambda s: isinstance(s, (ast.Import, ast.ImportFrom)), body[place:])
    return [0, *(s.end_lineno or s.lineno for s in more)]


def import_ends(body: Sequence[ast.stmt]) -> tuple[int, int]:
    """The last lines of the imports that a module begins with, and of those with TensorFlow's.

    What may use TensorFlow stands below the latter, and above everything that may use it.
    """
    first = leading(list(body))
    own = next((i for i, s in enumerate(body) if _is_tensorflow(s)), len(body))
    return first, max(first, *imports_from(body, own))


def imported_by(body: Sequence[ast.stmt], last: int) -> set[str]:
    """The imports that stand at or above a line, a name each."""
    return {
        ast.unparse(
            ast.Import([a]) if isinstance(s, ast.Import) else ast.ImportFrom(s.module, [a], s.level)
        )
        for s in body
        if isinstance(s, (ast.Import, ast.ImportFrom)) and s.lineno <= last
        for a in s.names
    }


def head_end(body: Sequence[ast.stmt], written: Callable[[ast.stmt], bool]) -> int:
    """The last line of the imports that an author would call the module's head.

    They may have settings among them (`matplotlib.use("Agg")`), but nothing that is ``written``
    anew, which may use what is defined below the head.
    """
    line = leading(list(body))
    for stmt in body:
        if isinstance(stmt, (ast.Import, ast.ImportFrom)):
            if stmt.lineno - line > GAP:
                break
            line = max(line, stmt.end_lineno or stmt.lineno)
        elif not isinstance(stmt, (ast.Expr, ast.Assign, ast.If, ast.Try)) or written(stmt):
            break
    return line


def leading(body: list[ast.stmt]) -> int:
    """The last line of the imports that a module begins with."""
    line = 0
    for stmt in body:
        if isinstance(stmt, (ast.Import, ast.ImportFrom)):
            line = stmt.end_lineno or stmt.lineno
        elif not (isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)):
            break
        elif not line:
            line = stmt.end_lineno or stmt.lineno
    return line
