"""Names in what is fetched, whose function stands where another function's names aren't seen.

TF 1 makes the op anew at each such run, with what the names mean then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.fetching import fetched_parts
from migrate.programs.graph.model import Blocked, Fetch, Kind, Symbol
from migrate.programs.graph.slices import Plan
from migrate.rewriters.sessions import attribute_changes


def check(planning: Any, plan: Plan, bindings: Any) -> None:
    """See that an expression means in its function what it means where it is run.

    Raises:
        Blocked: it reads a local name, or what changes.
    """
    walker = planning.walker
    for site in plan.sites:
        function = site.step.function if site.step is not None else None
        inside = isinstance(function, ast.FunctionDef) and plan.region.node is not function
        local = _local(function, bindings) if inside else set()
        for leaf in plan.fetch.leaves():
            for symbol in leaf.uses:
                if symbol.attribute and symbol.value.kind is Kind.HOST:
                    planning.constant(symbol, plan.region)
                    attribute_changes.check(walker, symbol, leaf.node, plan.region, None)
            for name in _read(walker, leaf, plan.region):
                if name in local:
                    reason = f"`{name}`, with which this is computed, is a local name"
                    fetched_parts.check(site, leaf, name, reason)
                    raise Blocked(leaf.node, reason)
                if name not in bindings(function or plan.region.node) and _set(walker, name, leaf):
                    raise Blocked(
                        leaf.node, f"`{name}`, with which this is computed, is set by a function"
                    )


def _local(function: Any, bindings: Any) -> set[str]:
    return set(bindings(function)) | {a.arg for a in all_of(function.args, ast.arg)}


def _read(walker: Any, leaf: Fetch, home: Any) -> Iterator[str]:
    """The names that an expression reads and that stay in it."""
    yield from leaf.hosts
    for symbol in leaf.uses:
        if symbol.value.kind is Kind.HOST and not symbol.attribute:
            yield symbol.name
    for node in walk(leaf.node):
        known: Symbol | None = walker.meant.get(id(node)) if isinstance(node, ast.Name) else None
        if known is not None and known.value.kind is Kind.OBJECT and known.name != "self":
            if getattr(known.value.data, "region", None) is not home:
                yield known.name


def _set(walker: Any, name: str, leaf: Fetch) -> bool:
    """Whether a function sets a name of its file."""
    tree = walker.files.at(leaf.node).tree
    return any(isinstance(n, ast.Global) and name in n.names for n in walk(tree))
