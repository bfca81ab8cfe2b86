"""Graphs of their own: `tf.reset_default_graph`, and blocks of `tf.Graph().as_default()`.

What was built before belongs to no session that comes after a reset; what was built around a block
is there again behind it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Value


@family(T + "reset_default_graph")
def reset_default_graph(walker: Any, name: str, node: ast.Call) -> Value:
    """A new graph: its variables, summaries and sessions are other ones."""
    walker.arguments(node)
    if walker.frame.region is not None and not walker.nested and not walker.loops:
        if _built(walker):
            walker.forget()
    return Value(Kind.SETTING, name, node=node)


def _built(walker: Any) -> bool:
    """Whether a graph has something: the first one is as new as one that is reset."""
    if walker.owned or walker.created or walker.sessions or walker.graph or walker.sites:
        return True
    steps = (step for region in walker.regions for step in region.steps)
    return any(step.kind not in (Kind.HOST, Kind.SETTING) for step in steps)


def begun(walker: Any, function: ast.FunctionDef | None) -> None:
    """The graph of an object whose `__init__` resets it before it builds anything."""
    for stmt in function.body if function is not None else ():
        call = stmt.value if isinstance(stmt, ast.Expr) else None
        name = walker.endpoints.get(id(call.func)) if isinstance(call, ast.Call) else None
        if name == T + "reset_default_graph":
            if walker.frame.region is not None and not walker.nested and not walker.loops:
                walker.forget()
            return
        if walker._mentions(stmt):
            return


@dataclass(slots=True, eq=False, repr=False)
class Outside:
    """What a graph has when a block of another one begins."""

    owned: list[Any]
    created: list[Any]
    kept: dict[str, Any]
    naming: Any
    state: tuple[Any, ...]
    forgotten: set[int]
    past: set[int]
    found: set[int]  # all steps, gradients, variables and layers so far
    graph: tuple[Any, ...]  # its number, names and what it is


def opened(walker: Any, node: ast.expr) -> Outside | None:
    """``tf.Graph().as_default()``: a graph that nothing else gets at; None where it isn't that.

    A block that nothing was built before is like the whole program's graph.
    """
    func = node.func if isinstance(node, ast.Call) else None
    made = func.value if isinstance(func, ast.Attribute) else None
    if not isinstance(made, ast.Call) or walker.endpoints.get(id(made.func)) != T + "Graph":
        return None
    if walker.nested or walker.loops or not (walker.owned or walker.created or walker.sessions):
        return None
    kept = walker.kept
    found = Outside(
        list(walker.owned),
        list(walker.created),
        kept,
        walker.naming,
        (walker.stateful, walker.fresh, walker.sessions, walker.init_runs, walker.latest),
        set(walker.forgotten),
        set(walker.past),
        _found(walker),
        (walker.graph, walker.at_hand, walker.entered_graph),
    )
    walker.forget()
    return found


def closed(walker: Any, outside: Outside) -> None:
    """The end of such a block: its own parts are forgotten, those around it are back."""
    walker.forget()
    own = _found(walker) - outside.found
    walker.forgotten = outside.forgotten | (walker.forgotten & own)
    walker.past = outside.past | (walker.past & own)
    walker.owned[:] = outside.owned
    walker.created[:] = outside.created
    inside, walker.kept = walker.kept, outside.kept
    inside.pop("renewals", None)  # they are checked
    for key, value in inside.items():
        known = walker.kept.get(key)
        if isinstance(value, (dict, set)) and known is not None:
            value = known | value
        elif isinstance(value, list) and known is not None:
            value = known + [item for item in value if item not in known]
        walker.kept[key] = value
    walker.naming = outside.naming
    walker.stateful, walker.fresh, walker.sessions, walker.init_runs, walker.latest = outside.state
    walker.graph, walker.at_hand, walker.entered_graph = outside.graph
    for name in walker.at_hand:
        walker.graphs.pop(name, None)


def _found(walker: Any) -> set[int]:
    steps = {id(step) for region in walker.regions for step in region.steps}
    return steps | {*walker.gradients, *walker.applies, *walker.made, *walker.layers}
