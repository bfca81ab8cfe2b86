"""Branches on TensorFlow's version: the program is read as TF 1.15.5 runs it.

``if int(tf.__version__.split('.')[1]) < 12: init = tf.initialize_all_variables()``: the statements
of the way that it goes there stand for the condition. So do those of ``"concat_v2" in dir(tf)``.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from migrate import symbols
from migrate.engine.trees import walk
from migrate.programs.graph import old_releases
from migrate.programs.graph.known_branches import chosen
from migrate.programs.graph.spelled import Spelled

VERSION = "1.15.5"
NAMES = frozenset({"tensorflow.__version__", "tensorflow.VERSION"})
METHODS = frozenset({"split", "startswith"})
CALLS: dict[str, Callable[[Any], Any]] = {"int": int, "float": float, "str": str}
COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


class _Unknown(Exception):
    """What an expression is can't be told."""


def check(walker: Any, stmt: ast.If) -> None:
    """See whether a condition compares TensorFlow's version with constants.

    Raises:
        Spelled: it does.
    """
    names = [walker.endpoints.get(id(n), "") for n in walk(stmt.test)]
    versions = any(name.rpartition(".")[0] in NAMES or name in NAMES for name in names)
    if not versions and not any(_asks(walker, n) for n in walk(stmt.test)):
        return
    try:
        taken = _value(walker, stmt.test)
    except (_Unknown, ValueError, TypeError, IndexError):
        return
    branch = stmt.body if taken else stmt.orelse
    raise Spelled(stmt, "a branch on TensorFlow's version", [(stmt, chosen(stmt, branch))])


def _asks(walker: Any, node: ast.AST) -> str:
    """The name that ``"concat_v2" in dir(tf)`` or ``hasattr(tf, "concat_v2")`` looks for."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        name, call = node.left, node.comparators[0]
        if not isinstance(node.ops[0], (ast.In, ast.NotIn)) or not isinstance(call, ast.Call):
            return ""
        called, given = "dir", [*call.args, name]
    elif isinstance(node, ast.Call):
        call, called, given = node, "hasattr", list(node.args)
    else:
        return ""
    if not isinstance(call.func, ast.Name) or call.func.id != called or call.keywords:
        return ""
    said = given[1].value if len(given) == 2 and isinstance(given[1], ast.Constant) else None
    # What isn't public is no endpoint, and an import may bring `tf.python`.
    if not isinstance(said, str) or said.startswith("_") or said in ("python", "core"):
        return ""
    owner = old_releases.dotted(walker, given[0])
    return f"{owner}.{said}" if owner else ""


def _value(walker: Any, node: ast.AST) -> Any:
    """What an expression of the version and of constants is.

    Raises:
        _Unknown: there is something else in it.
    """
    if walker.endpoints.get(id(node)) in NAMES:
        return VERSION
    asked = _asks(walker, node)
    if asked:
        there = symbols.is_endpoint(asked)
        negated = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn)
        return not there if negated else there
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.BoolOp):
        every = [_value(walker, v) for v in node.values]
        return all(every) if isinstance(node.op, ast.And) else any(every)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _value(walker, node.operand)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        compare = COMPARED.get(type(node.ops[0]))
        if compare is not None:
            return compare(_value(walker, node.left), _value(walker, node.comparators[0]))
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return _value(walker, node.value)[node.slice.value]
    if isinstance(node, ast.Call) and not node.keywords:
        given = [_value(walker, a) for a in node.args]
        if isinstance(node.func, ast.Name) and node.func.id in CALLS and len(given) == 1:
            return CALLS[node.func.id](given[0])
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            name, _, method = walker.endpoints.get(id(node.func), "").rpartition(".")
            if name in NAMES:
                return getattr(VERSION, method)(*given)
    raise _Unknown
