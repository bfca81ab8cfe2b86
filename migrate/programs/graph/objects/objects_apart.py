"""Objects of one class that take part in one run: what each computes has symbols of its own.

A class is followed once, for its first object; all others are read under the same symbols. Where a
policy and its older copy, or a net and its target, go into one loss, ``self.new.out /
self.old.out``, what others read of such an object is seen as that object's: other symbols, which
other steps make. Its functions are the class's all the same.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from migrate.engine.trees import all_of, fact
from migrate.programs.graph.feeding.feeds import keyed
from migrate.programs.graph.listing.layer_variables import VARIABLES
from migrate.programs.graph.model import (
    RUNTIME,
    Blocked,
    Instance,
    Kind,
    Region,
    Site,
    Step,
    Symbol,
    Value,
)
from migrate.programs.graph.modules import Module

KEY = ("objects apart",)
READ = ("read of objects",)  # which object an attribute is of, by its node
OTHERS = ("given one object or another",)  # the functions that are
NOT_IN_NAMES = re.compile(r"\W+")
UNTOLD = "whose graph is run here can't be told"


@dataclass(slots=True, eq=False, repr=False)
class Whose:
    """An object of a class that has several, with what others see of its graph."""

    call: ast.Call  # that makes it
    region: Region
    symbols: dict[Symbol, Symbol] = field(default_factory=dict)
    steps: dict[Step, Step] = field(default_factory=dict)

    def symbol(self, symbol: Symbol) -> Symbol:
        """What a symbol of the class is of this object."""
        if symbol not in self.symbols:
            value = replace(symbol.value)
            value.symbol = one = replace(symbol, value=value, seen=symbol, whose=self)
            self.symbols[symbol] = one
        return self.symbols[symbol]

    def settled(self) -> None:
        """Give the symbols steps of their own, now that the class's steps are what they are."""
        for step in self.region.steps:
            if step.moves:
                self.steps[step] = replace(step, defs=[self.symbol(s) for s in step.defs])
        for step, mine in self.steps.items():
            mine.uses = {self.symbol(s) if self._is_own(s) else s: None for s in step.uses}
            mine.after = [self.steps.get(s, s) for s in step.after]
        for symbol, seen in self.symbols.items():
            seen.step = self.steps.get(symbol.step, symbol.step)

    def _is_own(self, symbol: Symbol) -> bool:
        run = symbol.step.moves or symbol.value.kind is Kind.PLACEHOLDER
        return run and symbol.step.region is self.region


def read(walker: Any, owner: Value, node: ast.Attribute, symbol: Symbol) -> Symbol:
    """What is read of an object: its own symbol, where its class has several objects."""
    instance, here = owner.data, walker.frame.region
    if not isinstance(owner.node, ast.Call) or instance.region is here:
        return symbol
    if symbol.value.kind not in RUNTIME or not _several(walker, instance.node):
        return symbol
    if here is not None and isinstance(here.node, ast.ClassDef) and _several(walker, here.node):
        return symbol  # each of its objects may be given another one
    walker.mixed = True
    if not walker.apart or id(owner.node) in walker.kept.get(("made in loops",), ()):
        return symbol
    one = _whose(walker, instance, owner.node)
    if walker.kept.setdefault(READ, {}).setdefault(id(node), one) is not one:
        raise Blocked(node, UNTOLD)  # in a function that is given one or another
    return symbol if walker.fetching or walker.keying else one.symbol(symbol)


def late(walker: Any, instance: Instance, symbol: Symbol) -> None:
    """A list of layers' variables, in a method that others call: the layers might be built."""
    if symbol.value.data == VARIABLES and _several(walker, instance.node):
        walker.mixed = True


def given(walker: Any, region: Region, first: Value, value: Value) -> None:
    """Remember a function that is given one object in one call and another one in the next."""
    if first.kind is value.kind is Kind.OBJECT and first.node is not value.node:
        walker.kept.setdefault(OTHERS, {})[id(region)] = region


def _several(walker: Any, cls: ast.ClassDef) -> bool:
    """Whether a class is called in several places of one program."""
    for entry in walker.files.entries:
        files: dict[int, Module] = {}
        entry.reach(files)
        trees = [module.tree for module in files.values() if module.tree is not None]
        if sum(fact(tree, _called).get(cls.name, 0) for tree in trees) > 1:
            return True
    return False


def _called(tree: ast.AST) -> dict[str, int]:
    found: dict[str, int] = {}
    for call in all_of(tree, ast.Call):
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        found[name] = found.get(name, 0) + 1
    return found


def _whose(walker: Any, instance: Instance, call: ast.Call) -> Whose:
    known: dict[ast.Call, Whose] = walker.kept.setdefault(KEY, {})
    return known.setdefault(call, Whose(call, instance.region))


def told(walker: Any, site: Site) -> None:
    """A run of another graph than an object's own feeds and fetches parts of that object.

    A run of the object's own graph feeds and fetches its class's.

    Raises:
        Blocked: it is of one object and feeds another one.
    """
    if not walker.apart:
        return
    mine: set[Whose] = set()
    for leaf in site.fetch.leaves():
        for symbol in leaf.uses:
            if symbol.whose is not None and symbol.whose.region is site.region:
                mine.add(symbol.whose)
        changed = _changed(walker, site, leaf.node, mine)
        leaf.uses = {changed.get(s, s): None for s in leaf.uses}
        if leaf.value.symbol in changed:
            leaf.value = changed[leaf.value.symbol].value
    feeds = []
    for feed in site.feeds:
        changed = _changed(walker, site, feed.key, mine)
        new = changed.get(feed.symbol, feed.symbol)
        if new is not feed.symbol:
            known = walker.feed_keys.get(id(feed.key))
            if site.feed_name is not None and known is not None:
                if known[1] not in (feed.symbol, new):
                    raise Blocked(site.node, "a feed_dict for objects of several classes")
                keyed(walker, feed.key, new)
        feeds.append(replace(feed, symbol=new))
    site.feeds = feeds
    theirs = [s for f in feeds if (s := f.symbol).whose] or [
        s for leaf in site.fetch.leaves() for s in leaf.uses if s.whose
    ]
    home = site.step.region if site.step is not None else None
    if len(mine) > 1 or (theirs and id(home) in walker.kept.get(OTHERS, ())):
        raise Blocked(site.node, UNTOLD)


def _changed(walker: Any, site: Site, node: ast.AST, mine: set[Whose]) -> dict[Symbol, Symbol]:
    """The symbols in an expression that are others in a run of this graph."""
    found: dict[Symbol, Symbol] = {}
    for n in all_of(node, ast.Attribute):
        symbol, whose = walker.attributes.get(id(n)), walker.kept.get(READ, {}).get(id(n))
        if symbol is None or whose is None:
            continue
        if whose.region is site.region:
            mine.add(whose)
            new = symbol.seen or symbol
        else:
            new = symbol if symbol.whose else whose.symbol(symbol)
        found[symbol] = walker.attributes[id(n)] = new
    for name in all_of(node, ast.Name):
        known = walker.aliases.get(id(name))
        if known is not None and known[1].whose is not None:
            if known[1].whose.region is site.region:
                mine.add(known[1].whose)
                found[known[1]] = known[1].seen
                walker.aliases[id(name)] = (known[0], known[1].seen)
    return found


def settle(walker: Any) -> None:
    """All objects have steps of their own: nothing of their classes changes any more.

    Raises:
        Blocked: a function that builds is given one object or another.
    """
    for region in walker.kept.get(OTHERS, {}).values():
        for step in region.steps:
            if step.moves and any(s.whose is not None for s in step.uses):
                raise Blocked(step.node, UNTOLD)
    for one in walker.kept.get(KEY, {}).values():
        one.settled()


def named(plans: Iterable[Any], names: dict[Whose, str], taken: set[str]) -> None:
    """Give what functions have of several objects names that nothing else has in them.

    ``names``: what the objects are called; ``taken``: the names that the file has.
    """
    plans = list(plans)
    steps = {s: None for plan in plans for s in plan.steps if s.region is plan.region}
    symbols = {s: None for plan in plans for s in plan.params}
    symbols |= {s: None for plan in plans for call in plan.borrowed for s in call.results}
    views = [s for s in symbols if s.whose is not None]
    if not views:
        return
    own = {s.name for s in symbols if s.whose is None}
    own |= {s.name for step in steps for s in (*step.defs, *step.uses) if s.whose is None}
    own |= {name for step in steps for name in step.hosts}
    said = [s.name for s in views]
    unclear = [s for s in views if s.name in own or said.count(s.name) > 1]
    for symbol in unclear:
        whose = names.get(symbol.whose, "other").rpartition(".")[2].lower()
        wish = f"{re.sub(NOT_IN_NAMES, '_', whose).strip('_')}_{symbol.seen.name}"
        name, number = wish, 2
        while name in own | taken or any(o.name == name for o in views):
            name, number = f"{wish}{number}", number + 1
        symbol.name = name
