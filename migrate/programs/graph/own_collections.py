"""Collections of one's own: variables that are put into them when they are made.

``tf.get_variable(…, collections=['target_net_params', tf.GraphKeys.GLOBAL_VARIABLES])`` and later
``tf.get_collection('target_net_params')``: a list of variables.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import HOST, Blocked, Kind, Step, Symbol, Value

GRAPH_KEYS = T + "GraphKeys."
EVERY = frozenset({"GLOBAL_VARIABLES", "VARIABLES"})
KNOWN = EVERY | {"TRAINABLE_VARIABLES"}


def put(walker: Any, call: ast.Call, node: ast.expr) -> None:
    """Remember which collections a variable is made in.

    Raises:
        Blocked: they aren't seen, or aren't those of all variables and the program's own.
    """
    if isinstance(node, ast.Constant) and node.value is None:
        return
    display = _display(walker, node)
    if display is None:
        raise Blocked(node, "a variable in collections that aren't seen")
    own: list[str] = []
    known: set[str] = set()
    for key in display.elts:
        name = walker.endpoints.get(id(key), "")
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            own.append(key.value)
        elif name.removeprefix(GRAPH_KEYS) in KNOWN:
            known.add(name.removeprefix(GRAPH_KEYS))
        else:
            raise Blocked(key, "a variable in a collection that isn't followed")
    if not known & EVERY:
        raise Blocked(node, "a variable that isn't among all variables")
    walker.kept.setdefault("own collections", {})[id(call)] = tuple(own)


def _display(walker: Any, node: ast.expr) -> ast.List | ast.Tuple | None:
    """The list of collections, where it is written or has a name."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return node
    symbol = walker.frame.env.get(node.id) if isinstance(node, ast.Name) else None
    made = symbol.step.node if symbol is not None else None
    if symbol is None or not isinstance(made, ast.Assign) or len(made.targets) != 1:
        return None
    target, value = made.targets[0], made.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for name, item in zip(target.elts, value.elts, strict=False):
            if isinstance(name, ast.Name) and name.id == symbol.name:
                value = item
                break
    if not isinstance(value, (ast.List, ast.Tuple)):
        return None
    walker.kept.setdefault("collection names", {}).setdefault(symbol, {})[id(node)] = value
    return value


def of(walker: Any, call: ast.AST | None) -> tuple[str, ...]:
    """The collections of one's own that a variable is in."""
    found: tuple[str, ...] = walker.kept.get("own collections", {}).get(id(call), ())
    return found


def unneeded(walker: Any) -> None:
    """Lists of collections under a name go: nothing else reads them.

    Raises:
        Blocked: something does.
    """
    names: dict[Symbol, dict[int, ast.expr]] = walker.kept.get("collection names", {})
    told = {id_ for uses in names.values() for id_ in uses}
    for symbol, uses in names.items():
        scope = symbol.step.function
        assert scope is not None
        for n in ast.walk(scope):
            if isinstance(n, ast.Name) and n.id == symbol.name and isinstance(n.ctx, ast.Load):
                if id(n) not in told:
                    raise Blocked(n, "a list of collections is used for something else, too")
        _drop(walker, symbol, next(iter(uses.values())))


def _drop(walker: Any, symbol: Symbol, value: ast.expr) -> None:
    step: Step = symbol.step
    made = step.node
    assert isinstance(made, ast.Assign)
    target = made.targets[0]
    if isinstance(target, ast.Name):
        symbol.value = Value(Kind.SETTING)
        step.kind, step.value = Kind.SETTING, HOST
        return
    assert isinstance(target, ast.Tuple)
    assert isinstance(made.value, ast.Tuple)
    if step.kind is not Kind.HOST:
        raise Blocked(made, "a list of collections beside other things")
    cuts = walker.kept.setdefault("cut items", {}).setdefault(id(made), [])
    place = made.value.elts.index(value)
    for items in (target.elts, made.value.elts):
        last = place == len(items) - 1
        cuts.append((items[place - 1] if last else items[place], items[place + (not last)], last))
