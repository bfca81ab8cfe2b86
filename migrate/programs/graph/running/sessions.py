"""Runs: what a session is given and asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from migrate.engine.trees import holds, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.data import drawn_each_round, next_in_loops, sparse_fetches
from migrate.programs.graph.data.object_begins import Starts
from migrate.programs.graph.feeding import fed_starts, fed_ways
from migrate.programs.graph.feeding.feeds import needed
from migrate.programs.graph.fetching import (
    added_fetches,
    callables,
    called_in_fetches,
    choices,
    fetched_calls,
    fetched_items,
    fetched_lists,
    fetched_ops,
    fetched_owners,
    hoisted_tensors,
    profiled,
    structures,
)
from migrate.programs.graph.layering import metrics
from migrate.programs.graph.listing import layer_variables
from migrate.programs.graph.made import Schedule
from migrate.programs.graph.making import renewals, uninitialized
from migrate.programs.graph.making.renewals import ALL, SECOND_SESSION
from migrate.programs.graph.model import (
    HOST,
    Blocked,
    Feed,
    Fetch,
    Kind,
    Region,
    Site,
    Step,
    Symbol,
    Value,
    described,
)
from migrate.programs.graph.objects import bases
from migrate.programs.graph.optimizing import schedule_lists
from migrate.programs.graph.optimizing.training import Training
from migrate.programs.graph.running import later_runs, looped_sessions, named_graphs
from migrate.programs.graph.running.again import LASTING
from migrate.programs.graph.scoping import named_ops
from migrate.programs.graph.sizing import given_shapes
from migrate.programs.graph.wording import spelled

DIFFERS = "what is run here differs from call to call"


class Sessions(Training):
    """Runs: what a session is given and asked for."""

    def session(self, owner: Value, attribute: str, node: ast.Call) -> Value:
        with named_graphs.within(self, owner):
            return self._session(owner, attribute, node)

    def _session(self, owner: Value, attribute: str, node: ast.Call) -> Value:
        other = owner.data in meaning.SESSIONS and owner.node is not self.latest
        # A method that nobody calls is of an object of the first program that makes one.
        other = other and owner.node not in self.lasting
        if other and self.stateful and attribute == "run":
            raise Blocked(node, "two sessions in turn, each with variables of its own")
        if attribute == "run":
            named = {k.arg: k.value for k in node.keywords}
            profiled.run(self, node)
            fetch = node.args[0] if node.args else named.get("fetches")
            if fetch is None or isinstance(fetch, ast.Starred):
                raise Blocked(node, "what is fetched isn't seen")
            return self.run_site(node, fetch, 1)
        if attribute == "make_callable":
            return callables.made(self, node)
        if attribute in ("close", "__exit__", "__enter__"):
            return Value(Kind.SESSION, node=node)
        if attribute == "as_default":
            return named_graphs.same(self, owner, node)
        raise Blocked(node, f"`.{attribute}()` of a session isn't followed")

    def run_site(self, node: ast.Call, fetch: ast.expr, feed_at: int) -> Value:
        named = {k.arg: k.value for k in node.keywords}
        feed = node.args[feed_at] if len(node.args) > feed_at else named.get("feed_dict")
        session = named.get("session")
        if session is None and not feed_at and len(node.args) > 1:  # `eval`, not `run`
            session = node.args[1]
        elif not feed_at and len(node.args) == 1 and "feed_dict" not in named:
            given = node.args[0]
            if self.expression(given).kind is Kind.SESSION:  # a variable's has no feed_dict
                if session is not None or self.expression(fetch).kind is not Kind.VARIABLE:
                    raise Blocked(given, "the feed_dict isn't seen")
                session, feed = given, None
        if session is not None and self.expression(session).kind is not Kind.SESSION:
            raise Blocked(session, "another session")
        named_ops.fetched(self, fetch, feed)
        choices.check(self, node, fetch)
        spelled.ops_in_fetches(self, node, fetch)
        added_fetches.check(self, node, fetch)
        fetched_items.check(self, node, fetch)
        self.fetching, before = True, self.fetching
        fetched = self.fetch(fetch)
        self.fetching = before
        fetched_calls.check(self, fetched)
        fetched_ops.check(self, fetched)
        sparse_fetches.fetched(self, node, fetched)
        for leaf in fetched.leaves():
            if fetched.items is not None and schedule_lists.is_one(leaf.value):
                raise Blocked(leaf.node, "several decays among other fetches")
            if hasattr(leaf.value.data, "begin"):  # an iterator
                begun = leaf.value.data.begin(self, node, fetched)
                if begun is None and feed is not None:
                    raise Blocked(feed, "what is fed isn't needed")
                if begun is None:
                    return HOST
                if isinstance(begun, Value):
                    return begun
                fetched = begun
                break
        kinds = {leaf.value.kind for leaf in fetched.leaves()}
        if kinds == {Kind.INIT}:
            spelled.none_of_initializer(self, node)
            if feed is not None:
                every = any(leaf.value.data in ALL for leaf in fetched.leaves())
                fed_starts.run(self, node, fetched, feed, every)
                fed_starts.idle(self, node, feed)
                raise Blocked(feed, "variables start with what is fed")
            local = [metrics.reset_by(self, leaf.value) for leaf in fetched.leaves()]
            if self.frame.region is not None and None not in local:
                return metrics.reset(self, node, [m for found in local for m in found or []])
            if self.frame.region is None:
                raise Blocked(node, "variables are initialised again and again")
            self.initialised(node, [(leaf.value, leaf.node) for leaf in fetched.leaves()])
            return Value(Kind.INIT, "run", node=node)
        if Kind.INIT in kinds:
            raise Blocked(node, "an initializer among other fetches")
        self.again()
        later_runs.ran(self, node)
        feeds: list[Feed] = []
        feed_name = None
        if feed is not None and not (isinstance(feed, ast.Constant) and feed.value is None):
            value = self.expression(feed)
            if value.kind is Kind.HOST and isinstance(feed, ast.Dict) and not feed.keys:
                pass
            elif value.kind is not Kind.FEED:
                raise Blocked(feed, "the feed_dict isn't seen")
            else:
                feeds = value.data
                feed_name = None if isinstance(feed, ast.Dict) else feed
                if any(f.node is feed for f in feeds):
                    feed_name = None  # `dict(zip(holders, grads))`, for one list of placeholders
        if self.frame.region is None:
            raise Blocked(node, "a session runs in a function that builds")
        site = Site(node, fetched, feeds, feed_name, self.stmt, self.sink)
        try:
            needed(site)
        except Blocked:
            fed_ways.check(self, site)
            raise
        if id(node) in self.sites:
            old = self.sites[id(node)]
            if [f.symbol for f in old.feeds] != [f.symbol for f in feeds] or (
                _graph_uses(old.fetch) != _graph_uses(fetched)
            ):
                hoisted_tensors.check(self, node, DIFFERS)
                raise Blocked(node, DIFFERS)
            if _symbols(old.fetch) != _symbols(fetched):
                self.kept.setdefault(("eager",), []).append(site)
            return HOST
        self.sites[id(node)] = site
        self.kept["graphs of", id(node)] = frozenset(self.at_hand)
        self.sink.sites.append(site)
        self.frame.region.sites.append(site)
        return HOST

    def initialised(self, node: ast.Call, values: list[tuple[Value, ast.expr]]) -> None:
        """Variables have their first values from here on, or have them again."""
        looped_sessions.starts(self, node)
        self.started = self.fresh
        every = any(value.data in ALL for value, _ in values)
        if self.loops:
            reason = "variables are initialised again and again"
            renewals.note(self, node, reason, node, values)
            self.init_runs += 1
            self.fresh = None if every else self.fresh
        elif isinstance(node.func, ast.Attribute) and self.fresh is None:
            self.init_runs += any("local" not in str(value.data or "") for value, _ in values)
            if self.init_runs > 1 and (self.created or self.made):
                reason = "variables are initialised a second time"
                renewals.note(self, node, reason, node, values)
        elif self.fresh is not None and every:
            self.kept["renewing"] = self.fresh, node, values, self.stmt
        if every:
            self.kept["initialised"] = uninitialized.made(self)

    def forget(self) -> None:
        """What was built belongs to a graph that is no more."""
        renewals.check(self, self.kept.get("renewals", ()))
        self.forgotten |= {id(s) for region in self.regions for s in region.steps}
        self.forgotten |= {*self.gradients, *self.applies}
        self.past |= {*self.made, *self.layers}
        self.graph = self.next_graph()
        named_graphs.reset(self)
        self.naming = self.naming.anew()
        self.created.clear()
        self.owned.clear()
        self.kept = {k: v for k, v in self.kept.items() if k in LASTING or isinstance(k, tuple)}
        self.stateful, self.fresh, self.sessions, self.init_runs = False, None, 0, 0

    def again(self) -> None:
        """A later session goes on from what it restored, or with variables that are new."""
        if self.fresh is not None:
            reason = SECOND_SESSION
            opened, run, values, stmt = self.kept.pop("renewing", (None, None, (), None))
            if opened is self.fresh:
                renewals.note(self, self.fresh, reason, run, values)
                self.kept["renewals"][-1].stmt = stmt
            else:
                renewals.note(self, self.fresh, reason)
            self.fresh = None

    def fetch(self, node: ast.expr) -> Fetch:
        """The structure of what is fetched."""
        if isinstance(node, (ast.List, ast.Tuple)):
            items = [self.fetch(n) for n in node.elts]
            shape = "list" if isinstance(node, ast.List) else "tuple"
            return Fetch(node, Value(Kind.FETCH), items, shape)
        if isinstance(node, ast.Dict):
            if any(k is None for k in node.keys):
                raise Blocked(node, "fetches made from other ones")
            items = [self.fetch(n) for n in node.values]
            return Fetch(node, Value(Kind.FETCH), items, "dict", list(node.keys))  # type: ignore[arg-type]
        sink = self.sink
        self.sink = Step(-1, sink.node, Kind.HOST)
        value = self.expression(node)
        inner, self.sink = self.sink, sink
        if inner.impure is not None:
            called_in_fetches.apart(self, *inner.impure)
            raise Blocked(*inner.impure)
        if value.kind is Kind.FETCH:
            if not isinstance(value.data, Fetch):
                raise Blocked(node, "fetches that were collected before")
            self.fetched.add(id(node))
            return value.data
        if value.data == layer_variables.LATE:
            raise Blocked(node, given_shapes.REASON)
        structures.fetched(self, node, value)
        if value.kind is Kind.PLACEHOLDER and hasattr(value.data, "element"):
            return Fetch(node, value, uses=inner.uses, hosts=inner.hosts)
        single = value.kind is Kind.VARIABLE and value.items is None and value.data != "container"
        if schedule_lists.fetched(self, node, value, inner):
            return Fetch(node, value, uses=inner.uses, hosts=inner.hosts)
        if value.kind is Kind.OTHER and isinstance(value.data, (Schedule, Starts)):
            return Fetch(node, value, uses=inner.uses, hosts=inner.hosts)
        several = value.kind is Kind.VARIABLE and isinstance(
            node, (ast.Name, ast.Attribute, ast.ListComp)
        )
        if id(node) in self.listed and isinstance(self.frame.node, ast.FunctionDef):
            fetched_lists.check(self, node, f"{described(value)} is fetched")  # layers' variables
        if (
            not single
            and not several
            and value.kind not in (Kind.TENSOR, Kind.CONST, Kind.OP, Kind.INIT)
        ):
            if value.kind is Kind.HOST and self._unset(node):
                return Fetch(node, Value(Kind.VARIABLE), uses=inner.uses, hosts=inner.hosts)
            reason = f"{described(value)} is fetched"
            if value.kind is Kind.PLACEHOLDER:
                spelled.fed(self, node, value, reason)
            if value.kind is Kind.VARIABLE:
                fetched_lists.check(self, node, reason)
            next_in_loops.check(self, node, reason)
            raise Blocked(node, reason)
        return Fetch(node, value, uses=inner.uses, hosts=inner.hosts)

    def _unset(self, node: ast.expr) -> bool:
        """Whether an attribute is one that nothing sets: reading it stops TF 1 and TF 2 alike."""
        if not isinstance(node, ast.Attribute):
            return False
        owner = self.expression(node.value)
        if owner.kind is not Kind.OBJECT or owner.data is None or owner.data.node.bases:
            return False
        if owner.data.attrs.get(node.attr) or bases.find(self, owner.data.node, node.attr):
            return False
        return not any(
            (isinstance(n, ast.Attribute) and n.attr == node.attr and n is not node and _stored(n))
            or (isinstance(n, ast.Constant) and n.value == node.attr)
            or (isinstance(n, ast.Name) and n.id in ("setattr", "vars"))
            or (isinstance(n, ast.Attribute) and n.attr in ("__dict__", "__setattr__"))
            or (isinstance(n, ast.FunctionDef) and n.name.startswith("__getattr"))
            for n in walk(self.tree)
        )

    def collected(self, node: ast.AST) -> Fetch | None:
        """Fetches that are put together before they are run."""
        try:
            return self.fetch(node) if isinstance(node, (ast.List, ast.Tuple, ast.Dict)) else None
        except Blocked:
            return None  # it may never be run

    def owner(self, site: Site) -> None:
        """Whose graph a site runs."""
        here = site.step.region if site.step is not None else None
        found: dict[Region | None, None] = {}
        for leaf in site.fetch.leaves():
            for symbol in leaf.uses:
                if symbol.value.kind in (Kind.TENSOR, Kind.OP, Kind.PLACEHOLDER):
                    found[symbol.step.region] = None
        # A graph that is built on those of others.
        last = [r for r in found if r is here]
        last = last or [r for r in found if r is not None and isinstance(r.node, ast.Module)]
        last = last or [r for r in found if _around(r, here)][-1:]
        last = last or [r for r in found if len(found) > 1 and _built_on(r, found)]
        if len(found) > 1 and not last:
            raise Blocked(site.node, "graphs of two functions or classes in one run")
        ops = any(leaf.value.kind is Kind.OP for leaf in site.fetch.leaves())
        if not last and not ops:  # a variable of the module, or of what is run in, beside them
            last = [
                home
                for leaf in site.fetch.leaves()
                for symbol in leaf.uses
                if symbol.value.kind is Kind.VARIABLE and (home := symbol.step.region) is not None
                if found and (isinstance(home.node, ast.Module) or _around(home, here))
            ]
        site.region = last[0] if last else next(iter(found), None)
        if site.region is None or site.region is here:
            site.region = site.region or here
        if isinstance(site.region.node, ast.ClassDef):  # type: ignore[union-attr]
            owners = fetched_owners.found(self, site)
            method = site.step.function if site.step is not None else None
            if not owners and site.region is here and isinstance(method, ast.FunctionDef):
                # What it fetches are names of the method, which builds, too.
                owners = {a.arg for a in method.args.args[:1]}
            if len(owners) != 1:
                raise Blocked(site.node, "whose graph is run here can't be told")
            site.owner = owners.pop()


def _built_on(region: Region | None, others: Iterable[Region | None]) -> bool:
    """Whether what a class or a function builds is built on all that others build."""
    wanted = {r for r in others if r is not region}
    if region is None or None in wanted:
        return False
    seen, todo = {region}, [region]
    while todo:
        used = {s.step.region for step in todo.pop().steps for s in step.uses}
        more = {r for r in used if r is not None} - seen
        seen |= more
        todo += more
    return wanted <= seen


def _around(outer: Region | None, inner: Region | None) -> bool:
    """Whether a function that runs a session is defined in one that builds a graph."""
    if inner is None or outer is None or not isinstance(outer.node, ast.FunctionDef):
        return False
    return holds(outer.node, inner.node) and outer is not inner


def _graph_uses(fetch: Fetch) -> list[list[Any]]:
    """What each fetch uses of the graph; objects by what they are, whatever they are called.

    What is computed eagerly is there under its name, whichever statement has bound that last.
    """
    return [
        [_known(s) for s in leaf.uses if s.value.kind is not Kind.HOST] for leaf in fetch.leaves()
    ]


def _stored(node: ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _symbols(fetch: Fetch) -> list[Symbol]:
    return [s for leaf in fetch.leaves() for s in leaf.uses if s.value.kind is Kind.CONST]


def _known(symbol: Symbol) -> object:
    """What a fetch is known by."""
    if symbol.value.kind is Kind.OBJECT:
        return symbol.value.data
    if symbol.value.kind is Kind.VARIABLE or symbol.value.data == layer_variables.LATE:
        return symbol.name, symbol.step.node  # each round of a loop has another one
    return symbol.name if _eager(symbol) else symbol


def _eager(symbol: Symbol) -> bool:
    drawn = symbol.step.random and symbol.value.data != drawn_each_round.DRAWN
    return symbol.value.kind is Kind.CONST and not drawn


def eager(walker: Any) -> None:
    """See that what several statements bind in turn, and runs fetch, is no matter of functions.

    Raises:
        Blocked: a run feeds it, or what it is computed from.
    """
    for site in walker.kept.get(("eager",), ()):
        for symbol in (s for leaf in site.fetch.leaves() for s in leaf.uses):
            if symbol.value.kind is Kind.CONST and (symbol.fed or symbol.step.moves):
                raise Blocked(site.node, DIFFERS)
