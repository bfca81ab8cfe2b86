"""What each run needs: backward slices from fetches to feeds, and what several of them share."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.data import draws, iterators
from migrate.programs.graph.fetching import decided_runs
from migrate.programs.graph.listing import late_lists, update_ops
from migrate.programs.graph.making import rebound_names
from migrate.programs.graph.model import (
    Blocked,
    Feed,
    Fetch,
    Kind,
    Region,
    Site,
    Step,
    Symbol,
    Unfed,
    Value,
)
from migrate.programs.graph.objects.objects_apart import Whose
from migrate.programs.graph.optimizing import assigned_before
from migrate.programs.graph.walk import Apply, Gradient, Walker
from migrate.programs.graph.wording import rebound_parameters


@dataclass(slots=True, eq=False, repr=False)
class Plan:
    """A function to be: what one kind of run fetches, given what it is fed."""

    region: Region
    fetch: Fetch
    params: list[Symbol]  # fed and needed, in the order of their definition
    steps: list[Step]  # in order
    sites: list[Site] = field(default_factory=list)
    name: str = ""
    units: list[Unit] = field(default_factory=list)
    same: Group | None = None  # it is this group and nothing else
    calls: list[Plan] = field(default_factory=list)  # whose functions it calls
    fixed: dict[Symbol, str] = field(default_factory=dict)  # switches, as every such run feeds them

    borrowed: list[Invoked] = field(default_factory=list)  # what other regions give
    lent: bool = False  # it gives another region its tensors
    names: dict[Symbol, str] = field(default_factory=dict)  # parameters' that aren't the symbols'
    ways: dict[Step, int] = field(default_factory=dict)  # of branches that it decides
    shown: bool = False  # no run's: it is made for what it prints
    made: bool = False  # nothing is run: it is made as TF 1 makes the graph
    still: bool = False  # batch normalizations train in it, and it leaves their averages alone

    @property
    def ops(self) -> list[Fetch]:
        """The fetches that are run for their effect."""
        return [f for f in self.fetch.leaves() if f.value.kind is Kind.OP]

    @property
    def results(self) -> list[Fetch]:
        """The fetches that have a value."""
        return [f for f in self.fetch.leaves() if has_value(f)]


@dataclass(slots=True, eq=False, repr=False)
class Group:
    """Steps that the same plans need: a function of its own that they call."""

    steps: list[Step]
    plans: list[Plan]
    params: list[Symbol]
    results: list[Symbol]
    name: str = ""
    plan: Plan | None = None  # whose function it is
    owner: str = ""  # the object that keeps it, where several methods build


@dataclass(slots=True, eq=False, repr=False)
class Invoked:
    """The function of another plan, called in a plan."""

    plan: Plan
    results: list[Symbol]
    owner: str = ""  # the object whose function it is, as written
    given: dict[Symbol, Symbol] = field(default_factory=dict)  # its parameters' names out here
    whose: Whose | None = None  # that object, where it is one of several

    @property
    def steps(self) -> list[Step]:
        """What it computes, but for what it asks other regions for."""
        own = [s for s in self.plan.steps if s.region is self.plan.region]
        return own if self.whose is None else [self.whose.steps[s] for s in own]


Unit = Step | Group | Invoked
# What a run feeds a training switch, where it is seen.
Switches = Callable[[Symbol, Feed | None], str | None]
NONE = "None"  # what a placeholder is that a program does without


def has_value(fetch: Fetch) -> bool:
    """Whether a fetch gives a value: a train op or a group gives None."""
    if fetch.items:
        return any(map(has_value, fetch.items))
    value = fetch.value
    return value.kind is not Kind.OP or value.data == "assign" or hasattr(value.data, "read")


def idle(fetch: Fetch) -> bool:
    """Whether an op does nothing: ``tf.no_op()``."""
    call = fetch.value.node
    return (
        fetch.value.data == "group"
        and isinstance(call, ast.Call)
        and not (call.args or call.keywords or fetch.items)
        and not any(s.step.after for s in fetch.uses)
    )


def has_default(symbol: Symbol) -> bool:
    """Whether a placeholder, or a constant that other runs are fed, need not be fed."""
    return symbol.fed or (
        symbol.value.kind is Kind.PLACEHOLDER and str(symbol.value.data).endswith("_with_default")
    )


def nested(fetch: Fetch) -> bool:
    """Whether fetches are a dict, or structures inside one another."""
    return fetch.items is not None and (
        fetch.shape == "dict" or any(f.items is not None and has_value(f) for f in fetch.items)
    )


def is_direct(site: Site) -> bool:
    """Whether what is fetched is there without a function: variables, constants, ops on them."""
    fed = {feed.symbol for feed in site.feeds}
    return draws.whole(site) is not None or not any(
        symbol.value.kind in (Kind.TENSOR, Kind.OP, Kind.PLACEHOLDER)
        or (symbol.value.kind is Kind.CONST and (symbol.step.moves or symbol in fed))
        or (symbol.value.kind is Kind.VARIABLE and symbol in fed)
        or draws.begins(site) is not None
        for leaf in site.fetch.leaves()
        if not idle(leaf)
        for symbol in leaf.uses
    )


def plans_of(
    region: Region, sites: Iterable[Site], switched: Switches, lent: dict[Region, list[Plan]]
) -> list[Plan]:
    """A plan for each distinct run of a region's graph.

    Raises:
        Blocked: a run needs what it isn't fed.
    """
    found: dict[tuple[object, ...], Plan] = {}
    for site in sites:
        if is_direct(site) or site.region is not region:
            continue
        plan = plan_of(region, site, switched, lent)
        key = (
            tuple(plan.fixed.items()),
            tuple(plan.ways.items()),
            tuple(
                leaf.value.symbol
                if leaf.value.symbol is not None
                else (ast.dump(leaf.node), *leaf.uses)
                for leaf in site.fetch.leaves()
                if has_value(leaf) or (leaf.value.kind is Kind.OP and not idle(leaf))
            ),
            tuple(plan.params),
        )
        found.setdefault(key, plan).sites.append(site)
    return _unasked(list(found.values()))


def _unasked(plans: list[Plan]) -> list[Plan]:
    """Runs whose values nobody asks for, as runs of the function that gives them besides."""
    for plan in list(plans):
        if not plan.ops or any(plan.results):
            continue
        for other in plans:
            same = other is not plan and other.ops and other.params == plan.params
            same = same and other.ways == plan.ways
            if same and other.fixed == plan.fixed and _written(other) == _written(plan):
                other.sites.extend(plan.sites)
                plans.remove(plan)
                break
    return plans


def _written(plan: Plan) -> list[Step]:
    """The statements of a run that are written: a group of ops with names is nothing itself."""
    return [step for step in plan.steps if not _gathers(step)]


def _gathers(step: Step) -> bool:
    made = step.value.node if step.value is not None and step.value.data == "group" else None
    if not isinstance(made, ast.Call):
        return False
    args = [*made.args, *(k.value for k in made.keywords if k.arg != "name")]
    nodes = [n for arg in args for n in walk(arg) if isinstance(n, ast.expr)]
    plain = (ast.Name, ast.Attribute, ast.List, ast.Tuple, ast.Starred)
    return all(isinstance(n, plain) for n in nodes)


@dataclass(slots=True, eq=False, repr=False)
class _Needs:
    """What a run needs of one region's graph."""

    region: Region
    steps: dict[Step, None] = field(default_factory=dict)
    params: dict[Symbol, None] = field(default_factory=dict)
    fixed: dict[Symbol, str] = field(default_factory=dict)
    # Of other regions, and of which of their objects.
    others: dict[tuple[Region, Whose | None], dict[Symbol, None]] = field(default_factory=dict)
    ways: dict[Step, int] = field(default_factory=dict)  # of branches that the run decides
    none: frozenset[Symbol] = frozenset()  # placeholders that the program does without


def _needs(region: Region, wanted: list[Symbol], site: Site, switched: Switches) -> _Needs:
    ways: dict[Step, int] = {}
    last: _Needs | None = None
    missing: Unfed | None = None
    none: frozenset[Symbol] = frozenset()
    while True:
        try:
            found = _followed(_Needs(region, ways=ways, none=none), list(wanted), site, switched)
        except Unfed as error:
            missing = error
            try:
                more = decided_runs.unfed(error, ways)
            except Unfed:
                if not error.optional:
                    raise
                none |= {error.symbol}
                continue
        else:
            if not decided_runs.bound(found.steps, wanted, ways):
                if last is None:
                    assert missing is not None
                    raise missing
                return last
            if last is not None and last.params.keys() - found.params:
                return last  # what is fed is taken
            last = found
            more = decided_runs.asked(found.steps, wanted, ways)
            if not more:
                return found
        ways = {**ways, **more}


def _followed(found: _Needs, wanted: list[Symbol], site: Site, switched: Switches) -> _Needs:
    region = found.region
    fed = {feed.symbol: feed for feed in site.feeds}
    readers: dict[Symbol, Step] = {}
    while wanted:
        symbol = wanted.pop()
        known = switched(symbol, fed.get(symbol))
        if known is not None:
            if known == NONE and symbol not in found.none:
                raise Unfed(site.node, symbol, readers.get(symbol), optional=True)
            found.fixed[symbol] = known
            continue
        if symbol in fed:
            found.params[symbol] = None
            continue
        kind = symbol.value.kind
        if iterators.element_of(symbol) is not None:
            continue
        if has_default(symbol):
            found.params[symbol] = None
            continue
        if kind is Kind.PLACEHOLDER:
            raise Unfed(site.node, symbol, readers.get(symbol))
        step = symbol.step
        if not step.moves or step in found.steps:
            continue
        home = step.region
        if home is not None and home is not region and _lends(home):
            found.others.setdefault((home, symbol.whose), {})[symbol] = None
            continue
        waiting = [step]
        while waiting:  # for what it depends on, and for what that waits for itself
            one = waiting.pop()
            if one in found.steps:
                continue
            found.steps[one] = None
            read = decided_runs.uses(one, found.ways)
            wanted.extend(s for s in read if s.step is not one)
            readers.update((s, one) for s in read)
            waiting.extend(other for other in one.after if other.moves)
    for step in region.steps:
        moving = [s for s in step.uses if s.step.moves or s.value.kind is Kind.PLACEHOLDER]
        inside = all(s.step in found.steps or s in found.params for s in moving)
        if step.rides and moving and inside:
            found.steps[step] = None
    _differentiated(site, found)
    assigned_before.check(found.steps, filter(_trains, found.steps))
    for step in found.steps:
        if step.impure is not None:
            raise Blocked(*step.impure)
        if step not in region.steps:
            raise Blocked(site.node, "a graph that another function builds")
    return found


def _differentiated(site: Site, found: _Needs) -> None:
    """What a loss waits for runs with it; of a loss that is only differentiated, some may not.

    Raises:
        Blocked: it changes a variable, and the loss isn't fetched.
    """
    waited = [s for step in found.steps for s in step.after if s.kind is Kind.OP]
    averages = {s for step in found.steps for s in step.after if _updates(s)}
    if not waited and not averages:
        return
    fetched: set[Step] = set()
    stack = [s.step for leaf in site.fetch.leaves() for s in leaf.uses]
    while stack:
        step = stack.pop()
        if step in fetched or step not in found.steps:
            continue
        fetched.add(step)
        taped = step.value is not None and isinstance(step.value.data, Gradient)
        stack.extend(() if taped else (s.step for s in step.uses))
        stack.extend(step.after)
    for step in waited:
        if step in found.steps and step not in fetched and not _trains(step) | _updates(step):
            raise Blocked(step.node, "an update that only the loss of a train op waits for")
    for one in averages - fetched:
        waiting = [step for step in found.steps if one in step.after]
        if not any(s in fetched or _trains(s) or update_ops.needed(s) for s in waiting):
            raise Blocked(one.node, "averages whose updates only the loss of a train op waits for")


def _updates(step: Step) -> bool:
    """Whether a step has the averages of normalizations updated."""
    data = step.value.data if step.value is not None else None
    return isinstance(data, update_ops.Updates) and bool(data.norms)


def _trains(step: Step) -> bool:
    return step.value is not None and isinstance(step.value.data, (Gradient, Apply))


def _lends(region: Region) -> bool:
    """Whether other regions may build on a region's graph: they call its functions."""
    named = isinstance(region.node, (ast.Module, ast.ClassDef)) or region.built is not None
    return named and region.inputs is None


def plan_of(region: Region, site: Site, switched: Switches, lent: dict[Region, list[Plan]]) -> Plan:
    """What a run needs of a region's graph, as a function.

    Raises:
        Blocked: it needs what it isn't fed.
    """
    needs = _needs(region, [s for f in site.fetch.leaves() for s in f.uses], site, switched)
    params, needed = needs.params, dict(needs.steps)
    borrowed = []
    for (home, whose), symbols in sorted(needs.others.items(), key=_as_made):
        other = _lent(home, list(symbols), site, switched, lent, whose)
        borrowed.append(other)
        params.update((other.given.get(s, s), None) for s in other.plan.params)
        needed.update(dict.fromkeys(other.steps))
    if site.feed_name is not None:
        params.update({feed.symbol: None for feed in site.feeds})
    for element in draws.taken(site, needed):
        params.update(dict.fromkeys(element.symbols))
    steps = sorted(needed, key=lambda s: (s.region is region, s.order))
    return Plan(
        region,
        site.fetch,
        _ordered_params(params),
        steps,
        fixed=needs.fixed,
        borrowed=borrowed,
        ways=needs.ways,
    )


def _as_made(item: tuple[tuple[Region, Whose | None], Any]) -> tuple[int, int]:
    """Of several objects of a class, those first that are made first."""
    (_, whose), _ = item
    return (whose.call.lineno, whose.call.col_offset) if whose is not None else (0, 0)


def _ordered_params(params: Iterable[Symbol]) -> list[Symbol]:
    return sorted(params, key=lambda s: (has_default(s), s.step.order, iterators.place(s), s.name))


def _lent(
    region: Region,
    symbols: list[Symbol],
    site: Site,
    switched: Switches,
    lent: dict[Region, list[Plan]],
    whose: Whose | None = None,
) -> Invoked:
    """The function of a region that gives another one some of its tensors.

    Raises:
        Blocked: they aren't tensors alone.
    """
    symbols.sort(key=lambda s: (s.step.order, s.name))
    given = {t: f.symbol for f in site.feeds for t in f.twins if t.step.region is region}
    own = [replace(f, symbol=t) for f in site.feeds for t in f.twins if t in given]
    results = symbols
    if whose is not None:
        symbols = [s.seen for s in results if s.seen is not None]
        mine = [(f, f.symbol.seen) for f in site.feeds if f.symbol.whose is whose]
        given.update((seen, f.symbol) for f, seen in mine if seen is not None)
        own += [replace(f, symbol=seen) for f, seen in mine if seen is not None]
    inner = replace(site, feeds=[*site.feeds, *own]) if own else site
    needs = _needs(region, list(symbols), inner, switched)
    switched_off = set(needs.fixed.values()) - {NONE}
    if switched_off or needs.ways or any(s.kind is not Kind.TENSOR for s in needs.steps):
        raise Blocked(site.node, "graphs of two functions or classes in one run")
    wanted, steps, borrowed = dict(needs.params), dict(needs.steps), list[Invoked]()
    for (home, theirs), parts in needs.others.items():
        other = _lent(home, list(parts), site, switched, lent, theirs)
        if any(s.random for s in other.steps):
            raise Blocked(site.node, "graphs of two functions or classes in one run")
        borrowed.append(other)
        wanted.update((other.given.get(s, s), None) for s in other.plan.params)
        steps.update(dict.fromkeys(other.steps))
    params = _ordered_params(wanted)
    for plan in lent.setdefault(region, []):
        same = plan.params == params and plan.fixed == needs.fixed
        if same and [f.value.symbol for f in plan.fetch.leaves()] == symbols:
            return Invoked(plan, results, given=given, whose=whose)
    leaves = []
    for symbol in symbols:
        made = [
            n
            for n in walk(symbol.step.node)
            if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Store)
            if (n.id if isinstance(n, ast.Name) else n.attr) == symbol.name
        ]
        if not made:
            raise Blocked(site.node, "graphs of two functions or classes in one run")
        leaves.append(Fetch(made[0], symbol.value, uses={symbol: None}))
    fetch = leaves[0] if len(leaves) == 1 else Fetch(made[0], Value(Kind.FETCH), leaves, "tuple")
    ordered = sorted(steps, key=lambda s: (s.region is region, s.order))
    plan = Plan(region, fetch, params, ordered, fixed=needs.fixed, lent=True, borrowed=borrowed)
    lent[region].append(plan)
    return Invoked(plan, results, given=given, whose=whose)


def closure(symbols: Iterable[Symbol], among: Sequence[Step]) -> set[Step]:
    """The steps among some that symbols come from."""
    inside = set(among)
    found: set[Step] = set()
    stack = [s.step for s in symbols]
    while stack:
        step = stack.pop()
        if step in found or step not in inside:
            continue
        found.add(step)
        stack.extend(s.step for s in step.uses if s.step is not step)
        stack.extend(step.after)
    return found


class Twice(Blocked):
    """A function would read what a name meant before it was bound again."""

    def __init__(self, node: ast.AST, reason: str, name: str, again: ast.AST) -> None:
        super().__init__(node, reason)
        self.name, self.again = name, again


def _rebound(plan: Plan, node: ast.AST, reason: str) -> Blocked:
    """What stops a function, with the name that is bound again where it shouldn't be."""
    now: dict[str, Symbol] = {}
    fetched = [s for leaf in plan.fetch.leaves() for s in leaf.uses]
    for reads, defs in (*((used(s), defined(s)) for s in plan.steps), (fetched, ())):
        for symbol in reads:
            held = now.get(symbol.name, symbol)
            later = held is not symbol and held.step.order > symbol.step.order
            if later and not held.attribute and not symbol.attribute:
                names = (n for n in walk(held.step.node) if isinstance(n, ast.Name))
                stores = [n for n in names if n.id == symbol.name and isinstance(n.ctx, ast.Store)]
                if stores:
                    return Twice(node, reason, symbol.name, stores[0])
        now.update({s.name: s for s in defs})
    return Blocked(node, reason)


def groups_of(plans: list[Plan], walker: Walker) -> list[Group]:
    """Steps that several plans share, as functions of their own; sets each plan's units."""
    invoked = {plan: [*plan.borrowed, *invoked_by(plan, plans, walker)] for plan in plans}
    users: dict[Step, tuple[int, ...]] = {}
    for place, plan in enumerate(plans):
        covered = {s for call in invoked[plan] for s in call.steps}
        for step in plan.steps:
            if step in covered:
                continue
            users[step] = (*users.get(step, ()), place)
    together: dict[tuple[int, ...], list[Step]] = {}
    decided = {step for plan in plans for step in plan.ways}
    for step in sorted(users.keys() - decided, key=lambda s: s.order):
        if len(users[step]) > 1 and step.kind is Kind.TENSOR and not gradients(step, walker):
            together.setdefault(users[step], []).append(step)
    groups = []
    every = {step for plan in plans for step in plan.steps}
    for who, shared in together.items():
        lists = late_lists.apart(walker, shared, every)
        steps = [step for step in shared if step not in lists]
        group = _group(steps, [plans[i] for i in who], plans, invoked) if steps else None
        if group is not None:
            groups.append(group)
    grouped: dict[Step, Unit] = {step: group for group in groups for step in group.steps}
    for plan in plans:
        of = dict(grouped)
        of.update({step: call for call in invoked[plan] for step in call.steps})
        behind = late_lists.behind(walker, plan.steps)
        units = _ordered(plan, of, behind)
        if plan.borrowed and (units is None or not consistent(plan, units)):
            lent: dict[Step, Unit] = {s: call for call in plan.borrowed for s in call.steps}
            units = _ordered(plan, lent, behind)  # other objects' functions stay calls
        if units is None or not consistent(plan, units):
            units = list(plan.steps)
            if plan.borrowed or not consistent(plan, units):
                at = plan.sites[0].node if plan.sites else plan.fetch.node
                reason = "one name means two things in what is run"
                rebound_parameters.check(walker, plan.region, at, reason)
                own = {s.name for unit in units for s in defined(unit)}
                outside = (s for unit in units for s in used(unit) if s.step not in plan.steps)
                rebound_names.check(walker, plan.steps, outside, own, (at, reason))
                raise _rebound(plan, at, reason)
        plan.units = units
        plan.calls = [u.plan for u in units if isinstance(u, Invoked)]
    for group in groups:
        group.plans = [p for p in group.plans if group in p.units]
    kept = [g for g in groups if len(g.plans) > 1 or (g.plans and len(g.plans[0].units) == 1)]
    for group in groups:
        for plan in group.plans if group not in kept else ():  # its statements stand in the one
            where = plan.units.index(group)
            plan.units = [*plan.units[:where], *group.steps, *plan.units[where + 1 :]]
    return kept


def invoked_by(plan: Plan, plans: list[Plan], walker: Walker) -> list[Invoked]:
    """The other plans' functions that a plan may call: largest first, none inside another."""
    found: list[Invoked] = []
    mine = set(plan.steps)
    taken = {s for call in plan.borrowed for s in call.steps}
    for other in sorted(plans, key=lambda p: -len(p.steps)):
        theirs = set(other.steps)
        if other is plan or not theirs < mine or theirs & taken or other.ops:
            continue
        if nested(other.fetch):
            continue  # what it gives can't be unpacked
        if other.still or plan.still:
            continue  # one of the two may update averages
        if not all(s.kind is Kind.TENSOR and not gradients(s, walker) for s in theirs):
            continue
        if len(theirs) == 1 and _plain(other.steps[0].node):
            continue
        if late_lists.apart(walker, other.steps, mine):
            continue
        results = [leaf.value.symbol for leaf in other.fetch.leaves()]
        if not all(
            isinstance(leaf.node, (ast.Name, ast.Attribute)) for leaf in other.fetch.leaves()
        ):
            continue
        spread = _spread((*theirs, *plan.steps), plan.region)
        if spread and not _object(plan):
            continue
        if any(r is None or r.step not in theirs for r in results):
            continue
        if not set(other.params) <= set(plan.params):
            continue
        fed = {s for s in plan.params if s.value.kind is Kind.VARIABLE} - set(other.params)
        if any(fed & step.uses.keys() for step in theirs):
            continue  # it reads the variable that this run is fed a value for
        if not other.fixed.items() <= plan.fixed.items():
            continue
        if any(other.ways.get(s) != plan.ways.get(s) for s in theirs):
            continue
        if all(isinstance(s.stmt, ast.Expr) and s.stmt.value is s.node for s in other.sites):
            continue  # nobody asks for its values: its function gives none
        outside = {
            s
            for step in plan.steps
            if step not in theirs
            for s in decided_runs.uses(step, plan.ways)
        }
        outside |= {s for leaf in plan.fetch.leaves() for s in leaf.uses}
        readshere = {s for s in outside if s.step in theirs}
        if readshere != set(results):
            continue
        if any(a in theirs for s in plan.steps if s not in theirs for a in s.after):
            continue
        found.append(Invoked(other, [r for r in results if r is not None], "self" * spread))
        taken |= theirs
    return found


def gradients(step: Step, walker: Walker) -> list[Gradient]:
    """The calls in a step that differentiate."""
    return [
        walker.gradients[id(n)] for n in all_of(step.node, ast.Call) if id(n) in walker.gradients
    ]


def _group(
    steps: list[Step],
    users: list[Plan],
    plans: list[Plan],
    invoked: dict[Plan, list[Invoked]],
) -> Group | None:
    if len(steps) == 1 and _plain(steps[0].node):
        return None
    if _spread([s for p in users for s in p.steps], users[0].region) and not _object(users[0]):
        return None
    inside = set(steps)
    params: dict[Symbol, None] = {}
    for step in steps:
        for symbol in step.uses:
            if symbol.value.kind is Kind.VARIABLE and any(symbol in p.params for p in users):
                return None  # some are fed the variable, some read it
            given = symbol.fed or symbol.value.kind is Kind.PLACEHOLDER
            if symbol.step not in inside and (symbol.step.moves or given):
                params[symbol] = None
    results: dict[Symbol, None] = {}
    for plan in plans:
        covered = {s for call in invoked[plan] for s in call.steps}
        for step in plan.steps:
            if step not in inside and step not in covered:
                read = decided_runs.uses(step, plan.ways)
                results.update(dict.fromkeys(s for s in read if s.step in inside))
        for leaf in plan.fetch.leaves():
            results.update(dict.fromkeys(s for s in leaf.uses if s.step in inside))
    if any(s.value.kind is Kind.FUNCTION for s in (*results, *params)):
        return None
    named = [s.name for s in (*results,)]
    if len(set(named)) < len(named):
        return None
    if len({s.name for s in params}) < len(params):
        return None
    if len(results) > 4:
        return None  # a function that gives five things is no function
    if not _means(steps, params):
        return None
    spread = _spread([s for p in users for s in p.steps], users[0].region)
    wanted = sorted(results, key=lambda s: s.step.order)
    return Group(steps, users, list(params), wanted, owner="self" * spread)


def _means(steps: Sequence[Step], params: Iterable[Symbol]) -> bool:
    """Whether what a function of some steps takes from around it isn't a name that it binds.

    Variables of that name have another one there.
    """
    given = set(params)
    inside = set(steps)
    own = {s.name for step in steps for s in defined(step) if s.value.kind is not Kind.OP}
    return not any(
        symbol.step not in inside
        and symbol not in given
        and symbol.value.kind is Kind.HOST
        and symbol.name in own
        and not symbol.attribute
        for step in steps
        for symbol in used(step)
    )


def _spread(steps: Iterable[Step], region: Region) -> bool:
    """Whether statements stand in several functions: none of them sees another one's names."""
    return len({s.function for s in steps if s.region is region}) > 1


def _object(plan: Plan) -> bool:
    """Whether functions are attributes of an object."""
    return isinstance(plan.region.node, ast.ClassDef)


def _plain(node: ast.stmt) -> bool:
    """Whether a statement is one call of names: as short as a call of a helper would be."""
    if not isinstance(node, ast.Assign):
        return False
    value = node.value
    return isinstance(value, (ast.Name, ast.Subscript)) or (
        isinstance(value, ast.Call)
        and all(isinstance(a, (ast.Name, ast.Constant, ast.Attribute)) for a in value.args)
        and all(
            isinstance(k.value, (ast.Name, ast.Constant, ast.Attribute)) for k in value.keywords
        )
    )


def defined(unit: Unit) -> list[Symbol]:
    """What a unit gives."""
    return unit.defs if isinstance(unit, Step) else unit.results


def used(unit: Unit) -> list[Symbol]:
    """What a unit takes from other units or as a parameter."""
    if isinstance(unit, Group):
        return unit.params
    if isinstance(unit, Invoked):
        return unit.plan.params
    return [s for s in unit.uses if s.step is not unit]


def _ordered(plan: Plan, of: dict[Step, Unit], behind: dict[Step, set[Step]]) -> list[Unit] | None:
    """Steps and calls of groups, each after what it takes; as early as the author had them."""
    units: list[Unit] = []
    for step in plan.steps:
        unit: Unit = of.get(step, step)
        if unit not in units:
            units.append(unit)
    placed: list[Unit] = []
    home: dict[Step, Unit] = {step: of.get(step, step) for step in plan.steps}
    while units:
        for unit in units:
            needs = {home[s.step] for s in used(unit) if s.step in home and s not in plan.params}
            if isinstance(unit, Step):
                needs |= {home[s] for s in (*unit.after, *behind.get(unit, ())) if s in home}
            needs.discard(unit)
            if all(n in placed for n in needs):
                placed.append(unit)
                units.remove(unit)
                break
        else:
            return None
    return placed


def consistent(plan: Plan, units: Sequence[Unit]) -> bool:
    """Whether every name means what it meant where the author wrote it."""
    given = [*plan.params, *plan.fixed]
    now: dict[str, Symbol] = {s.name: origin(s) for s in given}
    if len(now) < len(given):
        return False
    inside = set(plan.steps)
    # A function that binds a name has it for itself from the start; an attribute is one there.
    bound = (s for unit in units for s in defined(unit))
    own = {s.name for s in bound if not (s.attribute and s.value.kind is Kind.OP)}
    for unit in units:
        for symbol in used(unit):
            kept = symbol.step not in inside and symbol not in given
            if kept and symbol.name in own and not symbol.attribute:
                return False
            held = now.get(symbol.name) is origin(symbol)
            if (symbol.step in inside or symbol in given) and not held:
                return False
        now.update({s.name: origin(s) for s in defined(unit)})
    return all(
        now.get(symbol.name) is origin(symbol)
        for leaf in plan.fetch.leaves()
        for symbol in leaf.uses
        if symbol.step in inside or symbol in given
    )


def origin(symbol: Symbol) -> Symbol:
    """What ``self.cost = cost`` keeps under the same name: in a function, these are one."""
    node = symbol.step.node
    if not symbol.attribute or not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return symbol
    if not isinstance(node.value, ast.Name) or node.value.id != symbol.name:
        return symbol
    return next((s for s in symbol.step.uses if s.name == symbol.name), symbol)
