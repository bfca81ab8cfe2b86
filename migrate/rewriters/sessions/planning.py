"""Which functions a region needs, what they are called and where they stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.engine.trees import all_of, children, fact, holds, named, walk
from migrate.programs.graph.fetching import decided_runs, fetched_parts, parted_branches
from migrate.programs.graph.making import attributes_again, repeated
from migrate.programs.graph.model import RUNTIME, Blocked, Kind, Region, Step, Symbol, Unfed
from migrate.programs.graph.objects import bases, forgotten, objects_apart, own_attributes
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.scoping import scopes
from migrate.programs.graph.slices import (
    Group,
    Plan,
    Twice,
    closure,
    consistent,
    gradients,
    groups_of,
    nested,
    origin,
    plans_of,
)
from migrate.programs.graph.wording import rebound_parameters
from migrate.rewriters.sessions import (
    attribute_changes,
    factory_reads,
    fetched_names,
    printed,
    rebound,
    returned_ops,
    set_globals,
    shadowing,
    shown_alone,
    specs,
    unrun,
    waited,
    whose,
)
from migrate.rewriters.sessions.attributes import inner_functions
from migrate.rewriters.sessions.functions import Functions
from migrate.rewriters.sessions.mutations import filled, given_and_changed, other_item
from migrate.rewriters.sessions.naming import Namer
from migrate.rewriters.sessions.state import Base

# What gives a number of a number.
MATHS = frozenset(f"{m}.{f}" for m in ("np", "numpy", "math") for f in ("exp", "log", "sqrt"))


def _riders(region: Region, steps: set[Step]) -> list[Step]:
    """What only looks at the tensors of some steps, or at what a function is given."""
    return [
        step
        for step in region.steps
        if step.rides and step not in steps
        if all(s.step in steps for s in step.uses if s.step.moves)
    ]


class Planning(Base):
    """Which functions a region needs, what they are called and where they stand."""

    def planned(self, ordered: Sequence[Region]) -> None:
        """The functions of all regions' graphs, and where they stand.

        Where two regions call each other's, an actor its critic's and the critic the actor's, those
        of both have names before one is written.
        """
        done: set[int] = set()
        for region in ordered:
            mutual = [] if id(region) in done else [region]
            for one in mutual:
                plans = [*self.plans.get(id(one), ()), *self.lent.get(one, ())]
                others = [call.plan.region for plan in plans for call in plan.borrowed]
                mutual += [r for r in others if r not in mutual and id(r) not in done]
            done.update(map(id, mutual))
            halves = [(one, self.plan(one)) for one in mutual]
            for _ in range(2):
                for one, half in halves:
                    self.turn(one.node)
                    next(half, None)

    def plan(self, region: Region) -> Iterator[None]:
        """The functions of a region's graph: first their names, then where they stand."""
        if region.inputs is not None:
            self.plan_factory(region)
            return
        plans = [*self.plans[id(region)], *self.lent.get(region, ())]
        self.norms.seen(plans)
        shadowing.told_apart(plans, region, self.namer.taken)
        objects_apart.named(plans, whose.named(self.walker, plans), self.namer.taken)
        try:
            groups = groups_of(plans, self.walker)
        except Twice as error:
            again = rebound.Binding(error.name, error.again)
            raise rebound.blocked(self, error.node, error.reason, [again]) from error
        top = isinstance(region.node, ast.Module)
        namer = self.namer if top else Namer(set(self.namer.taken))
        if region.built is not None:  # its functions have names where they are used, too
            namer.taken.update(*(page.namer.taken for page in self.pages))
        functions = Functions(self.text, self.walker, self.tf, namer)
        functions.floor = self.floors(region)
        self.functions[id(region)] = functions
        functions.module, functions.home = self, region
        self.check(region, plans)
        self.moving.update(s for plan in plans for s in plan.steps)
        for step in region.steps:
            if step in self.moving:
                functions.name_cells(step)
                functions.name_layers(step)
                namer.moving.update(
                    s.name
                    for s in step.defs
                    if step.kind is Kind.OP and self.stores[s.name] <= 1
                    if not s.attribute or self.only_run(s)
                )
        for plan in plans:
            self.owned(plan, functions)
        functions.prepare(plans)
        for plan in plans:
            units = [u for u in plan.units if not functions.renames(u)]
            whole = units[0] if len(units) == 1 else None
            if (
                isinstance(whole, Group)
                and whole.plan is None
                and whole.params == plan.params
                and [origin(f.value.symbol) if f.value.symbol else None for f in plan.results]
                == [origin(s) for s in whole.results]
                and not plan.ops
                and not (plan.shown or plan.made)
                and not any(p.still for p in whole.plans)
                and not nested(plan.fetch)
            ):
                whole.plan, plan.same = plan, whole
        for plan in plans:
            printed.ahead(plan, region, self.trees)
            plan.name = namer.plan(plan)
            if plan.same is not None:
                plan.same.name = plan.name
            self.of.update({id(site.node): plan for site in plan.sites})
            if region.built is not None and plan.name:  # and so have those of other builders
                for page in self.pages:
                    page.namer.taken.add(plan.name)
        for group in groups:
            group.name = group.name or namer.group(group)
        yield
        for group in groups:
            step = group.steps[-1]
            text = functions.group(group, self.indent(step))
            if group.plan is not None:
                text += self.kept(group.plan, step)
            if group.owner:
                self.within(group.steps, region, step)
            if group.owner and group.plan is None:
                nl = self.text.newline
                text += f"{nl}{self.indent(step)}{group.owner}.{group.name} = {group.name}{nl}"
            self.at.setdefault(step, []).append(text)
        for plan in plans:
            if plan.same is None:
                step = region.steps[self.place(plan, region)]
                self.visible(plan, step)
                text = functions.plan(plan, self.indent(step)) + self.kept(plan, step)
                if plan.shown or plan.made:
                    blank = self.blank(step)
                    text += f"{blank}{self.indent(step)}{plan.name}.get_concrete_function()"
                    text += f"  # made, not run{self.text.newline}"
                self.at.setdefault(step, []).append(text)
        self.built(region, functions)

    @property
    def trees(self) -> list[ast.Module]:
        """The files of the program."""
        return [page.document.tree for page in self.pages]

    def only_run(self, symbol: Symbol) -> bool:
        """Whether an attribute's name is where it is set and in runs, and nowhere else."""
        steps = (step for region in self.walker.regions for step in region.steps)
        made: list[ast.AST] = [
            step.node
            for step in steps
            if step.kind is Kind.OP
            if any(s.attribute and s.name == symbol.name for s in step.defs)
        ]
        made += [site.node for site in self.sites]
        found = [n for tree in self.trees for n in named(tree, symbol.name)]
        texts = (n.value for tree in self.trees for n in all_of(tree, ast.Constant))
        return symbol.name not in texts and all(
            isinstance(n, ast.Attribute) and any(holds(part, n) for part in made) for n in found
        )

    def built(self, region: Region, functions: Functions) -> None:
        """Optimizers with several lists of variables are told of all of them before they train.

        Raises:
            Blocked: they can't be.
        """
        for key, updates in functions.shared.plans.items():
            call = functions.shared.of[key].call
            line = functions.shared.built(key, functions.optimizers[key])
            if not line:
                continue
            plans = list(updates.values())
            place = region.steps[max(self.place(plan, region) for plan in plans)]
            runs = [site.step for plan in plans for site in plan.sites if site.step is not None]
            if any(s.region is region and s.order <= place.order for s in runs):
                raise Blocked(
                    call, "an optimizer that trains before all of its variables are there"
                )
            local = {s.name for step in region.steps if step.moves for s in step.defs}
            if local & {n.id for n in all_of(ast.parse(line), ast.Name)}:
                raise Blocked(call, "one optimizer for lists of variables that are made in runs")
            nl, indent = self.text.newline, self.indent(place)
            self.at[place][-1] += f"{self.blank(place)}{indent}{line}{nl}"

    def blank(self, place: Step) -> str:
        """The empty lines behind a function."""
        top = not self.indent(place) and isinstance(place.function, ast.Module)
        return self.text.newline * (2 if top else 1)

    def ahead(self, regions: Sequence[Region]) -> list[Region]:
        """What runs need of every region; those that lend first."""
        own = [r for r in regions if r.inputs is None]
        for region in regions:
            shift(region)
        objects_apart.settle(self.walker)
        try:
            for region in own:
                plans = plans_of(region, self.sites, self.fed, self.lent)
                plans += shown_alone.alone(self, region, plans)
                if not self.sites:
                    plans += unrun.functions(self, region, plans)
                self.plans[id(region)] = plans
        except Unfed as error:
            training_helpers.partly(self.walker, error)
            parted_branches.check(self.walker, error)
            raise
        every = [*self.plans.values(), *self.lent.values()]
        borrowed = [c for plans in every for p in plans for c in p.borrowed]
        for region, lent in self.lent.items():
            for plan in list(lent):
                same = next((p for p in self.plans[id(region)] if alike(p, plan)), None)
                if same is not None:
                    same.lent = True
                    lent.remove(plan)
                    for call in borrowed:
                        call.plan = same if call.plan is plan else call.plan
        outside = self.walker.kept.get("listed outside", ())
        return sorted(regions, key=lambda r: (r not in self.lent, id(r) not in outside))

    def owned(self, plan: Plan, functions: Functions) -> None:
        """Whose functions and placeholders a function on another region's graph calls.

        Raises:
            Blocked: it can't be told, or can't be seen from here.
        """
        returned_ops.check(self.walker, plan)
        owners = whose.owners(self.walker, plan)
        at = plan.sites[0].node if plan.sites else plan.fetch.node  # other regions alone call it
        for call in plan.borrowed:
            home = call.plan.region
            if isinstance(home.node, ast.ClassDef):
                found = owners.get((home, call.whose)) or self.named_in(plan.region, home)
                if len(found) != 1:
                    raise Blocked(at, whose.REASON)
                (call.owner,) = found
                whose.lasting(self.walker, plan, call.owner)
            elif not self.handed.sees(plan.region, call.plan):
                raise Blocked(at, "the graph of another function is run here")
        for symbol in plan.params:
            home = symbol.step.region  # type: ignore[assignment]
            if symbol.attribute and home is not plan.region:
                found = owners.get((home, symbol.whose)) or {
                    c.owner
                    for c in plan.borrowed
                    if c.plan.region is home and c.whose is symbol.whose
                }
                if len(found) != 1:
                    raise Blocked(at, whose.REASON)
                name = (symbol.seen or symbol).name
                functions.refs[symbol] = f"{next(iter(found))}.{name}"
            elif home is not plan.region and (spec := specs.afar(self, symbol, plan.region)):
                functions.refs[symbol] = spec

    def named_in(self, region: Region, home: Region) -> set[str]:
        """What a region calls the objects of a class, where it uses their attributes."""
        return {
            ast.unparse(n.value)
            for step in region.steps
            if not isinstance(step.node, (ast.ClassDef, ast.FunctionDef))
            for n in all_of(step.node, ast.Attribute)
            if id(n) in self.walker.attributes
            if self.walker.attributes[id(n)].step.region is home
        }

    def plan_factory(self, region: Region) -> None:
        """A function that makes variables: the function in it that applies them."""
        assert region.inputs is not None
        assert region.result is not None
        place, fetch = region.result
        wanted = [s for leaf in fetch.leaves() for s in leaf.uses]
        moving = closure(wanted, [s for s in region.steps if s.moves])
        steps = sorted((*moving, *_riders(region, moving)), key=lambda s: s.order)
        for step in steps:
            if step.impure is not None:
                raise Blocked(*step.impure)
            for symbol in step.uses:
                if symbol.value.kind in RUNTIME and symbol.step.region not in (None, region):
                    raise Blocked(step.node, f"`{region.name}` uses `{symbol.name}` of a run")
            plain = step.kind is Kind.TENSOR or waited.moves(self.walker, region, step)
            if not plain or not waited.only(self.walker, region, step):
                raise Blocked(step.node, "more than tensors in a function that makes variables")
            for symbol in step.uses:
                run = symbol.step.moves or symbol.value.kind is Kind.PLACEHOLDER
                if run and symbol.step.region is not region:
                    raise Blocked(step.node, f"a function uses `{symbol.name}` of another graph")
        namer = Namer(self.namer.taken - self.page.foreign)
        functions = Functions(self.text, self.walker, self.tf, namer)
        functions.floor = self.floors(region)
        self.functions[id(region)] = functions
        functions.module = self
        plan = Plan(region, fetch, list(region.inputs), steps, units=list(steps))
        plan.name = namer.free("apply")
        self.check(region, [plan])
        factory_reads.check(self.walker, region, [*steps, place])
        if not consistent(plan, steps):
            raise Blocked(place.node, "one name means two things in what is returned")
        self.moving.update(steps)
        self.moving.add(place)
        for step in (*steps, place):
            functions.name_cells(step)
            functions.name_layers(step)
        self.factories[place] = plan
        target = region.node
        assert isinstance(target, ast.FunctionDef)
        if region.shaped:
            return
        gone = {s.name for s in region.inputs} | scopes.spent(self.walker, target)
        self.walker.session_params.setdefault(id(target), set()).update(
            a.arg for a in target.args.args if a.arg in gone
        )

    def kept(self, plan: Plan, step: Step) -> str:
        """An object keeps its functions."""
        if not isinstance(plan.region.node, ast.ClassDef):
            return ""
        nl = self.text.newline
        return f"{nl}{self.indent(step)}self.{plan.name} = {plan.name}{nl}"

    def always_fed(self, symbol: Symbol) -> bool:
        """Whether every run that needs a constant is fed it."""
        needing = [s for s in self.sites if id(s.node) in self.of]
        return all(
            site.feed_name is None and symbol in {f.symbol for f in site.feeds}
            for site in needing
            if symbol in self.of[id(site.node)].params
        )

    def visible(self, plan: Plan, place: Step) -> None:
        """What a function reads must be visible where it stands."""
        for symbol in plan.params:
            given = symbol in self.walker.twins and not symbol.attribute
            if (
                given
                and symbol.step.node is not place.function
                and plan.region is symbol.step.region
            ):
                what = f"`{symbol.name}`, a placeholder, is a local name of another function"
                raise Blocked(plan.sites[0].node if plan.sites else place.node, what)
        self.within(plan.steps, plan.region, place)

    def within(self, steps: Sequence[Step], region: Region, place: Step) -> None:
        """What statements of a region read must mean the same where their function stands."""
        for step in steps:
            if step.function is place.function or step.region is not region:
                continue
            if self.page_of(step.node) is not self.page_of(place.node):
                self.abroad(step, place)
            local = set(bindings_of(step.function)) if step.function is not None else set()
            if step.function is not None and isinstance(step.function, ast.FunctionDef):
                local |= {a.arg for a in step.function.args.args} - {"self"}
            read = [s.name for s in step.uses if not s.attribute and not s.step.moves]
            for name in (*read, *sorted(step.hosts)):
                if name not in local:
                    continue
                if step.function is None or not isinstance(region.node, ast.ClassDef):
                    raise Blocked(step.node, f"`{name}` is a local name of another function")
                self.hidden.append((step.node, step.function, name))
            if isinstance(region.node, ast.ClassDef):
                self.hidden += inner_functions(self.walker, step)

    def abroad(self, step: Step, place: Step) -> None:
        """Names of a file that a function in another one reads: imports, the same in both."""
        at = self.walker.files.at
        mine, theirs = at(step.node).frame, at(place.node).frame
        for node in all_of(step.node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                continue
            found = [f.env.get(node.id) if f is not None else None for f in (mine, theirs)]
            if found[0] is None and found[1] is None:
                continue
            said = [ast.unparse(s.step.node) if s is not None else "" for s in found]
            imports = all(
                s and isinstance(s.step.node, (ast.Import, ast.ImportFrom)) for s in found
            )
            relative = said[0].startswith("from .")
            if not imports or said[0] != said[1] or relative:
                raise Blocked(node, f"`{node.id}` is another file's")

    def place(self, plan: Plan, region: Region) -> int:
        """The step after which a plan's function stands."""
        steps = (*plan.steps, *(p.step for p in plan.params))
        orders = [s.order for s in steps if s.order >= 0 and s.region in (None, region)]
        uses = [s for step in plan.steps for s in step.uses]
        uses += [s for leaf in plan.fetch.leaves() for s in leaf.uses]
        # An object that a function reads and updates stands before it.
        orders += [
            s.step.order
            for s in uses
            if hasattr(s.value.data, "read") and s.step.region is region and s.step.order >= 0
        ]
        if not orders and plan.borrowed:  # of its own it only fetches variables
            orders = [s.step.order for s in uses if s.step.region is region]
        borrowed = whose.owners(self.walker, plan) if plan.borrowed else {}
        owners = {n for names in borrowed.values() for n in names}
        if owners:  # an object whose functions it calls stands before it, too
            made: dict[str, int] = {}
            for step in region.steps:
                for symbol in step.defs:
                    if symbol.value.kind is Kind.OBJECT:
                        made.setdefault(symbol.name, step.order)
            orders += [made[owner] for owner in owners if owner in made]
        last = max(orders, default=-1)
        for unit in plan.units:
            if isinstance(unit, Group):
                last = max(last, unit.steps[-1].order)
        # An expression that is fetched may use what is bound later than any step.
        hosts = {name for leaf in plan.fetch.leaves() for name in leaf.hosts}
        first = min(
            (s.step.order for s in plan.sites if s.step is not None and s.step.region is region),
            default=len(region.steps),
        )
        if any(s.name in hosts for step in region.steps[last + 1 : first] for s in step.defs):
            last = first - 1
        if last < 0:
            raise Blocked(plan.sites[0].node, "what is run here has no place for its function")
        return last

    def check(self, region: Region, plans: Sequence[Plan]) -> None:
        """Nothing that a function reads may change after the graph was built."""
        moving = {s for plan in plans for s in plan.steps if s.region is region}
        bound: dict[int, dict[str, list[ast.AST]]] = {}
        for step in sorted(moving, key=lambda s: s.order):
            if id(step.function) not in bound:
                bound[id(step.function)] = bindings_of(step.function or region.node)
            set_globals.flags(self.walker, step)
            spent = repeated.spent(self.walker, step.node)
            for name in step.hosts:
                if name not in spent:
                    self.stable(name, step.node, bound[id(step.function)])
                set_globals.check(self.walker, name, step)
                self.unchanged(name, step, decided_runs.statements(step, plans))
            for symbol in step.uses:
                if symbol.step.moves:
                    continue
                if symbol.attribute and symbol.value.kind is Kind.HOST:
                    self.constant(symbol, region)
                    attribute_changes.check(self.walker, symbol, step.node, region, step.order)
                elif symbol.value.kind is Kind.VARIABLE:
                    if symbol.attribute:
                        self.lasting(symbol)
                    self.unfilled(symbol, step)
        for plan in plans:
            trains = plan.ops or any(gradients(step, self.walker) for step in plan.steps)
            decided_runs.check(self.walker, plan.ways if trains else {})
            self.same_later(plan)
        for plan in plans:
            fetched_names.check(self, plan, bindings_of)
            for site in plan.sites:
                function = site.step.function if site.step is not None else None
                for leaf in plan.fetch.leaves():
                    for name in leaf.hosts:
                        self.stable(name, site.stmt, bindings_of(function or region.node))
                    found = [s.name for s in leaf.uses if s.value.kind is Kind.HOST]
                    for name in (*leaf.hosts, *found):
                        with fetched_parts.instead(site, leaf, name):
                            once(name, site.stmt, function or region.node)
            self.apart(plan)
        for step in region.steps:
            kept = not step.moves and not step.drop and step.kind is not Kind.FETCH
            if kept and step is not region.returned:
                for symbol in step.uses:
                    read = not step.sites and step.kind is not Kind.OPTIMIZER
                    if symbol.step.moves and read and self.handed.reads(step.node, symbol):
                        raise Blocked(step.node, f"`{symbol.name}` is used outside of a run")

    def unfilled(self, symbol: Symbol, step: Step) -> None:
        """A list of variables that a function reads has all that the graph read, and no more."""
        name = f"self.{symbol.name}" if symbol.attribute else symbol.name
        found = filled(step.function or step.region.node, name, step.node)  # type: ignore[union-attr]
        if found is not None:
            what = f"`{name}`, a list of variables, changes behind what a function reads of it"
            raise Blocked(found, what)

    def apart(self, plan: Plan) -> None:
        """What another file fetches must be an object's, and nothing else."""
        for site in plan.sites:
            if self.page_of(site.stmt) is self.page:
                continue
            for leaf in plan.fetch.leaves():
                if self.handed.only(leaf):
                    continue
                hosts = set(leaf.hosts)
                others = [s for s in leaf.uses if not s.attribute]
                others = [s for s in others if s.value.kind is not Kind.OBJECT]
                if plan.region.built is not None:  # its own names are written instead
                    others = [s for s in others if s.step.region is not plan.region]
                    hosts -= {ast.unparse(node) for node, _ in self.walker.aliases.values()}
                if others or hosts:
                    name = others[0].name if others else min(hosts)
                    raise Blocked(leaf.node, f"`{name}`, which is fetched, is another file's")

    def same_later(self, plan: Plan) -> None:
        """A variable's name must still mean it wherever a function that reads it is called."""
        found = self.bound_again(plan)
        if found:
            every = [b for plans in self.plans.values() for p in plans for b in self.bound_again(p)]
            mine = self.page_of(found[0].again)  # names are told apart file by file
            every = [b for b in [*found, *every] if self.page_of(b.again) is mine]
            what = f"`{found[0].name}` means another variable from here on"
            raise rebound.blocked(self, found[0].again, what, every)

    def bound_again(self, plan: Plan) -> list[rebound.Binding]:
        """Variables that a function reads, whose names are bound again before it is called."""
        again: list[rebound.Binding] = []
        bound: dict[ast.AST, dict[str, list[ast.AST]]] = {}
        last = max((site.stmt.lineno for site in plan.sites), default=0)
        if plan.region.inputs is not None:  # it is called when all of its function has run
            last = getattr(plan.region.node, "end_lineno", 0) + 1
        for step in plan.steps:
            for symbol in step.uses:
                if symbol.attribute or symbol.step.moves or symbol.step.function is None:
                    continue
                if symbol.value.kind in (Kind.PLACEHOLDER, Kind.HOST, Kind.FUNCTION):
                    continue
                made = symbol.step.node
                scope = symbol.step.function
                if scope not in bound:
                    bound[scope] = bindings_of(scope)
                for node in bound[scope].get(symbol.name, ()):
                    line: int = getattr(node, "lineno", 0)
                    if (made.end_lineno or 0) < line < last:
                        again.append(rebound.Binding(symbol.name, node, symbol))
        return again

    def constant(self, symbol: Symbol, region: Region) -> None:
        """An object's attribute that a function reads is set once, or means what it meant last."""
        home = symbol.step.region
        cls = home.node if home is not None else None
        stores = own_attributes.stores(self.walker, cls, symbol.name)
        before = {
            id(n)
            for step in (home.steps if home is not None else ())
            if step.order <= symbol.step.order
            if not isinstance(step.node, (ast.If, ast.For, ast.While, ast.Try)) or _chosen(step)
            for n in walk(step.node)
        }
        later = [n for n in stores if id(n) not in before]
        if len(stores) > 1 and later:
            forgotten.check(self.walker.tree, symbol.name, later[0])
            raise Blocked(later[0], f"`{symbol.name}`, which a function would read, changes later")

    def lasting(self, symbol: Symbol) -> None:
        """An object's variable is under its name wherever a function reads it."""
        home = symbol.step.region
        steps = home.steps if home is not None else []
        later: list[ast.AST] = [
            step.node
            for step in steps
            if step.order > symbol.step.order
            and any(s.attribute and s.name == symbol.name for s in step.defs)
        ]
        cls = home.node if home is not None else None
        if isinstance(cls, ast.ClassDef):
            later += [
                n
                for base in bases.lineage(self.walker, cls)
                for n in named(base, symbol.name)
                if isinstance(n, ast.Attribute)
                and not isinstance(n.ctx, ast.Load)
                and not any(holds(step.node, n) for step in steps)
            ]
        if later:
            why = f"`{symbol.name}` means another variable from here on"
            if len(later) == 1:
                attributes_again.check(self.walker, symbol, later[0], why)
            raise Blocked(later[0], why)

    def unchanged(self, name: str, step: Step, read: Sequence[ast.stmt] = ()) -> None:
        """An object of the host that a function reads doesn't change in place later on."""
        function = step.function if isinstance(step.function, ast.FunctionDef) else None
        local = function is not None
        line = step.node.end_lineno or step.node.lineno
        for node, elsewhere in self.page.changed.get(name, ()):
            if read and other_item(node, name, read):
                continue
            own = function is not None and holds(function, node)
            at: int = getattr(node, "lineno", 0)
            if (elsewhere and not own) or (at > line and (own or not local)):
                raise Blocked(node, f"`{name}`, which a function would read, changes in place")
        if function is not None:
            for node in given_and_changed(self.document.tree, function, name, self.page.changed):
                raise Blocked(node, f"`{name}`, which a function would read, changes in place")

    def stable(self, name: str, at: ast.AST, bound: dict[str, list[ast.AST]]) -> None:
        line: int = getattr(at, "lineno", 0)
        for node in bound.get(name, ()):
            if getattr(node, "lineno", 0) > line:
                what = f"`{name}`, which a function would read, changes later"
                rebound_parameters.ending(self.walker, node, name, what)
                raise rebound.blocked(self, at, what, [rebound.Binding(name, node)])


def _chosen(step: Step) -> bool:
    """Whether a branch only binds values of Python: behind it they are what they are."""
    inner = (ast.For, ast.While, ast.Try)
    plain = not any(isinstance(n, inner) for n in walk(step.node))
    return isinstance(step.node, ast.If) and step.kind is Kind.HOST and plain


def once(name: str, stmt: ast.stmt, scope: ast.AST) -> None:
    """What is fetched is computed with what a name means when it is first run.

    Raises:
        Blocked: a loop around the run binds it.
    """
    for loop in walk(scope):
        if isinstance(loop, (ast.For, ast.While)) and stmt in walk(loop):
            if name in bindings_of(loop):
                raise Blocked(stmt, f"`{name}`, with which this is computed, changes in the loop")


def alike(plan: Plan, other: Plan) -> bool:
    """Whether two runs give the same."""

    def given(of: Plan) -> list[Symbol | None]:
        return [leaf.value.symbol for leaf in of.fetch.leaves()]

    simple = not plan.ops and not nested(plan.fetch) and not plan.fixed and not plan.borrowed
    return simple and plan.params == other.params and given(plan) == given(other)


def bindings_of(scope: ast.AST) -> dict[str, list[ast.AST]]:
    """Where a scope binds its names, the scopes in it left out unless they say global."""
    return fact(scope, _bindings_of)


def _bindings_of(scope: ast.AST) -> dict[str, list[ast.AST]]:
    found: dict[str, list[ast.AST]] = {}
    stack = list(children(scope))
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.setdefault(node.id, []).append(node)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            continue
        stack.extend(children(node))
    return found


def shift(region: Region) -> None:
    """Constants whose names belong to runs later on belong to runs themselves."""
    moving = [s for step in region.steps if step.moves for s in step.defs]
    taken = {s.name for s in moving if not s.attribute}
    sums = {(s.name, s.attribute) for s in moving}
    for step in reversed(region.steps):
        if step.kind is Kind.CONST and isinstance(step.node, ast.Assign):
            again = any(s.name in taken and not s.attribute for s in step.defs)
            readers = [s for s in region.steps if any(d in s.uses for d in step.defs)]
            if again and (not readers or any(s.moves for s in readers)):
                step.kind = Kind.TENSOR
    for step in region.steps:
        if (first := _begun(step, sums)) is not None:
            users = [s for s in region.steps if first in s.uses]
            if users and all(s.moves for s in users) and not _fetched(region, first):
                step.kind = Kind.TENSOR
                for user in users:
                    user.hosts.discard(first.name)


def _begun(step: Step, taken: set[tuple[str, bool]]) -> Symbol | None:
    """The number that a sum of tensors begins with, ``loss = 0``."""
    node = step.node
    if step.kind is not Kind.HOST or not isinstance(node, ast.Assign) or len(step.defs) != 1:
        return None
    number = not step.random and _number(node.value)
    (symbol,) = step.defs
    named = len(node.targets) == 1 and isinstance(node.targets[0], (ast.Name, ast.Attribute))
    return symbol if number and named and (symbol.name, symbol.attribute) in taken else None


def _number(node: ast.expr) -> bool:
    """Whether an expression is a number that Python computes, and nothing else is done."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float))
    if isinstance(node, ast.UnaryOp):
        return _number(node.operand)
    if isinstance(node, ast.BinOp):
        parts = (node.left, node.right)
        return all(_number(p) or isinstance(p, (ast.Name, ast.Attribute)) for p in parts) and any(
            map(_number, parts)
        )
    if not isinstance(node, ast.Call) or node.keywords or len(node.args) != 1:
        return False
    plain = _number(node.args[0]) or isinstance(node.args[0], (ast.Name, ast.Attribute))
    return plain and ast.unparse(node.func) in MATHS


def _fetched(region: Region, symbol: Symbol) -> bool:
    leaves = (leaf for site in region.sites for leaf in site.fetch.leaves())
    return any(symbol in leaf.uses for leaf in leaves)
