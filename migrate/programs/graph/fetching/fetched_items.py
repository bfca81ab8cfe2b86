"""Items of a dict or a list that a loop fetches: ``for name in names: layers[name].eval()``.

One function can't give another tensor in each round: it gives them all, of which the round takes
its own, ``sess.run(layers)[name]``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Kind, Step, Value
from migrate.programs.graph.wording.spelled import Source, Spelled


def check(walker: Any, node: ast.Call, fetch: ast.expr) -> None:
    """See whether what is fetched is an item that the loop around the run chooses.

    Raises:
        Spelled: it is, and all of them can be fetched instead.
    """
    if not isinstance(fetch, ast.Subscript) or not isinstance(fetch.value, ast.Name):
        return
    loops = _loops(walker)
    names = {n.id for n in all_of(fetch.slice, ast.Name)}
    inside = [n for loop in loops for n in all_of(loop, ast.Name)]
    bound = {n.id for n in inside if not isinstance(n.ctx, ast.Load)}
    if not names & bound or fetch.value.id in bound:
        return
    plain = (ast.Name, ast.Constant, ast.expr_context)
    if not all(isinstance(n, plain) for n in walk(fetch.slice)):
        return
    held = _value(walker, fetch.value)
    region = walker.frame.region
    whole = held.kind is Kind.TENSOR and (held.items is not None or held.data == "container")
    if not whole or region is None or any(step.random for step in region.steps):
        return
    func = node.func
    assert isinstance(func, ast.Attribute)
    if func.attr == "eval":
        session = _session(walker, node)
        if session is None:
            return
    else:
        session = ast.unparse(func.value)
    rest = [a for a in node.args if a is not fetch and not _is_session(walker, a)]
    given = [k for k in node.keywords if k.arg == "feed_dict"]

    def written(source: Source) -> str:
        parts = [source(fetch.value), *map(source, rest)]
        parts += [f"{k.arg}={source(k.value)}" for k in given]
        return f"{session}.run({', '.join(parts)})[{source(fetch.slice)}]"

    what = f"`{sorted(names & bound)[0]}`, with which this is computed, changes in the loop"
    raise Spelled(node, what, [(node, written)])


def _value(walker: Any, node: ast.expr) -> Value:
    """What an expression is; the statement at hand doesn't read it."""
    sink = walker.sink
    walker.sink = Step(-1, sink.node, Kind.HOST)
    try:
        found: Value = walker.expression(node)
    finally:
        walker.sink = sink
    return found


def _loops(walker: Any) -> list[ast.For]:
    """The loops around the run, of its own function."""
    scope = walker.frame.node
    if scope is None or walker.stmt is None:
        return []
    return [n for n in all_of(scope, ast.For) if walker.stmt in walk(n)]


def _is_session(walker: Any, node: ast.expr) -> bool:
    return _value(walker, node).kind is Kind.SESSION


def _session(walker: Any, node: ast.Call) -> str | None:
    """What the program calls the session in which a tensor is evaluated."""
    for one in (*node.args[1:2], *(k.value for k in node.keywords if k.arg == "session")):
        return ast.unparse(one) if isinstance(one, (ast.Name, ast.Attribute)) else None
    found = None
    for block in walk(walker.frame.node):
        if isinstance(block, ast.With) and walker.stmt in walk(block):
            for item in block.items:
                name = item.optional_vars
                try:
                    kind = _value(walker, name).kind if isinstance(name, ast.Name) else None
                except Blocked:
                    kind = None
                if kind is Kind.SESSION and isinstance(name, ast.Name):
                    found = name.id  # the innermost one
    return found
