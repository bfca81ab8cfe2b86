"""Branches on TensorFlow's version: the program is read as TF 1.15.5 runs it.

``if int(tf.__version__.split('.')[1]) < 12: init = tf.initialize_all_variables()``: the statements
of the way that it goes there stand for the condition. So do those of ``"concat_v2" in dir(tf)``,
and of a name that was given the version, or a number made of it. ``tf.executing_eagerly()`` is
false: a program with a session runs its graph.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from migrate import symbols
from migrate.engine.trees import holds, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording import old_releases
from migrate.programs.graph.wording.known_branches import chosen
from migrate.programs.graph.wording.spelled import Source, Spelled, same, word

VERSION = "1.15.5"
NAMES = frozenset({"tensorflow.__version__", "tensorflow.VERSION"})
# A session keeps what enables eager execution from being called: no program comes here with it.
EAGERLY = frozenset(
    {
        "tensorflow.executing_eagerly",
        "tensorflow.contrib.eager.executing_eagerly",
        "tensorflow.contrib.eager.in_eager_mode",
    }
)
REASON = "a branch on TensorFlow's version"
METHODS = frozenset({"split", "startswith", "find", "rfind", "index", "rindex", "join", "replace"})


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


CALLS: dict[str, Callable[[Any], Any]] = {
    "int": int,
    "float": float,
    "str": str,
    "tuple": tuple,
    "list": list,
    **dict.fromkeys(("LooseVersion", "StrictVersion", "parse_version"), _numbers),
}
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
    if not _version(walker, stmt.test) and not any(_asks(walker, n) for n in walk(stmt.test)):
        return
    taken = _taken(walker, stmt, {})
    if taken is not None:
        tree = walker.files.at(stmt).tree or walker.tree
        text = taken[0] if taken[1] or not _alone(tree, stmt) else word("pass")
        raise Spelled(stmt, REASON, [(stmt, text), *_behind(tree, stmt, taken[1])])


def assigned(walker: Any, stmt: ast.Assign) -> None:
    """See whether a statement keeps the version, or asks for it in an expression.

    Raises:
        Spelled: it does, and what reads the name only asks which way to go.
        Blocked: a condition that reads the name can't be told.
    """
    if not _version(walker, stmt.value):
        return
    for node in walk(stmt.value):
        if isinstance(node, ast.IfExp) and _version(walker, node.test):
            way = _way(walker, node.test, {})
            if way is not None:
                raise Spelled(node, REASON, [(node, same(node.body if way else node.orelse))])
    target = stmt.targets[0]
    if len(stmt.targets) > 1 or not isinstance(target, ast.Name):
        return
    tree, name = walker.files.at(stmt).tree or walker.tree, target.id
    nodes = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == name]
    reads = [n for n in nodes if isinstance(n.ctx, ast.Load)]
    asking = [n for n in walk(tree) if isinstance(n, (ast.If, ast.IfExp, ast.While, ast.Assert))]
    asked = [n for n in asking if any(holds(n.test, read) for read in reads)]
    if not asked:
        return
    try:
        known = {name: _value(walker, stmt.value, {})}
    except (_Unknown, ValueError, TypeError, IndexError, AttributeError):
        known = {}
    other = any(isinstance(n, ast.arg) and n.arg == name for n in walk(tree)) or any(
        name in (getattr(n, "id", ""), getattr(n, "attr", ""), getattr(n, "name", ""))
        for file in walker.files.order
        for n in walk(file.tree)
        if file.tree is not None and file.tree is not tree
    )
    if other or len(nodes) != len(reads) + 1:
        raise Blocked(asked[0], REASON)
    edits: list[tuple[ast.AST, Any]] = []
    left = list(reads)
    for node in (n for n in asked if not any(m is not n and holds(m, n) for m in asked)):
        taken = _taken(walker, node, known)
        if taken is None:
            raise Blocked(node, REASON)
        text = taken[0] if taken[1] or not _alone(tree, node) else word("pass")
        edits += [(node, text), *_behind(tree, node, taken[1])]
        inside = {id(n) for n in reads if holds(node, n)}
        again = {id(n) for n in reads if any(holds(part, n) for part in taken[1])}
        left = [n for n in left if id(n) not in inside or id(n) in again]
    if not left:
        edits.append((stmt, word("")))
    raise Spelled(stmt, REASON, edits)


def _taken(
    walker: Any, node: ast.AST, known: Mapping[str, Any]
) -> tuple[Callable[[Source], str | None], Sequence[ast.AST]] | None:
    """What a condition chooses, through all `elif`s: its text and nodes.

    None where it can't be told.
    """
    if isinstance(node, ast.Assert):  # on TF 2 it might stop
        return (word(""), []) if _way(walker, node.test, known) else None
    if not isinstance(node, (ast.If, ast.IfExp)):
        return None
    way = _way(walker, node.test, known)
    if way is None:
        return None
    if isinstance(node, ast.IfExp):
        part = node.body if way else node.orelse
        return same(part), [part]
    rest = node.orelse
    if not way and len(rest) == 1 and isinstance(rest[0], ast.If):
        if rest[0].col_offset == node.col_offset:  # `elif`
            return _taken(walker, rest[0], known)
    branch = node.body if way else rest
    return chosen(node, branch), branch


def _behind(tree: ast.Module, node: ast.AST, branch: Sequence[ast.AST]) -> list[Any]:
    """The statements behind a branch that is left by the way that stays: they go."""
    if not branch or not isinstance(branch[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break)):
        return []
    for n in walk(tree):
        for body in (getattr(n, "body", None), getattr(n, "orelse", None)):
            if isinstance(body, list) and node in body:
                return [(s, word("")) for s in body[body.index(node) + 1 :]]
    return []


def _alone(tree: ast.Module, node: ast.AST) -> bool:
    """Whether a statement is all that its block has."""
    blocks = (getattr(n, part, None) for n in walk(tree) for part in ("body", "orelse"))
    return any(isinstance(block, list) and block == [node] for block in blocks)


def _version(walker: Any, node: ast.AST) -> bool:
    """Whether an expression reads the version, or asks whether ops run at once."""
    names = [walker.endpoints.get(id(n), "") for n in walk(node)]
    return any(name.rpartition(".")[0] in NAMES or name in NAMES | EAGERLY for name in names)


def _way(walker: Any, test: ast.expr, known: Mapping[str, Any]) -> bool | None:
    """Which way a condition goes; None where that can't be told."""
    try:
        return bool(_value(walker, test, known))
    except (_Unknown, ValueError, TypeError, IndexError, AttributeError):
        return None


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


def _value(walker: Any, node: ast.AST, known: Mapping[str, Any]) -> Any:
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
    if isinstance(node, ast.Name) and node.id in known:
        return known[node.id]
    if isinstance(node, (ast.Tuple, ast.List)):
        items = [_value(walker, item, known) for item in node.elts]
        return tuple(items) if isinstance(node, ast.Tuple) else items
    if isinstance(node, ast.BoolOp):
        every = [_value(walker, v, known) for v in node.values]
        return all(every) if isinstance(node.op, ast.And) else any(every)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _value(walker, node.operand, known)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        compare = COMPARED.get(type(node.ops[0]))
        if compare is not None:
            return compare(
                _value(walker, node.left, known), _value(walker, node.comparators[0], known)
            )
    if isinstance(node, ast.Subscript):
        part = node.slice
        ends = (part.lower, part.upper, part.step) if isinstance(part, ast.Slice) else (part,)
        at = [None if end is None else _value(walker, end, known) for end in ends]
        return _value(walker, node.value, known)[
            slice(*at) if isinstance(part, ast.Slice) else at[0]
        ]
    if isinstance(node, ast.Call) and not node.keywords:
        func = node.func
        if walker.endpoints.get(id(func)) in EAGERLY:
            return False
        called = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
        if called == "map" and isinstance(node.args[0], ast.Name) and len(node.args) == 2:
            each = CALLS.get(node.args[0].id, _unknown)
            return [each(item) for item in _value(walker, node.args[1], known)]
        given = [_value(walker, a, known) for a in node.args]
        if called in METHODS and isinstance(func, ast.Attribute):
            whole = walker.endpoints.get(id(func), "").rpartition(".")[0] in NAMES
            owner = VERSION if whole else _value(walker, func.value, known)
            if isinstance(owner, str):
                return getattr(owner, called)(*given)
        elif called in CALLS and len(given) == 1:
            return CALLS[called](given[0])
    raise _Unknown


def _unknown(item: object) -> object:
    raise _Unknown
