"""Iterators that begin once, in TF 1 in each session: a second one would find the first elements.

In TF 2 there is one iterator, which goes on. One that an initializer lets begin begins again in
both.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.iterators import GIVEN, Element, Iterator, element_of
from migrate.programs.graph.later_runs import LATER, RUNS
from migrate.programs.graph.model import Blocked, Site

REASON = "an iterator begins anew in a second session"


def check(walker: Any, sites: list[Site]) -> None:
    """No element is taken in two sessions.

    Raises:
        Blocked: one is.
    """
    runs: dict[int, set[object]] = walker.kept.get(RUNS, {})
    later: dict[ast.FunctionDef, set[object]] = walker.kept.get(LATER, {})
    reached = {target: _reached(walker, target) for target in later}
    found: dict[Element, set[object]] = {}
    for element, session in walker.kept.get(GIVEN, ()):
        found.setdefault(element, set()).add(session)
    for site in sites:
        fed = {feed.symbol for feed in site.feeds}
        elements = {e for s in site.reached() if s not in fed and (e := element_of(s)) is not None}
        for element in elements:
            if type(element.iterator) is not Iterator or element.iterator.late:
                continue
            if element.iterator.parameter:
                continue
            seen = found.setdefault(element, set())
            seen |= runs.get(id(site.node), set())
            for target, sessions in later.items():
                if id(site.node) in reached[target]:
                    seen |= sessions
            if len(seen) > 1:
                raise Blocked(site.node, REASON)
    for element, seen in found.items():
        if len(seen) > 1 and not (element.iterator.parameter or element.iterator.late):
            raise Blocked(element.call, REASON)


def _reached(walker: Any, target: ast.FunctionDef) -> set[int]:
    """All that a function may do: its nodes, and those of what has a callee's name."""
    every = [n for n in walk(walker.tree) if isinstance(n, ast.FunctionDef)]
    todo: list[ast.AST] = [target]
    found = {id(target)}
    while todo:
        for node in walk(todo.pop()):
            found.add(id(node))
            func = node.func if isinstance(node, ast.Call) else None
            name = getattr(func, "id", getattr(func, "attr", ""))
            for other in every if name else ():
                if other.name == name and id(other) not in found:
                    found.add(id(other))
                    todo.append(other)
    return found
