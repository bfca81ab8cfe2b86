"""A module executed abstractly: which statements build the graph, which run it, which do neither.

Sound, not complete: whatever isn't understood raises `Blocked` with its place, and the program
keeps its session. Names are followed in order, so that a name that is bound anew means something
new; functions of the module are entered at each call with what they are given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.engine.trees import walk
from migrate.programs.graph.data import dataset_names, own_queues, threads
from migrate.programs.graph.feeding import fed_constants, fed_starts, twins
from migrate.programs.graph.fetching import printable
from migrate.programs.graph.layering import held_functions, layers
from migrate.programs.graph.listing import late_lists, own_collections, slots, update_ops
from migrate.programs.graph.made import (
    FAMILIES,
    GOES,
    Apply,
    Frame,
    Function,
    Gradient,
    Layer,
    Made,
    Optimizer,
    Schedule,
    Scope,
    family,
)
from migrate.programs.graph.making import inner_variables, names_in_blocks, renewals, repeated
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    HOST,
    RUNTIME,
    Blocked,
    Inner,
    Kind,
    Region,
    Step,
    Value,
)
from migrate.programs.graph.modules import Module
from migrate.programs.graph.objects import base_calls, bases, objects_apart
from migrate.programs.graph.running import (
    given_runs,
    graphs,
    idle_sessions,
    lent_sessions,
    named_graphs,
    opened_together,
    own_contexts,
    sessions,
    test_cases,
    uncalled,
    uncalled_builders,
    unused_sessions,
)
from migrate.programs.graph.saving import restored_names, saved_sharers
from migrate.programs.graph.scoping import (
    op_scopes,
    scope_names,
    scope_reuse,
    scopes,
    shown_names,
    tf1_names,
)
from migrate.programs.graph.sizing import static_shapes
from migrate.programs.graph.statements import Statements
from migrate.programs.graph.wording import lambdas, mixed_branches

BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.Try)

__all__ = [
    "FAMILIES",
    "Apply",
    "Function",
    "Gradient",
    "Layer",
    "Made",
    "Optimizer",
    "Schedule",
    "Scope",
    "T",
    "Walker",
    "family",
]


class Walker(Statements):
    """The abstract execution of a program's files, or of one module."""

    def run(self) -> list[Region]:
        """Every region, an entry's module first.

        Raises:
            Blocked: something can't be followed.
        """
        for entry in self.files.entries:
            self.begin(entry)
            self.load(entry)
            self.tests()
            uncalled.served(self, entry)
        while self.mains:
            entry, stmt = self.mains.pop(0)
            self.begin(entry)
            assert entry.frame is not None
            self.frame = entry.frame
            self.statement(stmt)
            self.tests()
        uncalled.lent(self)
        later = uncalled.called(self)
        self.methods(later)
        uncalled.follow(self)
        if later:
            self.methods(set())
        unused_sessions.closed(self)
        uncalled_builders.follow(self)
        for node in walk(self.tree):
            if isinstance(node, ast.FunctionDef) and id(node) not in self.entered:
                if self.runs(node):
                    uncalled.evaluated(self, node)
                    raise Blocked(node, f"`{node.name}` runs a session, but no call of it is seen")
        shown_names.check(self)
        op_scopes.check(self)
        threads.check(self)
        given_runs.check(self)
        fed_starts.check(self)
        slots.shortened(self)
        own_collections.unneeded(self)
        for kept in (self.kept, *named_graphs.everything(self)):
            renewals.check(self, kept.get("renewals", ()))
        sites = [site for region in self.regions for site in region.sites]
        for feed in (feed for site in sites for feed in site.feeds):
            feed.symbol.fed = feed.symbol.value.kind is Kind.CONST
        fed_constants.check(self, sites)
        self.early()
        self.overridden()
        sessions.eager(self)
        late_lists.check(self)
        base_calls.check(self)
        update_ops.check(self)
        scope_reuse.check(self)
        for site in sites:
            self.owner(site)
            objects_apart.told(self, site)
            twins.fed(self, site)
            own_queues.check(self, site)
        saved_sharers.check(self)
        dataset_names.check(self)
        restored_names.settle(self)
        return self.regions

    def let_go(self) -> None:
        """Part what refers to each other: with it the trees go at once.

        As garbage they would wait to be collected, which costs more than to read them.
        """
        for region in self.regions:
            for step in region.steps:
                for symbol in step.defs:
                    symbol.value = HOST
                step.defs.clear()
                step.uses.clear()
                step.sites.clear()
                step.region = step.value = None
            region.steps.clear()
            region.sites.clear()
            region.frame = region.result = None
        vars(self).clear()

    def methods(self, later: set[str]) -> None:
        """Follow the methods that nobody calls, but for some: functions that nobody calls may."""
        for instance in list(self.instances.values()):
            for member in bases.own(self, instance.node):
                if (
                    member.name not in {"__init__", *later}
                    and id(member) not in self.entered
                    and self.runs(member)
                ):
                    if uncalled.apart(self, member):
                        self.forget()
                        self.lasting.append(self.latest)
                    given = lent_sessions.given(self, instance, member)
                    self.method_of(instance, member, given, None)

    def early(self) -> None:
        """What variables start with is computed when they are made.

        Raises:
            Blocked: runs compute it, too.
        """
        steps: dict[Step, None] = self.kept.get("early", {})
        for region in self.regions:
            used = [(s, step) for step in region.steps if step.moves for s in step.uses]
            leaves = [leaf for site in region.sites for leaf in site.fetch.leaves()]
            if region.result is not None and region.inputs is not None:
                leaves += region.result[1].leaves()
            fetched = [s for leaf in leaves for s in leaf.uses]
            for symbol in [*(s for s, step in used if step not in steps), *fetched]:
                if symbol.step in steps and symbol.step.kind is Kind.TENSOR:
                    for call in self.kept.get("early calls", ()):
                        static_shapes.check(self, call)
                    raise Blocked(symbol.step.node, "a variable starts with what runs compute, too")
        for step in steps:
            step.kind = Kind.CONST

    def overridden(self) -> None:
        """What is computed from a constant that a run feeds is a matter of runs."""
        found: set[Step] = set()
        for step in (step for region in self.regions for step in region.steps):
            if step.kind is Kind.CONST and any(s.fed or s.step in found for s in step.uses):
                step.kind = Kind.TENSOR
                found.add(step)

    def begin(self, entry: Module) -> None:
        """Another program: nothing of the last one's graph and sessions is in it."""
        if self.regions:
            self.forget()
            self.lasting.append(self.latest)
        self.entry, self.seed = entry, None
        held_functions.prepare(self)

    def load(self, module: Module) -> None:
        """Execute a file: the one that is run, or one that is imported for the first time.

        Raises:
            Blocked: it builds a part of a graph when it is imported.
        """
        if module.frame is not None or module.tree is None:
            return
        region = Region(module.tree, "")
        module.frame = Frame(module.tree, None, region)
        self.regions.append(region)
        saved = (self.frame, self.nested, self.stmt, self.sink, self.outer, self.controls)
        more = (self.scopes, self.loops, self.importing)
        self.frame, self.nested, self.controls = module.frame, 0, []
        self.outer = Inner(self.outer)
        self.scopes, self.loops, self.importing = [], 0, module is not self.entry
        module.loading = True
        opened = self.sessions, self.fresh
        self.body(module.tree.body)
        module.loading = False
        if self.importing:
            for step in region.steps:
                if idle_sessions.is_one(self, module.tree, step):
                    self.sessions, self.fresh = opened
                elif step.kind not in (Kind.HOST, Kind.CONST, Kind.SETTING) or step.sites:
                    what = "runs" if step.sites else "makes"
                    raise Blocked(step.node, f"a file that is imported {what} a part of the graph")
            (self.frame, self.nested, self.stmt, self.sink, self.outer, self.controls) = saved
            self.scopes, self.loops, self.importing = more

    def tests(self) -> None:
        """The test cases of the program at hand."""
        for case in self.cases:
            if self.files.at(case) is not self.entry:
                raise Blocked(case, "a test case in a file that is imported")
            test_cases.walk_case(self, case)
        self.cases.clear()

    def body(self, body: Iterable[ast.stmt]) -> None:
        for stmt in body:
            self.statement(stmt)
            if self.frame.ended:
                break

    def step(self, stmt: ast.stmt) -> Step:
        region = self.frame.region
        assert region is not None
        new = Step(len(region.steps), stmt, Kind.HOST, list(self.outer))
        new.region, new.function = region, self.frame.node
        for group in self.controls:
            new.after.extend(group)
        region.steps.append(new)
        return new

    def statement(self, stmt: ast.stmt) -> None:
        """Execute one statement, as a step of its own where a region is being walked."""
        before = self.stmt
        self.stmt = stmt
        try:
            if self.frame.region is None or self.nested:
                self.execute(stmt)
                return
            if isinstance(stmt, ast.With) and self.flatten(stmt):
                return
            if isinstance(stmt, ast.If) and _is_main(stmt):
                if self.importing:
                    self.mains.append((self.files.at(stmt), stmt))  # a program of its own
                    return
                self.outer.append(stmt)
                self.step(stmt).value = Value(Kind.OTHER, "main")
                self.body(stmt.body)
                self.outer.pop()
                return
            self.sink = self.step(stmt)
            sink = self.sink
            self.execute(stmt)
            self.sink = sink
            self.settle(sink)
            printable.check(self, sink)
            lambdas.left(self, sink)
            for site in sink.sites:
                site.step = sink
        finally:
            self.stmt = before

    def settle(self, step: Step) -> None:
        """What a step is, from what it defines."""
        kinds = {s.value.kind for s in step.defs}
        if step.value is not None:
            kinds.add(step.value.kind)
        if step.kind is Kind.TENSOR and Kind.OP in kinds:
            step.kind = Kind.OP  # a function that it calls fills a list of tensors
        if step.kind is not Kind.HOST:
            return
        if isinstance(step.node, (ast.For, ast.While)) or self.opens(step.node):
            # Its rounds open it: the block's header goes, as settings of a run do.
            kinds -= {Kind.SESSION, Kind.SETTING}
        if isinstance(step.node, BLOCKS):
            kinds -= {Kind.FETCH}  # what they give a name goes, where the runs are written
        if step.value is not None and step.value.items and isinstance(step.node, ast.Assign):
            parts = {v.kind for _, v in step.value.items}
            if parts == {s.value.kind for s in step.defs} == {Kind.PLACEHOLDER}:
                step.kind = Kind.PLACEHOLDER  # several, made in one statement
                return
        if isinstance(step.node, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
            return
        if step.after and Kind.CONST in kinds:  # what it waits for, a run does
            for value in (*(s.value for s in step.defs), step.value):
                if value is not None and value.kind is Kind.CONST:
                    value.kind = Kind.TENSOR
            kinds = kinds - {Kind.CONST} | {Kind.TENSOR}
        moving = kinds & {Kind.TENSOR, Kind.OP}
        if moving:
            inner_variables.named(self, step)
            if step.sites:
                raise Blocked(step.node, "the graph is built and run in one statement")
            if Kind.OPTIMIZER in kinds:
                raise Blocked(step.node, "optimizers and tensors are made in one statement")
            both = {Kind.VARIABLE, Kind.TENSOR} <= {s.value.kind for s in step.defs}
            if isinstance(step.node, ast.Assign) and both:
                raise Blocked(step.node, "variables and tensors get names in one statement")
            if Kind.VARIABLE in kinds and not repeated.apart(self, step):
                raise Blocked(step.node, "variables and tensors are made in one statement")
            step.kind = Kind.OP if Kind.OP in moving else Kind.TENSOR
            mixed_branches.check(self, step)
            names_in_blocks.check(self, step)
            repeated.settle(self, step)
            return
        for kind in (
            *(Kind.PLACEHOLDER, Kind.VARIABLE, Kind.OPTIMIZER, Kind.SESSION, Kind.INIT),
            *(Kind.GRAPH, Kind.SETTING, Kind.FEED, Kind.FETCH, Kind.CONST, Kind.OTHER),
        ):
            if kind in kinds:
                step.kind = kind
                break

    def opens(self, stmt: ast.AST) -> bool:
        """Whether a branch, or a file's block, opens a session for what it runs inside."""
        block = isinstance(stmt, (ast.If, ast.With)) and id(stmt) not in self.dropped
        return block and any(id(n) in self.dropped for n in walk(stmt))

    def flatten(self, stmt: ast.With) -> bool:
        """Whether a ``with`` statement only opens a graph, a session or a scope: it goes."""
        own_contexts.named(self, stmt)
        first = self.frame.region
        assert first is not None
        sink = Step(-1, stmt, Kind.HOST)
        self.sink = sink
        values: list[Value] = []
        named = []
        for item in stmt.items:
            values.append(self.expression(item.context_expr))
            named.append(named_graphs.opened(self, values[-1]))
        kinds = [v.kind for v in values]
        python = [k in (Kind.HOST, Kind.OBJECT) for k in kinds]
        if all(python):
            return False
        opened_together.check(stmt, python)
        goes = GOES - {Kind.INIT}
        before = dict(self.frame.env)  # `with tf.variable_scope(scope) as scope`
        controls: list[Step] = []
        for item, value in zip(stmt.items, values, strict=True):
            if value.kind is Kind.OTHER and value.data == "controls":
                if any(hasattr(s.value.data, "read") for s in sink.uses):
                    raise Blocked(item.context_expr, "what waits for a metric isn't followed")
                controls.extend(s.step for s in sink.uses if s.value.kind in RUNTIME)
            elif value.kind not in goes:
                raise Blocked(item.context_expr, "this block can't be followed")
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
        pushed = len(self.scopes)
        for value in values:
            if value.kind is Kind.SETTING and str(value.data).endswith("_scope"):
                assert isinstance(value.node, ast.Call)
                only = not str(value.data).endswith("variable_scope")
                reuse = False if only else scopes.checked(self, value.node)
                name = scopes.name_of(self, value.node, before)
                self.scopes.append(Scope(name, only, reuse, value.node))
                scope_names.opened(self, value.node)
                tf1_names.scope(self, value.node, variables=not only)
        held = layers.opened(self, values)
        nested = [graphs.opened(self, item.context_expr) for item in stmt.items]
        opening = self.step(stmt)
        opening.kind, opening.drop = Kind.SETTING, True
        if sink.value is not None:  # update ops that have no name
            opening.value = sink.value
            controls.extend([opening, *sink.after])
        first.flat.append(stmt)
        self.outer.append(stmt)
        if controls:
            self.controls.append(controls)
        self.body(stmt.body)
        for outside in filter(None, nested):
            graphs.closed(self, outside)
        for graph in filter(None, reversed(named)):
            named_graphs.closed(self, graph)
        layers.closed(self, held)
        self.naming.closed(len(self.scopes) - pushed)
        del self.scopes[pushed:]
        if controls:
            self.controls.pop()
        self.outer.pop()
        return True


def _is_main(stmt: ast.If) -> bool:
    test = stmt.test
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and not stmt.orelse
    )
