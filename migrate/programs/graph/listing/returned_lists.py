"""Methods that return lists of variables beside tensors: each caller asks the graph for its own.

``return out, tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=name)`` is known where the name
is: ``out = self._build_net('pi')``, and the collection of ``'pi'`` in a statement of its own.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.optimizing.training_helpers import LISTS
from migrate.programs.graph.wording.respelled import Respelled

KEYS = T + "GraphKeys."


def check(walker: Any, target: ast.FunctionDef, call: ast.Call) -> None:
    """See whether a method that makes variables lists them at its end.

    Raises:
        Respelled: it does, and what calls it could.
    """
    last = target.body[-1]
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Tuple):
        return
    lists: dict[int, ast.Call] = {}  # by their place in what is returned
    dropped: list[ast.stmt] = []
    for stmt in reversed(target.body[:-1]):
        listed = stmt.value if isinstance(stmt, ast.Assign) else None
        if not _lists(walker, listed) or len(stmt.targets) != 1:  # type: ignore[attr-defined]
            break
        name = stmt.targets[0]  # type: ignore[attr-defined]
        loads = [n for n in walk(target) if isinstance(name, ast.Name) and _loaded(n, name.id)]
        places = [i for i, n in enumerate(last.value.elts) if n in loads]
        if len(loads) != 1 or not places:
            break
        assert isinstance(listed, ast.Call)
        lists[places[0]] = listed
        dropped.append(stmt)
    for place, item in enumerate(last.value.elts):
        if _lists(walker, item):
            assert isinstance(item, ast.Call)
            lists[place] = item
    parameters = {a.arg for a in target.args.args[1:]}
    read = {n.id for c in lists.values() for n in _arguments(c) if isinstance(n, ast.Name)}
    local = {n.id for n in all_of(target, ast.Name) if _stores(n)}
    if not lists or local & {n.id for c in lists.values() for n in all_of(c, ast.Name)}:
        return
    if not read <= parameters | {n.id for n in _roots(lists.values())}:
        return
    raise Respelled(
        call,
        f"`{target.name}` returns variables beside tensors",
        "returned lists",
        target=target,
        lists=lists,
        dropped=dropped,
    )


def _lists(walker: Any, node: ast.expr | None) -> bool:
    """Whether an expression asks the graph for variables."""
    if not isinstance(node, ast.Call) or walker.endpoints.get(id(node.func)) not in LISTS:
        return False
    keys = [walker.endpoints.get(id(n), "") for n in _arguments(node)]
    return any(
        k in (KEYS + "GLOBAL_VARIABLES", KEYS + "TRAINABLE_VARIABLES") for k in keys
    ) or not walker.endpoints.get(id(node.func), "").endswith("get_collection")


def _arguments(call: ast.Call) -> list[ast.AST]:
    return [n for a in (*call.args, *(k.value for k in call.keywords)) for n in walk(a)]


def _roots(calls: Any) -> list[ast.Name]:
    """The names with which attributes begin: TensorFlow's."""
    return [
        n.value
        for call in calls
        for n in all_of(call, ast.Attribute)
        if isinstance(n.value, ast.Name)
    ]


def _loaded(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


def _stores(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)
