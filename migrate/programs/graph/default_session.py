"""``sess or tf.get_default_session()``: a session that a function may be given."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.programs.graph.model import NOTHING, Kind, Symbol, Value


def missing(value: Value) -> bool:
    """Whether a value is Python's ``None``, for a session that isn't given."""
    return value.kind is Kind.HOST and value.data == NOTHING


def chosen(walker: Any, given: tuple[Value, ast.expr], other: Value) -> Value | None:
    """The session of an argument, or another one; None where it isn't that.

    The parameter goes, whether some call gives it or none.
    """
    value, node = given
    target = walker.frame.node
    if other.kind is not Kind.SESSION or not (value.kind is Kind.SESSION or missing(value)):
        return None
    if not isinstance(target, ast.FunctionDef) or not isinstance(node, ast.Name):
        return None
    if node.id not in {a.arg for a in (*target.args.args, *target.args.kwonlyargs)}:
        return None
    walker.session_params.setdefault(id(target), set()).add(node.id)
    return other


def either(walker: Any, node: ast.BoolOp, values: Sequence[Value]) -> Value | None:
    """``sess or tf.get_default_session()``; None where it isn't that."""
    if not isinstance(node.op, ast.Or) or len(values) != 2:
        return None
    return chosen(walker, (values[0], node.values[0]), values[1])


def conditional(walker: Any, node: ast.IfExp, body: Value, orelse: Value) -> Value | None:
    """``sess if sess else tf.get_default_session()``; None where it isn't that."""
    plain = isinstance(node.test, ast.Name) and ast.dump(node.test) == ast.dump(node.body)
    return chosen(walker, (body, node.body), orelse) if plain else None


def merged(walker: Any, node: ast.AST, symbols: tuple[Symbol, Symbol]) -> Value | None:
    """``if sess is None: sess = tf.get_default_session()``; None where it isn't that."""
    if not isinstance(node, ast.If) or node.orelse or len(node.body) != 1:
        return None
    (stmt,), test, name = node.body, node.test, symbols[0].name
    if ast.unparse(test) not in (f"{name} is None", f"{name} == None", f"not {name}"):
        return None
    if not isinstance(stmt, ast.Assign) or [ast.unparse(t) for t in stmt.targets] != [name]:
        return None
    read = ast.Name(name, ast.Load())
    sessions = sorted((s.value for s in symbols), key=lambda value: value.kind is Kind.SESSION)
    return chosen(walker, (sessions[0], read), sessions[1])
