"""Objects that are called where they are made, ``Net(4)(x)`` or ``Net(4).build(x)``.

What a run computes moves into functions; the object would be made anew in each. It gets a name.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph import meaning, spelled
from migrate.programs.graph.model import Blocked

MAKING = meaning.MAKING | meaning.VARIABLES | meaning.CELLS


def check(walker: Any, node: ast.Call) -> None:
    """See whether a call is of an object that is made there, whose class makes variables.

    Raises:
        Spelled: it is, and it may be made above.
        Blocked: it may not.
    """
    func = node.func
    made = func.value if isinstance(func, ast.Attribute) else func
    if not isinstance(made, ast.Call) or walker.frame.region is None:
        return
    cls = walker._module_function(made.func, (ast.ClassDef,))
    if cls is None:
        return
    if not any(walker.endpoints.get(id(n)) in MAKING for n in walk(cls)):
        return
    reason = f"an object of `{cls.name}` is used where it is made"
    wish = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.name).lower()
    if not walker.nested and not walker.loops:
        spelled.first(walker, walker.stmt, made, wish, reason)
    raise Blocked(made, reason)
