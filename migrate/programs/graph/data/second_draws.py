"""What begins once, in TF 1 in each session: a second one would find the first elements.

In TF 2 there is one iterator, or one queue, which goes on. An iterator that an initializer lets
begin begins again in both.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator as Iterate
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.data import own_queues
from migrate.programs.graph.data.iterators import GIVEN, Element, Iterator, element_of
from migrate.programs.graph.meaning import SESSIONS
from migrate.programs.graph.model import Blocked, Site
from migrate.programs.graph.running.later_runs import LATER, RUNS

REASON = "an iterator begins anew in a second session"
Used = Element | own_queues.Queue


def check(walker: Any, sites: list[Site]) -> None:
    """Nothing is taken from in two sessions.

    Raises:
        Blocked: something is.
    """
    runs: dict[int, set[tuple[int, object]]] = walker.kept.get(RUNS, {})
    later = [(*_reached(walker, f), session) for f, session in walker.kept.get(LATER, ())]
    found: dict[Used, set[tuple[int, object]]] = {}
    for element, session in walker.kept.get(GIVEN, ()):
        if _once(element):
            found.setdefault(element, set()).add(session)
    for site in sites:
        for used in _used(walker, site):
            seen = found.setdefault(used, set())
            seen |= runs.get(id(site.node), set())
            for reached, opens, session in later:
                # A function that makes it makes another one at each call.
                if id(site.node) in reached and id(used.call) not in reached:
                    seen.add((session[0], object()) if opens else session)
    for used, seen in found.items():
        programs = [program for program, _ in seen]
        if len(set(programs)) < len(programs):
            queue = isinstance(used, own_queues.Queue)
            raise Blocked(used.call, own_queues.SESSIONS if queue else REASON)


def _used(walker: Any, site: Site) -> Iterate[Used]:
    """The elements and queues that a run takes from."""
    fed = {feed.symbol for feed in site.feeds}
    elements = {e for s in site.reached() if s not in fed and (e := element_of(s)) is not None}
    yield from filter(_once, elements)
    yield from own_queues.used(walker, site)


def _once(element: Element) -> bool:
    """Whether an element's iterator is one, and begins where it is made."""
    mine = element.iterator
    return type(mine) is Iterator and not mine.late and not mine.parameter


def _reached(walker: Any, target: ast.FunctionDef) -> tuple[set[int], bool]:
    """All that a function may do: its nodes, and those of what has a callee's name.

    And whether any of that opens a session.
    """
    every = all_of(walker.tree, ast.FunctionDef)
    todo: list[ast.AST] = [target]
    found, opens = {id(target)}, False
    while todo:
        for node in walk(todo.pop()):
            found.add(id(node))
            opens = opens or walker.endpoints.get(id(node)) in SESSIONS
            func = node.func if isinstance(node, ast.Call) else None
            name = getattr(func, "id", getattr(func, "attr", ""))
            for other in every if name else ():
                if other.name == name and id(other) not in found:
                    found.add(id(other))
                    todo.append(other)
    return found, opens
