"""The averages of batch normalization: which runs update them, in TF 1 and in Keras."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.feeding.switches import default, literal
from migrate.programs.graph.listing.update_ops import norms_of, of_others, updated
from migrate.programs.graph.made import Norm
from migrate.programs.graph.model import Blocked, Feed, Kind, Site, Symbol
from migrate.programs.graph.slices import Plan
from migrate.programs.graph.walk import Walker


def _displayed(site: Site, feed: Feed) -> bool:
    """Whether a feed dict with a name is a display, in which an entry stays as it is.

    Others that have its name, in other branches, say the same.
    """
    function = site.step.function if site.step is not None else None
    name = site.feed_name
    if function is None or not isinstance(name, ast.Name):
        return False
    made = 0
    kept: set[int] = set()
    for node in walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            if any(isinstance(t, ast.Name) and t.id == name.id for t in node.targets):
                made += 1
                kept.update(id(t) for t in node.targets)
                if not any(key is feed.key for key in node.value.keys) and not _alike(
                    node.value, feed
                ):
                    return False
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if ast.unparse(node.slice) != ast.unparse(feed.key):
                kept.add(id(node.value))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("run", "eval"):
                kept.update(id(n) for n in (*node.args, *(k.value for k in node.keywords)))
    uses = [n for n in all_of(function, ast.Name) if n.id == name.id]
    return made > 0 and all(id(n) in kept for n in uses)


def _alike(display: ast.Dict, feed: Feed) -> bool:
    """Whether another display feeds the same, and says so."""
    entries = zip(display.keys, display.values, strict=True)
    key = ast.unparse(feed.key)
    said = [literal(value) for k, value in entries if k is not None and ast.unparse(k) == key]
    return said == [literal(feed.node)] and None not in said and None not in display.keys


def _feeds(feed: Feed, symbol: object) -> bool:
    """Whether what is fed is a symbol, or what an object calls it that it is given to."""
    return feed.symbol is symbol or any(twin is symbol for twin in feed.twins)


DEPTH = 12  # of functions in functions


def _plain(norm: Norm) -> bool:
    """Whether a normalization is one of `tf.layers`, with the kernel that TF 1 takes by itself."""
    return not norm.contrib and "fused" not in norm.given


class Averages:
    """What the runs of a module do with the averages of its batch normalizations."""

    def __init__(self, walker: Walker) -> None:
        self.walker = walker
        self.modes: dict[int, tuple[Norm, set[bool]]] = {}  # updated or not, by the layer

    def settle(self, plans: Sequence[Plan]) -> None:
        """Tell the runs that leave averages alone which others update, if all of them can."""
        told = [(plan, list(self._told(plan))) for plan in plans if not plan.lent]
        modes: dict[int, set[bool]] = {}
        for _, found in told:
            for norm, updates in found:
                modes.setdefault(id(self._first(norm.call)), set()).add(updates)
        mixed = {key for key, said in modes.items() if len(said) > 1}
        still: dict[Plan, list[Norm]] = {}
        for plan, found in told:
            left = [n for n, up in found if not up and id(self._first(n.call)) in mixed]
            if left and (plan.borrowed or any(up for _, up in found)):
                return
            if left:
                still[plan] = left
        files = self.walker.files
        for plan, left in still.items():
            here = files.at(plan.region.node)
            if any(files.at(n.call) is not here or not _plain(n) for n in left):
                return
        for plan in still:
            plan.still = True
        for layer in self.walker.layers.values():
            if layer.norm is not None and id(self._first(layer.call)) in mixed:
                layer.norm.mixed = True

    def _told(self, plan: Plan) -> Iterator[tuple[Norm, bool]]:
        """The normalizations that a run trains, and whether it updates their averages."""
        updates = updated(plan.steps)
        for norm, call in norms_of(self.walker, plan.steps):
            if self._trains(norm, plan, call):
                yield norm, norm.at_once or id(call) in updates or id(norm.call) in updates

    def seen(self, plans: Iterable[Plan]) -> None:
        """The runs of a region.

        Raises:
            Blocked: Keras would update averages that TF 1 leaves alone.
        """
        for plan in plans:
            if plan.lent:
                continue  # the runs that call it say so
            norms = list(norms_of(self.walker, plan.steps))
            there = {id(call) for _, call in norms} | {id(norm.call) for norm, _ in norms}
            if not there.issuperset(of_others(plan.steps)):
                step = next(s for s in plan.steps if not there.issuperset(of_others([s])))
                raise Blocked(step.node, "averages are updated of what the run doesn't compute")
            for norm, updates in self._told(plan):
                norm, modes = self.modes.setdefault(id(self._first(norm.call)), (norm, set()))
                modes.add(updates)
        for norm, modes in self.modes.values():
            if len(modes) > 1 and not norm.mixed:
                what = "a run that trains leaves the averages of a batch normalization alone"
                raise Blocked(norm.call, what)
            norm.frozen = modes == {False}
            same = self._first(norm.call)
            for layer in self.walker.layers.values():
                if layer.norm is not None and self._first(layer.call) is same:
                    layer.norm.frozen = norm.frozen

    def _first(self, call: ast.Call) -> ast.Call:
        """The call that made the layer which a call uses."""
        return self.walker.layers[id(call)].same or call

    def _trains(self, norm: Norm, plan: Plan, call: ast.Call) -> bool:
        """Whether a run may call a batch normalization for training."""
        switch = norm.switch
        if switch is None:
            return norm.contrib
        if isinstance(switch, ast.Constant):
            return bool(switch.value)
        kind, symbol = self.walker.flags.get(id(switch), (Kind.TENSOR, None))
        said = self._said(symbol, call)
        return said if said is not None else self._may(kind, symbol, plan)

    def _said(self, symbol: Symbol | None, call: ast.Call, depth: int = 0) -> bool | None:
        """What a call of a function says for the parameter that is its switch.

        So for one of a function in it, which it is given through all its calls.
        """
        layer = self.walker.layers[id(call)]
        target = layer.factory
        if symbol is None or target is None or depth > DEPTH:
            return None
        if symbol.step.node is not target:
            sources = self.walker.flag_sources.get(symbol, ())
            given_by = [s for _, s in sources if not self._idle(s)]
            ways = {self._said(s, call, depth + 1) for s in given_by}
            return ways.pop() if len(ways) == 1 else None
        args = target.args
        defaults = zip(reversed(args.args), reversed(args.defaults), strict=False)
        given = {a.arg: value for a, value in defaults} | layer.given
        value = given.get(symbol.name)
        return bool(value.value) if isinstance(value, ast.Constant) else None

    def _idle(self, symbol: Symbol | None) -> bool:
        """Whether a parameter is of a function that nobody calls."""
        region = self.walker.entered.get(id(symbol.step.node)) if symbol is not None else None
        return region is not None and region.alone is not None

    def _may(self, kind: Kind, symbol: object, plan: Plan) -> bool:
        sources = self.walker.flag_sources.get(symbol)  # type: ignore[call-overload]
        if sources is not None:
            return any(self._may(kind, given, plan) for kind, given in sources)
        if plan.fixed.get(symbol) == "False":  # type: ignore[call-overload]
            return False
        unfed = default(self.walker, symbol) if isinstance(symbol, Symbol) else None
        fed = [
            next((literal(f.node) for f in site.feeds if _feeds(f, symbol)), unfed)
            for site in plan.sites
            if site.feed_name is None
            or any(_displayed(site, f) for f in site.feeds if _feeds(f, symbol))
        ]
        return len(fed) < len(plan.sites) or set(fed) != {"False"}
