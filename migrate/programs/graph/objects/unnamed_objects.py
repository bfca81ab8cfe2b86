"""Objects that are called or asked where they are made, ``Net(4)(x)``, ``Net(x).loss``.

What a run computes moves into functions; the object would be made anew in each. It gets a name.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.wording import spelled

MAKING = meaning.MAKING | meaning.VARIABLES | meaning.CELLS


def check(walker: Any, node: ast.Call, value: Value) -> None:
    """See whether a tensor is of an object that is made there, whose class makes variables.

    Raises:
        Spelled: it is, and it may be made above.
        Blocked: it may not.
    """
    if value.kind is not Kind.TENSOR or walker.frame.region is None or not _made(walker, node):
        return
    calls = all_of(walker.stmt, ast.Call)
    found = [made for n in calls if (made := _made(walker, n)) is not None]
    made = min(found, key=lambda n: (n.lineno, n.col_offset), default=None)
    if made is None:
        return
    _named(walker, made)


def read(walker: Any, made: ast.expr) -> None:
    """See whether what is asked for a part of its graph has a name.

    Raises:
        Spelled: it hasn't, and it may be made above.
        Blocked: it may not.
    """
    if isinstance(made, ast.Call) and walker._module_function(made.func, (ast.ClassDef,)):
        _named(walker, made)


def _named(walker: Any, made: ast.Call) -> None:
    name = ast.unparse(made.func).rpartition(".")[2]
    reason = f"an object of `{name}` is used where it is made"
    if not walker.nested and not walker.loops:
        wish = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
        spelled.first(walker, walker.stmt, made, wish, reason)
    raise Blocked(made, reason)


def _made(walker: Any, node: ast.Call) -> ast.Call | None:
    """What makes the object that a call is of, where that has variables."""
    func = node.func
    made = func.value if isinstance(func, ast.Attribute) else func
    if not isinstance(made, ast.Call):
        return None
    cls = walker._module_function(made.func, (ast.ClassDef,))
    if cls is None or not any(walker.endpoints.get(id(n)) in MAKING for n in walk(cls)):
        return None
    return made
