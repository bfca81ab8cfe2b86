"""``model.train() if training else model.test()`` as a statement: a branch says the same.

Each way of a branch may run the initializer, as a process goes one of them.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.fetching.choices import unit_of
from migrate.programs.graph.wording.spelled import Source, Spelled

REASON = "variables are initialised a second time"


def check(walker: Any, stmt: ast.Expr, begun: int) -> None:
    """See whether both ways of a conditional expression have run the initializer.

    ``begun``: how often it was run before.

    Raises:
        Spelled: they have, and are calls.
    """
    node = stmt.value
    if not isinstance(node, ast.IfExp) or walker.nested or walker.init_runs - begun < 2:
        return
    if not isinstance(node.body, ast.Call) or not isinstance(node.orelse, ast.Call):
        return
    end, unit = "\n" + " " * stmt.col_offset, unit_of(walker.tree)

    def written(source: Source) -> str:
        first, second = source(node.body), source(node.orelse)
        return f"if {source(node.test)}:{end}{unit}{first}{end}else:{end}{unit}{second}"

    raise Spelled(stmt, REASON, [(stmt, written)])
