"""Training switches: placeholders that only tell layers whether a run trains.

Where each run feeds ``True`` or ``False``, its function knows which.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.engine.trees import walk
from migrate.programs.graph.feeding import optional_placeholders
from migrate.programs.graph.model import Feed, Kind, Site, Symbol
from migrate.programs.graph.slices import NONE, Switches
from migrate.programs.graph.walk import Walker


def switches(walker: Walker, sites: Iterable[Site]) -> frozenset[Symbol]:
    """The placeholders that are switches and are always fed what is seen."""
    fed: dict[Symbol, list[tuple[Site, ast.expr]]] = {}
    keys: set[int] = set()
    for site in sites:
        for feed in site.feeds:
            fed.setdefault(feed.symbol, []).append((site, feed.node))
            keys.update(id(n) for n in walk(feed.key))
    found = set()
    for symbol, feeds in fed.items():
        if symbol.value.kind is not Kind.PLACEHOLDER or symbol.value.node is None:
            continue
        if any(site.feed_name is not None or literal(node) is None for site, node in feeds):
            continue
        if default(walker, symbol) is None and id(symbol.value.node) in walker.defaults:
            continue
        if only_switches(walker, symbol.name, symbol.attribute, walker.tree, keys):
            found.add(symbol)
    return frozenset(found)


def literal(node: ast.expr) -> str | None:
    """``True`` or ``False`` where an expression says so."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return repr(node.value)
    return None


def default(walker: Walker, symbol: Symbol) -> str | None:
    """What a switch is that isn't fed."""
    known = walker.defaults.get(id(symbol.value.node))
    return literal(known[0]["input"]) if known is not None else None


def only_switches(
    walker: Walker, name: str, attribute: bool, scope: ast.AST, keys: set[int]
) -> bool:
    """Whether all that a scope does with a name is to switch layers."""
    for node in walk(scope):
        if attribute:
            named = isinstance(node, ast.Attribute) and node.attr == name
        else:
            named = isinstance(node, ast.Name) and node.id == name
        if not named or not isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
            continue
        if id(node) in walker.flags or id(node) in keys:
            continue
        symbol = walker.flag_arguments.get(id(node))
        if symbol is None or symbol.step.node is scope:
            return False
        if not only_switches(walker, symbol.name, False, symbol.step.node, keys):
            return False
    return True


def fed(walker: Walker, sites: Iterable[Site]) -> Switches:
    """What each run feeds to the switches; ``None`` for what isn't one."""
    known = switches(walker, sites)

    def of(symbol: Symbol, feed: Feed | None) -> str | None:
        if feed is None and optional_placeholders.is_one(walker, symbol):
            return NONE
        if symbol not in known:
            return None
        return literal(feed.node) if feed is not None else default(walker, symbol)

    return of
