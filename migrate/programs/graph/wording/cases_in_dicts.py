"""``tf.case({x < y: f, x > y: g}, exclusive=True)``: tensors are no keys in TF 2; pairs say it.

One of them holds, so that their order, by which TF 1 sorts their names, is of no matter.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Source, Spelled

REASON = "tensors may be the keys of a dict"


def check(walker: Any, node: ast.Call) -> None:
    """See whether a call is one with a dict.

    Raises:
        Spelled: it is, and can be given pairs.
        Blocked: it may be.
    """
    if walker.endpoints.get(id(node.func)) != T + "case":
        return
    given = walker.bound(T + "case", node)
    told, alone = given.get("pred_fn_pairs"), given.get("exclusive")
    if isinstance(told, (ast.Call, ast.DictComp)):
        raise Blocked(node, REASON)
    if not isinstance(told, ast.Dict) or not told.keys or None in told.keys:
        return
    if not isinstance(alone, ast.Constant) or alone.value is not True:
        if len(told.keys) > 1:
            return

    def pairs(source: Source) -> str:
        found = [
            f"({source(key)}, {source(value)})"
            for key, value in zip(told.keys, told.values, strict=True)
            if key is not None
        ]
        several = told.end_lineno != told.lineno
        indent = " " * (told.col_offset + 1)
        return f"[{f',{chr(10)}{indent}'.join(found) if several else ', '.join(found)}]"

    raise Spelled(node, REASON, [(told, pairs)])
