"""Sizes that a loop's rounds take from what the last one computed.

``for m in sizes: n = int(h.get_shape()[1]); w = tf.Variable(tf.zeros([n, m]))``: variables are made
before anything is computed. The number goes from round to round in a name of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.made import DISPLAYS
from migrate.programs.graph.meaning import VARIABLES
from migrate.programs.graph.model import HOST, Blocked
from migrate.programs.graph.sizing import static_dims
from migrate.programs.graph.sizing.dimensions import ANY
from migrate.programs.graph.sizing.shapes import OPEN
from migrate.programs.graph.wording.spelled import Source, Spelled

KEPT = "carried sizes"
UNKNOWN = ast.Tuple([], ast.Load())
REASON = "a variable is shaped by what its loop computes"


def opened(walker: Any, loop: ast.stmt) -> None:
    """Remember which statements of a loop take such sizes."""
    if not isinstance(loop, ast.For) or loop.orelse or walker.frame.region is None:
        return
    if any(isinstance(n, (ast.Break, ast.Continue, ast.Return)) for n in walk(loop)):
        return
    wanted: set[str] = set()
    for node in walk(loop):
        if isinstance(node, ast.Call) and walker.endpoints.get(id(node.func)) in VARIABLES:
            wanted |= {n.id for n in all_of(node, ast.Name)}
    for place, stmt in enumerate(loop.body):
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        if not isinstance(target, ast.Name) or target.id not in wanted:
            continue
        assert isinstance(stmt, ast.Assign)
        tensor, at = _size(stmt.value)
        if tensor is None or len(stmt.targets) != 1 or not _alone(walker, loop, target.id):
            continue
        stores = [s for s in walk(loop) if _stores(s, tensor.id)]
        if len(stores) == 1 and stores[0] in loop.body[place + 1 :]:
            walker.kept.setdefault(KEPT, {})[id(stmt)] = [loop, stmt, tensor, at, stores[0], ""]


def taken(walker: Any, stmt: ast.Assign) -> bool:
    """Whether a statement takes such a size; what it begins with is noted."""
    found = walker.kept.get(KEPT, {}).get(id(stmt))
    if found is None:
        return False
    walker.expression(stmt.value)
    if not found[5]:
        found[5] = _dim(walker, found[2], found[3])
    for target in stmt.targets:
        walker.bind(target, HOST)
    return True


def closed(walker: Any, loop: ast.For | ast.While) -> None:
    """A round is over: what the next one finds is seen.

    Raises:
        Spelled: it has a name.
        Blocked: it hasn't.
    """
    for found, stmt, tensor, at, store, start in list(walker.kept.get(KEPT, {}).values()):
        if found is not loop or not isinstance(loop, ast.For):
            continue
        each = [n.id for n in all_of(loop, ast.Name) if _store(n)]
        header = [n.id for n in all_of(loop.target, ast.Name)]
        walker.kept[static_dims.ROUND] = {name for name in header if each.count(name) == 1}
        env, last = _names(walker, loop, tensor, store), loop.body[-1]
        end = _dim(walker, store.value, at, env) if env is not None else ""
        walker.kept[static_dims.ROUND] = set()
        name = stmt.targets[0].id
        simple = isinstance(last, (ast.Assign, ast.Expr)) and last is not stmt
        read = {n.id for n in all_of(last, ast.Name)}
        stored = {n.id for n in all_of(last, ast.Name) if _store(n)}
        words = {n.id for n in all_of(ast.parse(end or "0"), ast.Name)}
        if not start or not end or not simple or name in read or words & stored:
            raise Blocked(stmt, REASON)
        lines = [(loop, _line(name, start)), (last, _line(name, end))]
        raise Spelled(stmt, REASON, [(stmt, _nothing)], lines)


def _line(name: str, value: str) -> Callable[[Source], list[str]]:
    return lambda source: [f"{name} = {value}"]


def _size(node: ast.expr) -> tuple[ast.Name | None, int]:
    """The tensor and the place of ``int(h.get_shape()[1])`` and the like."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "int" and len(node.args) == 1:
        return _size(node.args[0])
    if isinstance(node, ast.Attribute) and node.attr == "value":
        return _size(node.value)
    if not isinstance(node, ast.Subscript):
        return None, 0
    try:
        at = ast.literal_eval(node.slice)
    except ValueError:
        return None, 0
    below: ast.expr = node.value
    while isinstance(below, ast.Call) and isinstance(below.func, ast.Attribute) and not below.args:
        if below.func.attr not in ("get_shape", "as_list"):
            return None, 0
        below = below.func.value
    if isinstance(below, ast.Attribute) and below.attr == "shape":
        below = below.value
    shaped = below is not node.value and isinstance(at, int)
    return (below, at) if shaped and isinstance(below, ast.Name) else (None, 0)


def _alone(walker: Any, loop: ast.For, name: str) -> bool:
    """Whether nothing but a loop reads or binds a name, and the loop binds it once."""
    inside = {id(n) for n in walk(loop)}
    every = [n for n in walk(walker.frame.node) if getattr(n, "id", "") == name]
    named = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.GeneratorExp)
    hidden = [n for part in walk(loop) if isinstance(part, named) for n in walk(part)]
    stores = [n for n in every if isinstance(n, ast.Name) and _store(n)]
    return (
        all(id(n) in inside for n in every)
        and len(stores) == 1
        and not any(getattr(n, "id", "") == name for n in hidden)
    )


def _stores(node: ast.AST, name: str) -> bool:
    """Whether a statement gives a name a value."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
        targets = [node.target]
    inner = [t for top in targets for t in (top.elts if isinstance(top, DISPLAYS) else [top])]
    return any(isinstance(t, ast.Name) and t.id == name for t in inner)


def _names(walker: Any, loop: ast.For, tensor: ast.Name, store: ast.stmt) -> dict[str, Any] | None:
    """What the names of a loop's body mean where it gives the tensor anew.

    Of what it finds only the rank is the same in each round.
    """
    begun = static_dims.dims(walker, tensor, None)
    if begun is None:
        return None
    found: dict[str, Any] = {tensor.id: ([ANY] * len(begun), None)}
    for stmt in loop.body[: loop.body.index(store)]:
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        if isinstance(stmt, ast.Assign) and isinstance(target, ast.Name) and len(stmt.targets) == 1:
            found[target.id] = (stmt.value, dict(found))
            continue
        for n in walk(stmt):
            if isinstance(n, ast.Name) and _store(n):
                found[n.id] = (UNKNOWN, None)
    return found


def _dim(walker: Any, node: ast.expr, at: int, env: dict[str, Any] | None = None) -> str:
    """How a dimension of a tensor is written; empty where it isn't seen."""
    dims = static_dims.dims(walker, node, env)
    if dims is None or not -len(dims) <= at < len(dims) or dims[at].text == OPEN:
        return ""
    return dims[at].text


def _store(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _nothing(source: Source) -> str:
    return ""
