"""TFM803 python2-name: a name that only Python 2 has, in a file that Python 3 can read.

A file that Python 3 can't parse is brought to Python 3 as a whole (TFM801 says what was changed,
TFM802 what a person must look at). One that parses may still use `xrange`, `unicode`, `raw_input`,
`d.iteritems()` or a module that Python 3 calls otherwise: they fail when they are reached. Each
gets its Python 3 name; what has none is reported. So do `range`, `map`, `zip` and `filter` where
only a list will do (`random.shuffle(order)` of `order = range(n)`). Names that the file binds
itself, or guards by a test of the version, are left alone.

https://docs.python.org/3/howto/pyporting.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.python2_tables import quick
from migrate.engine.rule import Result, Rule
from migrate.engine.site import FileContext

NAMES = Rule(
    "TFM803",
    "python2-name",
    "a name that only Python 2 has",
    module=__name__,
    doc=__doc__,
    url="https://docs.python.org/3/howto/pyporting.html",
)


@NAMES.file
def leftovers(file: FileContext) -> Iterator[Result]:
    """Every use of such a name."""
    if "python2" not in file.memo:
        found_here: list[Any] = []
        if quick(file.text):
            from migrate.engine.python2 import leftovers as find

            found_here = find(file.tree, file.text, index=file.index)
        file.memo["python2"] = found_here
    owners: dict[int, Result] = {}
    followers: list[tuple[Result, int]] = []
    for found in file.memo["python2"]:
        node = _node(file, found.start, found.end)
        if found.edits:
            owners[found.start] = NAMES.fixed(node, found.message, "Python 3", list(found.edits))
            yield owners[found.start]
        elif found.within is not None:
            followers.append((NAMES.fixed(node, found.message, "Python 3", []), found.within))
        elif not found.fixed:
            yield NAMES.report(node, found.message, blocks=False)
    for result, start in followers:
        if start in owners:
            result.requires.append(owners[start])
            yield result


def _node(file: FileContext, start: int, end: int) -> ast.AST:
    """A node that stands where the name does; `ast` counts columns in bytes."""
    line, last = file.index.position(start)[0], file.index.position(end)[0]
    column = len(file.text[file.index.line_start(line) : start].encode())
    end_column = len(file.text[file.index.line_start(last) : end].encode())
    return ast.Pass(lineno=line, col_offset=column, end_lineno=last, end_col_offset=end_column)
