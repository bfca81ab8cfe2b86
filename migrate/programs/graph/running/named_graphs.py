"""Graphs under names, ``self.g = tf.Graph()``: each has its own variables, and sessions in turn.

The first one is as the default graph is, as long as that has nothing. What another one's blocks
build and its sessions run is looked at beside what that graph has; behind it the graph around is
there again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.running.again import LASTING

DEFAULT = 0  # the graph that is there at the start
FRESH = (False, None, 0, 0, None)
ELSEWHERE = "a graph in a scope of another one, or that was reset"


@dataclass(slots=True, eq=False, repr=False)
class Graph:
    """What a graph has, while another one is at hand."""

    names: set[int]  # where it was made
    owned: list[Any]
    created: list[Any]
    kept: dict[Any, Any]
    naming: Any
    state: tuple[Any, ...]
    number: int
    own: set[int]  # its steps, gradients, variables and layers


def made(walker: Any, node: ast.Call) -> Value:
    """``tf.Graph()``: another one each time."""
    walker.graphs.pop(id(node), None)
    return Value(Kind.GRAPH, ("graph", id(node)), node=node)


def entered(owner: Value, node: ast.AST) -> Value:
    """``g.as_default()``."""
    return Value(Kind.GRAPH, owner.data, node=node)


def of_session(walker: Any, owner: Value) -> Value:
    """``sess.graph``."""
    return Value(Kind.GRAPH, ("graph", walker.kept.get(("graph of", id(owner.node)), DEFAULT)))


def session(walker: Any, node: ast.Call, name: str) -> Value:
    """Take note whose graph a session is of.

    Raises:
        Blocked: it is everywhere the default session, but of another graph.
    """
    given = next((k.value for k in node.keywords if k.arg == "graph"), None)
    if given is None and len(node.args) > 1:
        given = node.args[1]
    found = None
    if isinstance(given, (ast.Name, ast.Attribute)):
        found = _of(walker, walker.expression(given))
    walker.kept["graph of", id(node)] = min(walker.at_hand) if found is None else found
    value = Value(Kind.SESSION, name, node=node)
    if name.endswith("InteractiveSession") and found in walker.graphs:
        raise Blocked(node, "the default session of another graph")
    return value


def same(walker: Any, owner: Value, node: ast.Call) -> Value:
    """``sess.as_default()``."""
    walker.kept["graph of", id(node)] = walker.kept.get(("graph of", id(owner.node)), DEFAULT)
    return Value(Kind.SESSION, node=node)


def _of(walker: Any, value: Value) -> int | None:
    """Which graph a value is, or that of a session; None where it isn't told."""
    if value.kind is Kind.SESSION:
        found: int | None = walker.kept.get(("graph of", id(value.node)))
        return found
    if value.kind is Kind.GRAPH and isinstance(value.data, tuple):
        return int(value.data[1])
    return None


def opened(walker: Any, value: Value) -> Graph | None:
    """The graph around the block of another one, which is at hand from here on; None: no other.

    Raises:
        Blocked: it is the one around another block.
    """
    key = _of(walker, value)
    if key is None or key in walker.at_hand:
        return None
    if key not in walker.graphs:
        if walker.nested or walker.loops or value.kind is Kind.SESSION:
            return None
        if not (walker.owned or walker.created or walker.sessions):
            walker.at_hand.add(key)  # it is as the default graph would be
            return None
    return _swap(walker, key, value)


def _swap(walker: Any, key: int, value: Value) -> Graph:
    found = walker.graphs.get(key)
    if walker.scopes or (found is None and key in walker.graphs):
        raise Blocked(value.node or ast.Pass(), ELSEWHERE)
    around = _left(walker)
    if found is None:
        naming = around.naming.anew()
        found = Graph({key}, [], [], {}, naming, FRESH, walker.next_graph(), set())
    _enter(walker, found, around)
    return around


def closed(walker: Any, around: Graph) -> None:
    """The end of such a block."""
    _enter(walker, around, _left(walker))


@contextmanager
def within(walker: Any, value: Value) -> Iterator[None]:
    """What a session runs, saves or restores is its graph's."""
    key = _of(walker, value)
    if key is None or key in walker.at_hand or key not in walker.graphs:
        yield
        return
    around = _swap(walker, key, value)
    try:
        yield
    finally:
        closed(walker, around)


def reset(walker: Any) -> None:
    """``tf.reset_default_graph()``: graphs under names aren't it any more."""
    for name in walker.at_hand - {DEFAULT}:
        walker.graphs[name] = None
    walker.at_hand, walker.entered_graph = {DEFAULT}, None


def everything(walker: Any) -> Iterator[dict[Any, Any]]:
    """What families remember of the graphs that aren't at hand."""
    graphs = {id(graph): graph for graph in walker.graphs.values() if graph is not None}
    return (graph.kept for graph in graphs.values())


def _found(walker: Any) -> set[int]:
    steps = {id(step) for region in walker.regions for step in region.steps}
    return steps | {*walker.gradients, *walker.applies, *walker.made, *walker.layers}


def _left(walker: Any) -> Graph:
    """What the graph at hand has by now."""
    values = (
        walker.at_hand,
        list(walker.owned),
        list(walker.created),
        walker.kept,
        walker.naming,
        (walker.stateful, walker.fresh, walker.sessions, walker.init_runs, walker.latest),
        walker.graph,
        _found(walker) - walker.forgotten - walker.past,
    )
    found: Graph = walker.entered_graph or Graph(*values)
    for name, value in zip(Graph.__slots__, values, strict=True):
        setattr(found, name, value)
    return found


def _enter(walker: Any, graph: Graph, left: Graph) -> None:
    """Have a graph at hand, after another one."""
    every = _found(walker) - graph.own
    walker.forgotten = (walker.forgotten | every) - graph.own
    walker.past = (walker.past | every) - graph.own
    walker.owned[:], walker.created[:] = graph.owned, graph.created
    lasting = {k: v for k, v in left.kept.items() if k in LASTING or isinstance(k, tuple)}
    walker.kept = {k: v for k, v in graph.kept.items() if not isinstance(k, tuple)} | lasting
    graph.naming.callers, graph.naming.unsure = left.naming.callers, left.naming.unsure
    walker.naming = graph.naming
    walker.stateful, walker.fresh, walker.sessions, walker.init_runs, walker.latest = graph.state
    walker.graph, walker.at_hand = graph.number, graph.names
    walker.entered_graph = graph
    walker.graphs.update(dict.fromkeys(left.names, left))
    for name in graph.names:
        walker.graphs.pop(name, None)
