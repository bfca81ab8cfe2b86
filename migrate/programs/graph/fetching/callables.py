"""``sess.make_callable(fetches, feed_list)``: a run that is called like a function."""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.model import (
    HOST,
    RUNTIME,
    Blocked,
    Feed,
    Fetch,
    Kind,
    Site,
    Step,
    Symbol,
    Value,
    described,
)

KEYS = frozenset({*RUNTIME, Kind.CONST})


class Callable:
    """What ``make_callable`` gives: its calls are runs."""

    idle = True  # nothing stays of the statement that makes it

    def __init__(self, fetch: Fetch, fed: list[tuple[Symbol, ast.expr]]) -> None:
        self.fetch = fetch
        self.fed = fed

    def call(self, walker: Any, node: ast.Call) -> Value:
        """A run, fed by position.

        Raises:
            Blocked: what is fed can't be told, or no run can stand here.
        """
        if node.keywords or len(node.args) != len(self.fed):
            raise Blocked(node, "what a callable is given isn't what it is fed")
        if walker.frame.region is None:
            raise Blocked(node, "a session runs in a function that builds")
        feeds = []
        for (symbol, key), arg in zip(self.fed, node.args, strict=True):
            value = walker.expression(arg)
            if isinstance(arg, ast.Starred) or value.kind not in (Kind.HOST, Kind.NONE):
                raise Blocked(arg, f"{described(value)} is fed")
            feeds.append(Feed(symbol, arg, key, value))
        walker.again()
        if id(node) not in walker.sites:
            site = Site(node, self.fetch, feeds, None, walker.stmt, walker.sink)
            walker.sites[id(node)] = site
            walker.sink.sites.append(site)
            walker.frame.region.sites.append(site)
        return HOST


def made(walker: Any, node: ast.Call) -> Value:
    """A call of ``make_callable``.

    Raises:
        Blocked: it takes options, or can't be followed here.
    """
    named = {k.arg: k.value for k in node.keywords}
    if set(named) - {"fetches", "feed_list"} or len(node.args) > 2:
        raise Blocked(node, "`make_callable` with options")
    if walker.nested or walker.frame.region is None:
        raise Blocked(node, "a callable that is made in a loop, a branch or a helper")
    fetches = node.args[0] if node.args else named.get("fetches")
    listed = node.args[1] if len(node.args) > 1 else named.get("feed_list")
    if fetches is None:
        raise Blocked(node, "what is fetched isn't seen")
    walker.fetching, before = True, walker.fetching
    fetch = walker.fetch(fetches)
    walker.fetching = before
    if any(leaf.value.kind is Kind.INIT for leaf in fetch.leaves()):
        raise Blocked(node, "an initializer that is called")
    fed: list[tuple[Symbol, ast.expr]] = []
    if listed is not None:
        if not isinstance(listed, (ast.List, ast.Tuple)):
            raise Blocked(listed, "what a callable is fed isn't seen")
        sink, walker.sink = walker.sink, Step(-1, walker.sink.node, Kind.HOST)
        walker.keying = True
        keys = [walker.expression(key) for key in listed.elts]
        walker.keying, walker.sink = False, sink
        for key, at in zip(keys, listed.elts, strict=True):
            if key.kind not in KEYS or key.symbol is None:
                raise Blocked(at, "what is fed has no name")
            fed.append((key.symbol, at))
    return Value(Kind.OTHER, Callable(fetch, fed), node=node)
