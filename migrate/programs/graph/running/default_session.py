"""``sess or tf.get_default_session()``: a session that a function may be given."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import SESSIONS
from migrate.programs.graph.model import NOTHING, Kind, Symbol, Value
from migrate.programs.graph.wording import known_branches
from migrate.programs.graph.wording.spelled import Spelled


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


def present(walker: Any, stmt: ast.If) -> None:
    """``if weights is not None and sess is not None:`` where every call gives a session.

    Raises:
        Spelled: what asks for it goes, as the parameter does.
    """
    test = stmt.test
    _asked(walker, stmt)
    parts = [test]
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        parts = test.values
    kept = [part for part in parts if not _always(walker, part)]
    if len(kept) == len(parts) or walker.nested:
        return
    reason = f"`{ast.unparse(test)}` asks for a session"
    if kept:
        written = (test, lambda source: " and ".join(map(source, kept)))
        raise Spelled(stmt, reason, [written])
    raise Spelled(stmt, reason, [(stmt, known_branches.chosen(stmt, stmt.body))])


def _asked(walker: Any, stmt: ast.If) -> None:
    """``if sess is None: … else: self.sess = sess``, where all calls give one, or none does.

    Raises:
        Spelled: that way's statements stand for the branch.
    """
    target, name = walker.frame.node, _without(stmt.test)
    symbol = walker.frame.env.get(name)
    if name is None or symbol is None or not isinstance(target, ast.FunctionDef) or walker.nested:
        return
    reads = [n for n in all_of(target, ast.Name) if n.id == name]
    calls = known_branches.every(walker, target)
    if not calls or any(not isinstance(n.ctx, ast.Load) for n in reads):
        return
    given = [known_branches.place(target, call, name) for call in calls]
    reason = f"`{ast.unparse(stmt.test)}` asks for a session"
    none = [n is None or (isinstance(n, ast.Constant) and n.value is None) for n in given]
    if symbol.value.kind is Kind.SESSION and not any(none):
        raise Spelled(stmt, reason, [(stmt, known_branches.chosen(stmt, stmt.orelse))])
    inside = {id(n) for part in (stmt.test, *stmt.orelse) for n in walk(part)}
    default = known_branches.given_to(target, ast.Call(stmt.test, [], []), name)
    if not missing(symbol.value) or not all(none) or default is None or default.value is not None:
        return
    if not any(_opens(walker, n) for part in stmt.body for n in walk(part)):
        return
    if all(id(n) in inside for n in reads) and not any(given):
        written = [(stmt, known_branches.chosen(stmt, stmt.body))]
        cut = known_branches.without(target, ast.Call(stmt.test, [], []), name)
        raise Spelled(stmt, reason, [*written, *cut])


def _without(test: ast.expr) -> str | None:
    """The name that a condition asks to be nothing."""
    name: ast.expr = test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        name = test.operand
    elif isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.Eq)):
        none = test.comparators[0]
        name = test.left if isinstance(none, ast.Constant) and none.value is None else test
    else:
        return None
    return name.id if isinstance(name, ast.Name) else None


def _opens(walker: Any, node: ast.AST) -> bool:
    """Whether an expression makes a session."""
    return walker.endpoints.get(id(node)) in SESSIONS


def _always(walker: Any, test: ast.expr) -> bool:
    """Whether a condition asks if a parameter is there that all calls give a session."""
    target = walker.frame.node
    name: ast.expr = test
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        none = test.comparators[0]
        if not isinstance(test.ops[0], (ast.IsNot, ast.NotEq)):
            return False
        if not isinstance(none, ast.Constant) or none.value is not None:
            return False
        name = test.left
    if not isinstance(name, ast.Name) or not isinstance(target, ast.FunctionDef):
        return False
    symbol = walker.frame.env.get(name.id)
    stores = [
        n for n in all_of(target, ast.Name) if n.id == name.id and not isinstance(n.ctx, ast.Load)
    ]
    if symbol is None or symbol.value.kind is not Kind.SESSION or stores:
        return False
    given = [
        known_branches.place(target, call, name.id) for call in known_branches.every(walker, target)
    ]
    return bool(given) and all(
        n is not None and not (isinstance(n, ast.Constant) and n.value is None) for n in given
    )
