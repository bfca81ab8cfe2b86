"""``tf.assign(v, x, validate_shape=False)``: a variable that changes its shape.

In TF 2 only a variable that was made without one, ``shape=tf.TensorShape(None)``, may do so.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Source, Spelled

REASON = "a variable changes its shape"


def check(walker: Any, name: str, node: ast.Call) -> None:
    """See whether the variable of an assignment may change its shape.

    Raises:
        Spelled: it is one that is made without a shape.
        Blocked: it has a shape, or isn't seen.
    """
    given = walker.bound(name, node) if name == T + "assign" else {}
    flag = given.get("validate_shape")
    if flag is None or _is(flag, True):
        return
    ref, value = given.get("ref"), given.get("value")
    made = None if ref is None else walker.expression(ref).node
    others = given.keys() - {"ref", "value", "validate_shape"}
    if ref is None or value is None or others or not _is(flag, False):
        raise Blocked(node, REASON)
    if not isinstance(made, ast.Call):
        raise Blocked(node, REASON)
    if walker.endpoints.get(id(made.func)) != T + "Variable":
        raise Blocked(node, REASON)
    keyword = next((k for k in made.keywords if k.arg == "validate_shape"), None)
    shaped = next((k.value for k in made.keywords if k.arg == "shape"), None)
    if shaped is not None and ast.unparse(shaped).endswith("TensorShape(None)"):
        keyword = None
    elif keyword is None or not _is(keyword.value, False) or shaped is not None:
        raise Blocked(node, REASON)
    root = made.func.value if isinstance(made.func, ast.Attribute) else None
    if root is None:
        raise Blocked(node, REASON)

    def assigned(source: Source) -> str:
        return f"{source(node.func)}({source(ref)}, {source(value)})"

    def unshaped(source: Source) -> str:
        return f"shape={source(root)}.TensorShape(None)"

    edits = [(node, assigned)] if keyword is None else [(node, assigned), (keyword, unshaped)]
    raise Spelled(node, REASON, edits)


def _is(node: ast.expr, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value
