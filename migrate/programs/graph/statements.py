"""Statements: what each does to the names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import replace

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import handed, imports, meaning
from migrate.programs.graph.calls import Calls
from migrate.programs.graph.data import drawn_each_round
from migrate.programs.graph.expressions import listed
from migrate.programs.graph.feeding import (
    fed_states,
    feeds,
    kept_placeholders,
    listed_placeholders,
    optional_placeholders,
    twins,
)
from migrate.programs.graph.fetching import chosen_pairs, decided_runs, op_lists
from migrate.programs.graph.layering import layers, same_nets
from migrate.programs.graph.listing import inner_lists, list_names, unread_results
from migrate.programs.graph.made import GOES, Function, Scope
from migrate.programs.graph.making import (
    begun_states,
    branch_returns,
    chosen_variables,
    returned_variables,
)
from migrate.programs.graph.model import (
    HOST,
    NOTHING,
    Blocked,
    Kind,
    Returning,
    Symbol,
    Value,
    either,
)
from migrate.programs.graph.modules import LENT, Module
from migrate.programs.graph.objects import bases, decided_members, local_attributes, parts
from migrate.programs.graph.optimizing import clipped_branches
from migrate.programs.graph.optimizing.averages import Averages
from migrate.programs.graph.optimizing.training_helpers import Mixed, builder, parted
from migrate.programs.graph.recurrence import cell_classes, own_cells
from migrate.programs.graph.recurrence.cells import carried
from migrate.programs.graph.running import (
    arms,
    default_session,
    looped_sessions,
    opened_together,
    own_contexts,
    session_makers,
    test_cases,
)
from migrate.programs.graph.saving import projector, restored
from migrate.programs.graph.scoping import (
    idle_arg_scopes,
    scope_names,
    scoped_definitions,
    scopes,
    tf1_names,
)
from migrate.programs.graph.sizing import array_tests, carried_sizes
from migrate.programs.graph.wording import (
    alternatives,
    conditional_calls,
    deleted,
    endpoint_aliases,
    known_branches,
    known_versions,
    lambdas,
    mixed_branches,
    old_releases,
    spelled,
    tuple_values,
)
from migrate.programs.graph.wording.branched import leaves

# Python 3's own functions, as packages for both Pythons call them.
MOVED = frozenset({"six.moves", "past.builtins", "builtins", "future.builtins"})
LAZY = frozenset({"range", "xrange", "zip"})
GRAPH = (Kind.TENSOR, Kind.PLACEHOLDER)
RETURNED = "a function that runs a session returns a part of its graph"


class Statements(Calls):
    """Statements: what each does to the names."""

    def execute(self, stmt: ast.stmt) -> None:
        handler: Callable[[ast.stmt], None] | None = getattr(
            self, f"_do_{type(stmt).__name__.lower()}", None
        )
        if handler is None:
            raise Blocked(stmt, f"`{type(stmt).__name__.lower()}` isn't followed")
        handler(stmt)

    def _do_pass(self, stmt: ast.stmt) -> None:
        pass

    _do_break = _do_continue = _do_pass

    def _do_global(self, stmt: ast.Global) -> None:
        self.frame.outer.update(stmt.names)
        found = [self.module_frame().env.get(name) for name in stmt.names]
        lost = [s for s in found if s is not None and (s.step.moves or s.value.kind in GOES)]
        stored = {
            n.id for n in all_of(self.frame.node, ast.Name) if not isinstance(n.ctx, ast.Load)
        }
        if lost and not self.nested and not stored & set(stmt.names):
            self.sink.kind = Kind.SETTING  # it only said that they are read

    _do_nonlocal = _do_global

    def _do_import(self, stmt: ast.Import | ast.ImportFrom) -> None:
        modules = (
            [stmt.module or ""]
            if isinstance(stmt, ast.ImportFrom)
            else [a.name for a in stmt.names if a.asname is not None]
        )
        if len(modules) == 1 and modules[0].startswith(
            ("tensorflow.examples.tutorials", "tensorflow.contrib.learn.python.learn.datasets")
        ):
            if self.frame.region is None or (self.nested and not self._of_branch(stmt)):
                raise Blocked(stmt, "the tutorials' reader is imported inside another statement")
            if self.nested:
                self.gone[id(stmt)] = stmt
            else:
                self.sink.kind = Kind.SETTING
        elif not self.nested and self.frame.region is not None:
            gone = imports.imported(self, stmt)
            self.sink.value = Value(Kind.HOST, gone) if gone is not None else None
        if isinstance(stmt, ast.ImportFrom):
            self.take(stmt)
            return
        for alias in stmt.names:
            name = alias.asname or alias.name.partition(".")[0]
            chain = self.imported(stmt, 0, alias.name)
            place = chain[-1 if alias.asname else 0] if chain else "module"
            self.define(name, Value(Kind.OTHER if chain else Kind.HOST, place))

    _do_importfrom = _do_import

    def _of_branch(self, stmt: ast.stmt) -> bool:
        """Whether a statement of a branch is one of several there."""
        branches = all_of(self.sink.node, ast.If)
        return any(stmt in b and len(b) > 1 for n in branches for b in (n.body, n.orelse))

    def imported(self, stmt: ast.stmt, level: int, dotted: str) -> list[Module]:
        """The modules of the program that an import executes, outermost first."""
        chain = self.files.find(stmt, self.entry, level, dotted) or []
        here = self.files.at(stmt)
        for module in chain:
            if module not in here.imports:
                here.imports.append(module)
            self.load(module)
        names = dotted.split(".") if dotted else []
        for outer, inner, name in zip(chain, chain[1:], names[1:], strict=False):
            outer.parts[name] = inner
        return chain

    def take(self, stmt: ast.ImportFrom) -> None:
        """``from … import …``: names of a module of the program, or modules of a package."""
        dotted = stmt.module or ""
        chain = self.imported(stmt, stmt.level, dotted)
        for alias in stmt.names:
            name = alias.name
            if chain and name == "*":
                self.take_all(stmt, chain[-1])
            elif name == "*":
                for one in imports.plainly_starred(self, stmt):
                    self.define(one, Value(Kind.HOST, "module"))
            elif chain and chain[-1].frame is not None and name in chain[-1].frame.env:
                value = chain[-1].value(name, stmt)
                if value is not None:
                    self.define(alias.asname or name, value)
            elif dotted in MOVED and name in LAZY and not chain:
                self.define(alias.asname or name, Value(Kind.HOST, "builtin"))
            elif name != "*":
                below = self.imported(stmt, stmt.level, f"{dotted}.{name}".lstrip("."))
                value = Value(Kind.OTHER, below[-1]) if below else Value(Kind.HOST, "module")
                if not below and chain and chain[-1].loading:
                    raise Blocked(stmt, "files that import each other")
                self.define(alias.asname or name, value)

    def take_all(self, stmt: ast.ImportFrom, module: Module) -> None:
        """``from … import *``."""
        if module.frame is None:
            return
        shown = imports.listed(module)
        if module.loading or (shown is not None and not shown <= module.frame.env.keys()):
            raise Blocked(stmt, "which names `*` stands for isn't seen")
        here = self.files.at(stmt)
        here.starred.append(module)
        tree = here.tree or ast.Module([], [])
        read = {n.id for n in all_of(tree, ast.Name)}
        mine, theirs = here.aliases(), module.aliases()
        for name, symbol in list(module.frame.env.items()):
            lent = symbol.value.kind in LENT and name not in theirs
            hidden = name.startswith("_") if shown is None else name not in shown
            if hidden or name in mine or not (lent or name in read):
                continue
            if not lent and imports.bound_first(tree, name, stmt):
                continue
            if name in theirs:
                imports.own(stmt, module, name)
            value = module.value(name, stmt)
            if value is not None:
                self.define(name, value)

    def _do_functiondef(self, stmt: ast.FunctionDef) -> None:
        if stmt.decorator_list:
            idle_arg_scopes.check(self, stmt)
        for node in stmt.decorator_list:
            self.expression(node)
        scoped_definitions.check(self, stmt)
        kind = Kind.HOST if stmt.decorator_list else Kind.FUNCTION
        self.define(stmt.name, Value(kind, Function(stmt, self.frame)))

    def _do_classdef(self, stmt: ast.ClassDef) -> None:
        graph = self._mentions(stmt) or self.runs(stmt)
        if graph and not self.nested and test_cases.is_case(self, stmt):
            self.cases.append(stmt)
            self.define(stmt.name, Value(Kind.HOST, stmt))
            return
        own = own_cells.defined(self, stmt)
        if own is not None and not self.nested and not stmt.decorator_list:
            self.define(stmt.name, own)
            return
        bases.note(self, stmt)
        graph = bases.graphic(self, stmt)
        if graph and self.nested:
            raise Blocked(stmt, f"class `{stmt.name}` builds or runs a graph")
        self.define(stmt.name, Value(Kind.CLASS if graph else Kind.HOST, stmt))

    def _mentions(self, node: ast.AST) -> bool:
        """Whether any endpoint that matters to a graph stands below a node."""
        return any(
            (name := self.endpoints.get(id(n))) is not None and not meaning.is_host(name)
            for n in walk(node)
        )

    def _do_expr(self, stmt: ast.Expr) -> None:
        begun = self.init_runs
        self.sink.value = self.expression(stmt.value)
        conditional_calls.check(self, stmt, begun)
        if isinstance(stmt.value, ast.Constant):
            self.sink.value = HOST
        if self.sink.value.kind is Kind.NONE:
            self.sink.value = HOST
        self.leave(stmt, self.sink.value)

    def _do_assign(self, stmt: ast.Assign) -> None:
        endpoint_aliases.check(self, stmt)
        known_versions.assigned(self, stmt)
        chosen_pairs.check(self, stmt)
        fed_states.unpacked(self, stmt)
        if carried_sizes.taken(self, stmt):
            return
        try:
            value = (
                projector.named(self, stmt)
                or cell_classes.kept(self, stmt.value)
                or self.expression(stmt.value)
            )
        except Blocked as error:
            tuple_values.apart(self, stmt, error)
            raise
        tuple_values.check(self, stmt, value)
        if twins.keep(self, stmt, value) or handed.destructured(self, stmt, value):
            return
        if isinstance(stmt.value, ast.Lambda) and self.frame.region is not None:
            lambdas.named(self, stmt)
        self.keep_schedule(value, stmt.value)
        if not self.nested and (
            isinstance(stmt.value, (ast.List, ast.Dict)) or value.data == feeds.EMPTY
        ):
            value.node = stmt
        elif not self.nested and value.kind is Kind.HOST and inner_lists.of_nones(stmt.value):
            value = Value(Kind.HOST, node=stmt)
        several = listed_placeholders.is_one(value) and isinstance(stmt.value, ast.ListComp)
        several = several or optional_placeholders.stated(self, stmt.value)
        if value.kind is Kind.PLACEHOLDER and not isinstance(stmt.value, ast.Call) and not several:
            kept_placeholders.check(self, stmt, value)
            value = Value(Kind.TENSOR)  # a second name for it
        elif begun_states.begins(self, stmt, value):
            value = Value(Kind.TENSOR)
        value = drawn_each_round.found(self, stmt, value)
        self.sink.value = value
        for target in stmt.targets:
            self.bind(target, value)
        list_names.noted(self, stmt)
        inner_lists.noted(self, stmt)
        self.leave(stmt, value)
        self.record(stmt.targets, stmt.value, value)

    def leave(self, stmt: ast.stmt, value: Value) -> None:
        """A statement inside another one may be of no use any more."""
        fetches = self.nested and self.frame.region is not None and value.kind is Kind.FETCH
        if fetches or ((self.nested or self.frame.region is None) and value.kind in GOES):
            self.gone[id(stmt)] = stmt
            self.sink.value = HOST

    def _do_annassign(self, stmt: ast.AnnAssign) -> None:
        if stmt.value is not None:
            value = self.expression(stmt.value)
            self.sink.value = value
            self.bind(stmt.target, value)

    def _do_augassign(self, stmt: ast.AugAssign) -> None:
        old = self.expression(stmt.target)
        more = self.expression(stmt.value)
        grows = isinstance(stmt.op, ast.Add) and isinstance(stmt.value, ast.List)
        # A list that is there already, `params += layer.params`.
        grows = grows or (isinstance(stmt.op, ast.Add) and listed(more) and parts.begun(old))
        if grows and more.kind is Kind.VARIABLE and (old.kind is Kind.HOST or listed(old)):
            self.mutate(stmt.target, parts.item(more) or Value(Kind.VARIABLE), stmt)  # `extend`
            return
        began = old.node if old.kind is Kind.HOST else None
        empty = isinstance(began, ast.Assign) and isinstance(began.value, ast.List)
        if empty and isinstance(stmt.op, ast.Add) and more.kind is Kind.TENSOR and listed(more):
            self.mutate(stmt.target, Value(Kind.TENSOR), stmt)
            return
        value = self.join([old, more], stmt)
        if value.kind is Kind.TENSOR and listed(old) and listed(more):
            list_names.grown(self, stmt.target)
            value = Value(Kind.TENSOR, "container")
        self.bind(stmt.target, value)

    def _do_delete(self, stmt: ast.Delete) -> None:
        deleted.check(self, stmt)

    def _do_return(self, stmt: ast.Return) -> None:
        region = self.frame.region
        if region is not None and region.inputs is not None:
            if self.nested or stmt.value is None or region.result is not None:
                unread_results.check(self, region.node, stmt, branch_returns.REASON)
                branch_returns.check(self, region.node)
                raise Blocked(stmt, branch_returns.REASON)
            before = len(self.norms)
            try:
                region.result = (self.sink, self.fetch(stmt.value))
            except Blocked as error:
                unread_results.check(self, region.node, stmt, error.reason)
                raise
            self.norms[before:] = [(self.sink, norm) for _, norm in self.norms[before:]]
            if any(leaf.value.kind is not Kind.TENSOR for leaf in region.result[1].leaves()):
                reason = "a function that makes variables returns more than tensors"
                unread_results.check(self, region.node, stmt, reason)
                raise Mixed(stmt, reason)
            branch_returns.settled(self, region.node, stmt.value)
            self.frame.returns.append(Value(Kind.TENSOR))
            return
        try:
            value = self.expression(stmt.value) if stmt.value is not None else HOST
        except Blocked as error:
            told = type(error) is not Blocked  # what to write otherwise
            if region is not None and region.built is not None and not (told or self.nested):
                builder(self, region, error)
            session_makers.among(self, stmt, error)
            raise
        self.frame.returns.append(value)
        if region is not None and region.built is not None and not self.nested:
            self.sink.kind, region.returned = Kind.OTHER, self.sink
            self.absorbed.update(map(id, walk(stmt)))
            return
        if (
            region is not None
            and value.kind is Kind.OBJECT
            and isinstance(stmt.value, (ast.Name, ast.Call))
        ):
            same = region.gives is None or region.gives.data is value.data
            if (
                same
                and value.each is None
                and len(self.frame.returns) == (region.gives is not None) + 1
            ):
                region.gives = value
                return
        if session_makers.returns(self, stmt, value):
            return
        if region is not None and value.kind not in (Kind.HOST, Kind.NONE):
            if returned_variables.idle(self, stmt, value):
                return
            if isinstance(region.node, ast.ClassDef):
                same_nets.of_method(self, stmt)
                reason = "a method returns a part of the graph that it builds"
                own = local_attributes.returning(self, self.frame.node, stmt, reason)
                raise Returning(stmt, reason, own)
            returned_variables.unread(self, stmt, RETURNED)
            raise Blocked(stmt, RETURNED)

    def _do_assert(self, stmt: ast.Assert) -> None:
        value, region = self.test(stmt.test), self.frame.region
        # A shape too is of what the calls give: `assert len(x.get_shape()) == 2`.
        known = [self.frame.env.get(n.id) for n in all_of(stmt.test, ast.Name)]
        read = [s for s in known if s is not None and s.value.kind in GRAPH]
        if (value.kind is Kind.TENSOR or read) and region is not None and not self.nested:
            self.sink.uses.update(dict.fromkeys(read))
            self.sink.kind, self.sink.rides = Kind.TENSOR, True

    def _do_raise(self, stmt: ast.Raise) -> None:
        if stmt.exc is not None:
            self.host(stmt.exc)

    def _do_if(self, stmt: ast.If) -> None:
        if not self.nested and scopes.told(self, stmt):
            self.sink.kind = Kind.SETTING
            return
        default_session.present(self, stmt)
        known_branches.certain(self, stmt)
        known_versions.check(self, stmt)
        optional_placeholders.alike(self, stmt)
        chosen_variables.check(self, stmt)
        taken = self.taken(stmt.test)
        if taken is not None:
            branch = stmt.body if taken else stmt.orelse
            self.block(branch)
            if not self.nested and branch:
                self.frame.ended = isinstance(branch[-1], ast.Return)
            return
        self.test(stmt.test)
        before, apart, objects = dict(self.frame.env), arms.opened(self, stmt), len(self.instances)
        self.naming.unsure += not apart
        nested, begun, opened = self.nested, self.init_runs, self.sessions
        try:
            first = decided_runs.Entered(self.sink)
            given = [self.block(stmt.body)]
            after = self.frame.env
            self.frame.env = dict(before)
            if apart and stmt.orelse:
                arms.next_way(self, objects)
            impure, started, sessions = self.sink.impure, self.init_runs, self.sessions
            if not self.loops:  # one of the ways is gone: each begins on its own
                self.init_runs, self.sessions = begun, opened
            second = decided_runs.Entered(self.sink, first)
            given += [self.block(stmt.orelse)]
            self.init_runs = max(self.init_runs, started)
            self.sessions = max(self.sessions, sessions)
            second.left(self, stmt, before)
            if branch_returns.complains(self.frame.node, stmt, before):
                self.sink.impure = impure
        except Blocked as error:
            self.nested = nested
            if getattr(error, "kind", "") == unread_results.KIND:
                raise
            known_branches.check(self, stmt, error)
            decided_members.check(self, stmt, error)
            clipped_branches.check(self, stmt, error)
            raise
        self.naming.unsure -= not apart
        # A later session has its variables, whichever way it comes here; or TF 1 stops at its runs.
        ready = [given[0] or leaves(stmt.body[-1]), given[1] or any(map(leaves, stmt.orelse[-1:]))]
        if all(ready) or (any(given) and restored.needed(self)):
            self.fresh = None
        self.merge(after, stmt)
        if apart and arms.leads_on(self, stmt):
            arms.next_way(self, objects)
            self.init_runs, self.sessions = begun, opened
        plain = not any(isinstance(n, (ast.Call, ast.NamedExpr)) for n in walk(stmt.test))
        if self.nested and plain and not stmt.orelse and all(id(s) in self.gone for s in stmt.body):
            self.gone[id(stmt)] = stmt

    def taken(self, test: ast.expr) -> bool | None:
        """How a condition on an argument ends, where this call says so."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self.taken(test.operand)
            return None if inner is None else not inner
        if (asked := array_tests.answered(self, test)) is not None:
            return asked
        name, negated = test, False
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            none = test.comparators[0]
            if not (isinstance(none, ast.Constant) and none.value is None):
                return None
            negated = isinstance(test.ops[0], (ast.Is, ast.Eq))
            name = test.left
        elif not isinstance(test, ast.Name):
            return None
        if not isinstance(name, ast.Name) or self.frame.region is not None:
            return None
        symbol = self.frame.env.get(name.id)
        if symbol is None:
            return None
        if symbol.value.kind is Kind.HOST and symbol.value.data == NOTHING:
            return negated
        known = symbol.value.kind in (Kind.ENDPOINT, Kind.FUNCTION)
        known = known or isinstance(symbol.value.data, Averages)
        return (not negated) if known else None

    def merge(self, other: dict[str, Symbol], node: ast.AST) -> None:
        """Names after two ways to the same place."""
        env = self.frame.env
        for name in {*env, *other}:
            mine, theirs = env.get(name), other.get(name)
            if mine is theirs:
                continue
            if mine is None or theirs is None:
                env[name] = mine or theirs  # type: ignore[assignment]
                continue
            kinds = {mine.value.kind, theirs.value.kind}
            if mine.alias or theirs.alias:  # `_`, of a model's parts, then a loop's
                env[name] = Symbol(name, self.sink, Value(Kind.OTHER, "mixed"))
                continue
            unlike = alternatives.unlike(self, mine.value, theirs.value)
            if unlike is not None:
                value = unlike
            elif len(kinds) == 1:
                value = mine.value if mine.value is theirs.value else mine.value.unnamed()
                value = parts.merged(value, theirs.value) or value
                if value.kind is Kind.HOST and value.data != theirs.value.data:
                    value = carried([value, theirs.value])
                if value.kind is Kind.HOST and value.node is not theirs.value.node:
                    value = replace(value, node=None)  # which list it is isn't told
                if value.kind in (Kind.TENSOR, Kind.CONST) and value is not theirs.value:
                    # What this name means from here on, whichever way was taken.
                    data = value.data or mixed_branches.several(mine, theirs)
                    value = replace(value, symbol=None, items=None, data=data)
                if value.kind is Kind.PLACEHOLDER and value.symbol is mine:
                    value = replace(value, symbol=None)  # each way makes its own
                if value.kind is Kind.FETCH and value.node is not theirs.value.node:
                    value = Value(Kind.OTHER, "mixed")
                if value.kind is Kind.OTHER:
                    value = either(value, theirs.value)
                if value.kind is Kind.FEED:
                    value = feeds.merged(theirs.value, value, node)
                if value.kind is Kind.OPTIMIZER:
                    value = self.instead(theirs.value, value, node)
            elif kinds <= {Kind.TENSOR, Kind.CONST, Kind.PLACEHOLDER, Kind.HOST}:
                if any(s.step is self.sink for s in (mine, theirs) if s.value.kind is Kind.TENSOR):
                    value = Value(Kind.TENSOR, mixed_branches.several(mine, theirs))
                else:  # Python took the name over
                    env[name] = Symbol(name, self.sink, Value(Kind.OTHER, "mixed"))
                    continue
            elif kinds <= {Kind.OBJECT, Kind.HOST}:
                value = mine.value if mine.value.kind is Kind.OBJECT else theirs.value
            elif kinds <= {Kind.VARIABLE, Kind.HOST}:
                value = Value(Kind.VARIABLE)
            elif kinds == {Kind.OPTIMIZER, Kind.HOST} and any(
                s.value.data == NOTHING for s in (mine, theirs)
            ):  # `optimizer = None`, then branches that each make one
                value = mine.value if mine.value.kind is Kind.OPTIMIZER else theirs.value
            elif (session := default_session.merged(self, node, (mine, theirs))) is not None:
                value = session
            else:
                helper = self.frame.region is None and isinstance(node, (ast.If, ast.For))
                single = "container" not in [mine.value.data, theirs.value.data]
                if kinds == {Kind.VARIABLE, Kind.TENSOR} and helper and single:
                    env[name] = Symbol(name, self.sink, Value(Kind.TENSOR))  # it is read there
                    continue
                if kinds == {Kind.VARIABLE, Kind.TENSOR}:
                    first = mine if mine.value.kind is Kind.VARIABLE else theirs
                    spelled.begun(self, name, first, node)
                value = Value(Kind.OTHER, "mixed")
            partly = self.nested and any(
                s.step.node is not self.sink.node or s in self.partly for s in (mine, theirs)
            )
            if isinstance(node, ast.If) and value.kind is Kind.TENSOR:
                for older in (mine, theirs):  # one way leaves what was there, read or not
                    if older.step is not self.sink and older.step.moves:
                        self.sink.uses[older] = None
            made = self.define(name, value)
            if partly:
                self.partly[made] = None

    def _do_for(self, stmt: ast.For) -> None:
        fed_states.in_loop(self, stmt)
        listed_placeholders.filled(self, stmt)
        op_lists.one_by_one(self, stmt)
        self.loop(stmt, lambda: self.bind(stmt.target, self.next(stmt.iter)))

    def _do_while(self, stmt: ast.While) -> None:
        self.loop(stmt, lambda: self.test(stmt.test))

    def loop(self, stmt: ast.For | ast.While, head: Callable[[], object]) -> None:
        """A loop's body twice: what the first round makes is what the second one finds."""
        before = dict(self.frame.env)
        self.loops += 1
        self.naming.unsure += 1
        carried_sizes.opened(self, stmt)
        for _ in range(2):
            head()
            self.block(stmt.body)
            carried_sizes.closed(self, stmt)
        self.loops -= 1
        self.naming.unsure -= 1
        self.block(stmt.orelse)
        self.merge(before, stmt)

    def _do_with(self, stmt: ast.With) -> None:
        own_contexts.named(self, stmt)
        opens = [self.endpoints.get(id(getattr(i.context_expr, "func", None))) for i in stmt.items]
        if meaning.SESSIONS & set(opens):
            opened_together.check(stmt, [not self._mentions(i.context_expr) for i in stmt.items])
        pushed, named = False, 0
        before = dict(self.frame.env)
        values = []
        for item in stmt.items:
            value = self.expression(item.context_expr)
            values.append(value)
            if value.kind in (Kind.SESSION, Kind.GRAPH):
                if self.frame.region is None:
                    raise Blocked(stmt, "a session opens inside a function that builds")
                self.dropped.add(id(stmt))
                if self.loops and not looped_sessions.own(self, item.context_expr, value):
                    raise Blocked(stmt, "a session opens in a loop")
            elif value.kind is Kind.OTHER and value.data == "controls":
                error = Blocked(stmt, "control dependencies inside a function or a loop")
                if isinstance(self.frame.node, ast.FunctionDef):
                    for call in known_branches.every(self, self.frame.node):
                        parted(self, self.frame.node, call, error)
                raise error
            elif value.kind not in (Kind.HOST, Kind.SETTING) and not (
                own_contexts.opened(self, item.context_expr, value)
            ):
                raise Blocked(item.context_expr, "this block can't be followed")
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
            if value.kind is Kind.SETTING and str(value.data).endswith("variable_scope"):
                if len(scopes.opening(self, stmt)) > 1:
                    raise Blocked(stmt, "scopes opened together")
                assert isinstance(value.node, ast.Call)
                self.dropped.add(id(stmt))
                reuse = scopes.checked(self, value.node)
                name = scopes.name_of(self, value.node, before)
                self.scopes.append(Scope(name, False, reuse, value.node))
                scope_names.opened(self, value.node)
                tf1_names.scope(self, value.node, variables=True)
                pushed = True
            elif value.kind is Kind.SETTING and str(value.data).endswith("name_scope"):
                assert isinstance(value.node, ast.Call)
                tf1_names.scope(self, value.node, variables=False)
                named += 1
                if len(scopes.opening(self, stmt)) == 1:
                    name = scopes.name_of(self, value.node, before)
                    self.scopes.append(Scope(name, True, False, value.node))
                    scope_names.opened(self, value.node)
                    pushed = True
        held = layers.opened(self, values)
        if held:
            self.dropped.add(id(stmt))
        self.block(stmt.body)
        layers.closed(self, held)
        self.naming.closed(named or pushed)
        if pushed:
            self.scopes.pop()

    def _do_try(self, stmt: ast.Try) -> None:
        old_releases.check(self, stmt)
        self.naming.unsure += 1
        self.block(stmt.body)
        for handler in stmt.handlers:
            after = dict(self.frame.env)
            self.block(handler.body)
            last = handler.body[-1]
            if leaves(last) and not isinstance(last, (ast.Continue, ast.Break)):
                self.frame.env = after
            else:
                self.merge(after, stmt)
        for block in (stmt.orelse, stmt.finalbody):
            self.block(block)
        self.naming.unsure -= 1

    def block(self, body: Iterable[ast.stmt]) -> bool:
        """The statements of a compound statement: no steps of their own.

        Whether they give a later session its variables.
        """
        self.nested += 1
        fresh = self.fresh
        try:
            for stmt in body:
                outer, self.stmt = self.stmt, stmt
                before = len(self.sink.defs)
                self.execute(stmt)
                mixed_branches.note(self, stmt, before)
                self.stmt = outer
        finally:
            self.nested -= 1
            given = fresh is not None and self.fresh is None
            self.fresh = fresh or self.fresh
        return given
