"""``{n: 4.0}`` for a placeholder of integers: TF 1 feeds 4, and a `tf.function` refuses a float."""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Symbol
from migrate.programs.graph.wording.spelled import Spelled, Written, word

WHOLE = frozenset(
    T + name for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
)
REASON = "a float is fed to a placeholder of integers or booleans"


def check(walker: Any, symbol: Symbol, node: ast.expr) -> None:
    """See whether numbers are fed that are written as floats, and cut in TF 1.

    Raises:
        Spelled: they are; they are written as what they are fed as.
    """
    call = symbol.value.node
    if symbol.value.kind is not Kind.PLACEHOLDER or not isinstance(call, ast.Call):
        return
    name = walker.endpoints.get(id(call.func), "")
    given = walker.bound(name, call).get("dtype") if name == T + "placeholder" else None
    dtype = walker.endpoints.get(id(given), "") if given is not None else ""
    if dtype not in WHOLE and dtype != T + "bool":
        return
    if found := list(_floats(node, bool if dtype == T + "bool" else int)):
        raise Spelled(node, REASON, found)


def _floats(node: ast.expr, of: type[int] | type[bool]) -> list[Written]:
    """The floats of a number or of a list of numbers."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return [written for item in node.elts for written in _floats(item, of)]
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return []
    plain = isinstance(value, float) and abs(value) < 2**63
    return [(node, word(repr(of(value))))] if plain else []
