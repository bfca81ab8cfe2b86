"""Functions that make variables and are given to an op: ``tf.scan(step, rows, initializer=start)``.

Such an op calls its function once while the graph is made: the variables may be made above it.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.wording.spelled import Source, Spelled, word

ONCE = frozenset(T + name for name in ("scan", "map_fn", "foldl", "foldr"))
MAKES = T + "get_variable"
INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def check(walker: Any, node: ast.FunctionDef, scope: ast.AST, reason: str) -> None:
    """See whether a function begins with variables that its one call can find.

    ``scope``: where the function stands.

    Raises:
        Spelled: it does.
    """
    stmt, body = walker.stmt, node.body[ast.get_docstring(node) is not None :]
    plain = not walker.nested and not walker.loops and walker.frame.region is not None
    if not plain or walker.scopes or walker.frame.node is not scope or node.decorator_list:
        return
    if not any(_given(walker, n, node.name) for n in walk(stmt)):
        return
    named = [n for n in walk(walker.tree) if getattr(n, "id", getattr(n, "attr", "")) == node.name]
    made = [k for k, s in enumerate(body) if any(_variable(walker, n) for n in walk(s))]
    if len(named) != 1 or not made or made[-1] + 1 >= len(body):
        return
    first = body[: made[-1] + 1]
    own = {a.arg for a in all_of(node.args, ast.arg)}
    moved: list[tuple[str, ast.expr]] = []
    for one in first:
        if not isinstance(one, ast.Assign) or len(one.targets) != 1:
            return
        target = one.targets[0]
        read = {n.id for n in all_of(one.value, ast.Name)}
        odd = any(isinstance(n, (*INNER, ast.NamedExpr, ast.JoinedStr)) for n in walk(one.value))
        if not isinstance(target, ast.Name) or read & own or odd:
            return
        if not _plain(walker, one.value):
            return
        moved.append((target.id, one.value))
    names = {name for name, _ in moved}
    if len(names) != len(moved) or not _alone(walker, node, first, names):
        return

    def lines(source: Source) -> list[str]:
        return [f"{name} = {source(value)}" for name, value in moved]

    raise Spelled(node, reason, [(s, word("")) for s in first], [(stmt, lines)])


def _given(walker: Any, call: ast.AST, name: str) -> bool:
    """Whether a call is of an op that calls a function once, and is given this one."""
    if not isinstance(call, ast.Call) or walker.endpoints.get(id(call.func)) not in ONCE:
        return False
    given = call.args[0] if call.args else None
    given = next((k.value for k in call.keywords if k.arg == "fn"), given)
    return isinstance(given, ast.Name) and given.id == name


def _variable(walker: Any, node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) == MAKES


def _plain(walker: Any, value: ast.expr) -> bool:
    """Whether what is moved is a variable, or one of TensorFlow's names."""
    if isinstance(value, ast.Attribute):
        return id(value) in walker.endpoints
    if not _variable(walker, value):
        return False
    calls = all_of(value, ast.Call)
    return not any(walker._module_function(n.func) is not None for n in calls)


def _alone(walker: Any, node: ast.FunctionDef, first: list[ast.stmt], names: set[str]) -> bool:
    """Whether nothing else in the program has one of the names."""
    mine = {id(n) for n in walk(node)}
    stores = [
        n for n in all_of(node, ast.Name) if n.id in names and not isinstance(n.ctx, ast.Load)
    ]
    if len(stores) != len(first):
        return False
    said = (getattr(n, "id", getattr(n, "arg", "")) for n in walk(walker.tree) if id(n) not in mine)
    defined = (n.name for n in walk(walker.tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef)))
    inner = [n for n in walk(node) if isinstance(n, INNER) and n is not node]
    return not names & set(said) and not names & set(defined) and not inner
