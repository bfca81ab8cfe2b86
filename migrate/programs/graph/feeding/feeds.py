"""Feed dicts: displays, entries that are set later, functions that make them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.feeding import fed_numbers, kept_placeholders, placeholder_dicts
from migrate.programs.graph.fetching import certain
from migrate.programs.graph.model import (
    HOST,
    RUNTIME,
    Blocked,
    Feed,
    Kind,
    Site,
    Step,
    Symbol,
    Value,
    described,
)
from migrate.programs.graph.wording.spelled import Spelled, Written, word

KEYS = frozenset({*RUNTIME, Kind.CONST})
RUNS = frozenset({"run", "eval"})
SAME = ("keys of a dict", "again")
EMPTY = "empty"  # a dict that has nothing in it yet


def display(walker: Any, node: ast.Dict, keys: list[Value | None], values: list[Value]) -> Value:
    """``{x: a, y: b}``, whose keys are parts of the graph.

    Raises:
        Blocked: what is fed can't be told.
    """
    feeds = []
    for key, at, value, expr in zip(keys, node.keys, values, node.values, strict=True):
        if key is None or at is None:
            raise Blocked(node, "a feed_dict is made from another one")
        feeds.append(_entry(walker, key, at, value, expr))
    return Value(Kind.FEED, feeds, node=node)


def of_variables(walker: Any, node: ast.Dict, keys: list[Value | None]) -> bool:
    """Whether a run feeds variables alone: ``sess.run(merged, {mean_reward: 1.0})``."""
    if not keys or any(k is None or k.kind is not Kind.VARIABLE for k in keys):
        return False
    calls = (n for n in all_of(walker.stmt, ast.Call) if getattr(n.func, "attr", "") in RUNS)
    if not any(
        n is node
        for call in calls
        for n in (*call.args[1:2], *(k.value for k in call.keywords if k.arg == "feed_dict"))
    ):
        return False
    named: list[Written] = [
        (at, word(name)) for at in node.keys if at and (name := _item(walker, at)) is not None
    ]
    if named:
        raise Spelled(node, "what is fed has no name", named)
    single = (k is not None and k.items is None and k.data != "container" for k in keys)
    return all(single) and all(k is not None and k.symbol is not None for k in keys)


def _item(walker: Any, node: ast.expr) -> str | None:
    """The name of a variable that is fed as an item of a list: ``means[0]``, which stays so."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return None
    scope, name = walker.frame.node, node.value.id
    symbol = walker.frame.env.get(name)
    made = symbol.step.node if symbol is not None else None
    if not isinstance(made, ast.Assign) or not isinstance(made.value, (ast.List, ast.Tuple)):
        return None
    uses = [n for n in all_of(scope, ast.Name) if n.id == name]
    read = {id(n.value) for n in all_of(scope, ast.Subscript) if isinstance(n.ctx, ast.Load)}
    if any(id(n) not in read and not holds(made, n) for n in uses):
        return None
    items = [n.id if isinstance(n, ast.Name) else "" for n in made.value.elts]
    place = node.slice.value if isinstance(node.slice, ast.Constant) else None
    if not isinstance(place, int) or not 0 <= place < len(items):
        return None
    stores = [n for n in all_of(scope, ast.Name) if n.id == items[place]]
    return items[place] if sum(not isinstance(n.ctx, ast.Load) for n in stores) == 1 else None


def _entry(walker: Any, key: Value, at: ast.expr, value: Value, node: ast.expr) -> Feed:
    if key.symbol is None:
        reason = "what is fed has no name"
        placeholder_dicts.check(walker, at, reason)
        raise Blocked(at, reason)
    flag = value.kind is Kind.ENDPOINT and "flags.FLAGS." in value.data
    if value.kind not in (Kind.HOST, Kind.NONE) and not flag and not hasattr(value.data, "fed"):
        raise Blocked(node, f"{described(value)} is fed")
    symbol = kept_placeholders.named(key.symbol)
    fed_numbers.check(walker, symbol, node)
    kept_placeholders.fed(walker, symbol)
    walker.feed_keys[id(at)] = (at, symbol)
    return Feed(symbol, node, at, value)


def put(walker: Any, target: ast.Subscript, value: Value) -> bool:
    """``feed[x] = a``; whether it is that."""
    owner = walker.expression(target.value)
    if owner.kind is not Kind.FEED and not (owner.kind is Kind.HOST and value.kind is Kind.HOST):
        return False
    if owner.kind is Kind.HOST and not isinstance(target.slice, (ast.Name, ast.Attribute)):
        return False
    walker.keying = True
    key = walker.expression(target.slice)
    walker.keying = False
    if key.kind not in KEYS:
        if owner.kind is Kind.FEED:
            raise Blocked(target, f"{described(key)} is fed")
        return False
    # What is set stands in the statement, wherever the dict is made into arguments.
    added = _entry(walker, key, target.slice, value, target.slice)
    extend(walker, target.value, owner, [added], target)
    return True


def taken(walker: Any, owner: Value, node: ast.Subscript) -> Value | None:
    """``feed[x]``, what a run is fed for a placeholder; None where that isn't seen."""
    if not isinstance(node.slice, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
        return None
    sink = walker.sink
    walker.sink, walker.keying = Step(-1, sink.node, Kind.HOST), True
    try:
        key = walker.expression(node.slice)
    finally:
        walker.sink, walker.keying = sink, False
    if key.symbol is None or key.kind is not Kind.PLACEHOLDER:
        return None
    symbol = kept_placeholders.named(key.symbol)
    found = [f for f in owner.data if f.symbol is symbol and not f.maybe]
    if len(found) != 1 or found[0].value is None or found[0].value.kind is not Kind.HOST:
        return None
    walker.feed_keys[id(node.slice)] = (node.slice, symbol)
    return HOST


def extend(
    walker: Any, container: ast.expr, owner: Value, added: list[Feed], node: ast.AST
) -> None:
    """A feed dict, or an empty one, gets more entries.

    Raises:
        Blocked: it isn't a name of this scope, or has other entries.
    """
    if not isinstance(container, ast.Name) or container.id not in walker.frame.env:
        if isinstance(container, ast.Name) and _again(walker, owner, added):
            return
        raise Blocked(node, "a feed_dict that isn't a name of this function is changed")
    if owner.kind is Kind.HOST and owner.data != EMPTY:
        raise Blocked(node, "a feed_dict with other things in it")
    old = owner.data if owner.kind is Kind.FEED else []
    new = {f.symbol for f in added}
    kept = [f for f in old if f.symbol not in new]
    walker.define(container.id, Value(Kind.FEED, [*kept, *added], node=owner.node))


def _again(walker: Any, owner: Value, added: list[Feed]) -> bool:
    """Whether entries that another function's dict has get other numbers: it has the same keys."""
    known = {f.symbol: f for f in owner.data if not f.maybe} if owner.kind is Kind.FEED else {}
    for feed in added:
        old = known.get(feed.symbol)
        if old is None or _switch(feed.node) or _switch(old.node):
            return False
    for feed in added:
        same = walker.kept.setdefault(SAME, {}).setdefault(id(known[feed.symbol].key), [])
        same.append(feed.key)
    return True


def keyed(walker: Any, key: ast.expr, symbol: Symbol) -> None:
    """An entry is called as a function's parameter is, and so where it gets another number."""
    for node in (key, *walker.kept.get(SAME, {}).get(id(key), ())):
        walker.feed_keys[id(node)] = (node, symbol)


def _switch(node: ast.expr) -> bool:
    """Whether what is fed tells a run's mode."""
    return isinstance(node, ast.Constant) and isinstance(node.value, bool)


def update(walker: Any, owner: Value, node: ast.Call) -> Value | None:
    """``feed.update(other)``, where there are parts of the graph in it."""
    func = node.func
    assert isinstance(func, ast.Attribute)
    if func.attr != "update" or len(node.args) != 1 or node.keywords:
        return None
    other = walker.expression(node.args[0])
    if other.kind is not Kind.FEED:
        return None
    extend(walker, func.value, owner, other.data, node)
    return Value(Kind.NONE)


def merged(mine: Value, theirs: Value, node: ast.AST) -> Value:
    """A feed dict after two ways to the same place."""
    if {f.symbol for f in mine.data} == {f.symbol for f in theirs.data}:
        return theirs
    both = {f.symbol: f for f in (*mine.data, *theirs.data)}
    once = {f.symbol for f in mine.data} ^ {f.symbol for f in theirs.data}
    if all(s.value.kind is Kind.CONST or str(s.value.data).endswith("_with_default") for s in once):
        return Value(Kind.FEED, list(both.values()), node=theirs.node)
    if all(s.value.kind is Kind.PLACEHOLDER for s in once):
        for symbol in once:
            both[symbol] = replace(both[symbol], maybe=True)
        return Value(Kind.FEED, list(both.values()), node=theirs.node)
    return Value(Kind.OTHER, "mixed")


def needed(site: Site) -> None:
    """What isn't fed on every way to a run is fed on all that TF 1 takes: it asks for it.

    Raises:
        Blocked: the run can do without.
    """
    found = set(site.reached())
    for feed in site.feeds:
        if feed.maybe and feed.symbol not in found:
            raise Blocked(site.node, f"`{feed.symbol.name}` is fed or isn't, where no one needs it")
        if feed.maybe and feed.symbol not in certain.needs(site):
            what = "is fed or isn't, and a branch needs it or doesn't"
            raise Blocked(site.node, f"`{feed.symbol.name}` {what}")


def rows(walker: Any, node: ast.expr) -> Value | None:
    """What a loop over ``('first', {x: a}), ('second', {x: b, keep: c})`` gives; None: no feeds."""
    if not isinstance(node, (ast.Tuple, ast.List)):
        return None
    parts = [n.elts for n in node.elts if isinstance(n, (ast.Tuple, ast.List))]
    if len(parts) != len(node.elts) or len({len(p) for p in parts}) != 1:
        return None
    if not any(isinstance(n, ast.Dict) for part in parts for n in part):
        return None
    columns: list[Value] = []
    for column in zip(*parts, strict=True):
        values = [walker.expression(n) for n in column]
        found = values[0]
        for value in values[1:]:
            if found.kind is value.kind is Kind.FEED:
                found = merged(found, value, node)
            elif found.kind is not Kind.HOST or value.kind is not Kind.HOST:
                raise Blocked(node, "a loop over feed_dicts and other parts of a graph")
        columns.append(found)
    if not any(c.kind is Kind.FEED for c in columns):
        return None
    return Value(Kind.OTHER, "pair", list(enumerate(columns)))


def made_by(walker: Any, target: ast.FunctionDef, given: dict[str, Value], call: ast.Call) -> None:
    """A function that makes a feed dict: what it was given of the graph were the keys only.

    Raises:
        Blocked: it uses a part of the graph for something else.
    """
    parts = {n for n, v in given.items() if v.kind in KEYS and v.symbol is not None}
    for node in walk(target):
        if isinstance(node, ast.Name) and node.id in parts and id(node) not in walker.feed_keys:
            raise Blocked(node, f"`{target.name}` uses `{node.id}` for more than a feed_dict's key")
    if parts:
        if walker.session_params.setdefault(id(target), parts) != parts:
            raise Blocked(call, f"`{target.name}` is called with other kinds of arguments before")
        walker.calls.append((call, target))
