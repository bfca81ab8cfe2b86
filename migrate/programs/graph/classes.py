"""Classes that build a graph in their methods and run it in others."""

from __future__ import annotations

import ast

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph import handed
from migrate.programs.graph.data import object_iterators
from migrate.programs.graph.data.object_begins import Starts
from migrate.programs.graph.feeding import (
    given_computed,
    given_feeds,
    helper_placeholders,
    placeholder_dicts,
    twins,
)
from migrate.programs.graph.feeding.helper_placeholders import Hoisted
from migrate.programs.graph.functions import Functions
from migrate.programs.graph.listing import object_variables
from migrate.programs.graph.made import Frame, Function, configures
from migrate.programs.graph.making import (
    branch_returns,
    copied_at_once,
    given_defaults,
    given_starts,
)
from migrate.programs.graph.model import (
    HOST,
    RUNTIME,
    Blocked,
    Inner,
    Instance,
    Kind,
    Reading,
    Region,
    Returning,
    Step,
    Symbol,
    Value,
    described,
)
from migrate.programs.graph.objects import (
    bases,
    given_tensors,
    kept_parts,
    object_makers,
    owners,
    part_classes,
    parts,
    plain_methods,
    several_objects,
    shared_objects,
)
from migrate.programs.graph.optimizing.forwarders import Forwarded
from migrate.programs.graph.optimizing.training_helpers import Inlinable, Mixed, apart, trains
from migrate.programs.graph.running import (
    again,
    anew,
    arms,
    generators,
    graphs,
    later_runs,
    other_entries,
    reopened,
    set_sessions,
)
from migrate.programs.graph.scoping import named_again, reuse_given, scopes_around, tf1_names
from migrate.programs.graph.sizing import static_shapes
from migrate.programs.graph.wording.respelled import Respelled
from migrate.programs.graph.wording.spelled import Spelled

DEPTH = 12
FOLLOWED = (ast.FunctionDef, ast.Expr, ast.Assign, ast.AnnAssign, ast.Pass)  # parts of a class


class Classes(Functions):
    """Classes that build a graph in their methods and run it in others."""

    def instantiate(
        self, node: ast.ClassDef, call: ast.Call, given: dict[str, Value] | None = None
    ) -> Value:
        """An object of a class that builds a graph: its `__init__` is a region."""
        part_classes.quiet(self, node, call)
        own = given is None and part_classes.is_one(self, node)
        if own and not part_classes.given_parts(self, node, call):
            return parts.make(self, node, call)
        known = self.instances.get(id(node))
        owners.made(self, call)
        if known is not None:
            return self.another(known, call)
        known_bases = self.bases.get(id(node))
        if known_bases is not None and known_bases.odd is not None:
            raise Blocked(*known_bases.odd)
        if self.frame.region is None:
            raise Blocked(call, f"`{node.name}` is made in a helper")
        region = Region(node, node.name)
        self.regions.append(region)
        instance = Instance(node, region)
        self.instances[id(node)] = instance
        value = Value(Kind.OBJECT, instance, node=call)
        self.kept[("made at", id(region))] = call
        object_variables.met(self, instance, call)
        graphs.begun(self, bases.find(self, node, "__init__"))
        before, kept = again.standing(self), again.memory(self)
        for cls in bases.lineage(self, node):
            for part in cls.body:
                if not isinstance(part, FOLLOWED) and not bases.only_names(part):
                    raise Blocked(part, "this part of a class isn't followed")
        member = bases.find(self, node, "__init__")
        if member is not None:
            function = Function(member, self.module_frame(member))
            instance.given = self.given(function, call, value) | (given or {})
            twins.give(self, instance, member, instance.given)
            self._sessions_given(member, instance.given, call, instance)
            self.method_of(instance, member, instance.given, call)
        scopes_around.begun(self, instance)
        shared_objects.begun(self, instance, not before.created and not before.owned)
        instance.left = again.left(self, before, kept, call)
        self.kept.setdefault(("objects", id(self.frame.region)), []).append(instance)
        return value

    def another(self, instance: Instance, call: ast.Call) -> Value:
        """One more object of a class: it does as the first one does."""
        member = bases.find(self, instance.node, "__init__")
        if member is not None:
            value = Value(Kind.OBJECT, instance, node=call)
            function = Function(member, self.module_frame(member))
            given = self.given(function, call, value)
            twins.give_again(self, instance, member, given)
            self._sessions_given(member, given, call)
            for name, first in instance.given.items():
                if name != member.args.args[0].arg:
                    self._one_class(instance.node.name, first, given.get(name, HOST), call)
                if given.get(name, HOST).kind is not first.kind and name != shared_objects.GIVEN:
                    raise Blocked(call, f"`{instance.node.name}` is made in another way before")
        graphs.begun(self, member)
        reuse_given.check(self, instance, call)
        shared = shared_objects.shares(self, instance, call)
        several_objects.check(self, instance, call)
        scopes_around.same(self, instance, call)
        alone = self.kept.get(("alone", id(call)), False)
        if not shared and not alone and not again.alike(self, instance):
            raise Blocked(call, "each object trains the variables of all")
        if not shared:
            object_variables.met(self, instance, call)
        again.revive(self, instance, call)
        self.kept.setdefault(("objects", id(self.frame.region)), []).append(instance)
        if not shared:
            named_again.of_object(self, instance.node)
        return Value(Kind.OBJECT, instance, node=call)

    def method_of(
        self,
        instance: Instance,
        node: ast.FunctionDef,
        given: dict[str, Value],
        call: ast.Call | None,
    ) -> Value:
        """A call of a method: part of the graph's construction, a run, or neither."""
        if call is None:
            return self._method_of(instance, node, given, call)
        set_sessions.setter(self, instance, node, call)
        tf1_names.entered(self, call, node, method=True)
        try:
            return self._method_of(instance, node, given, call)
        finally:
            tf1_names.left(self)

    def _method_of(
        self,
        instance: Instance,
        node: ast.FunctionDef,
        given: dict[str, Value],
        call: ast.Call | None,
    ) -> Value:
        first = node.args.args[0].arg if node.args.args else ""
        if not first:
            raise Blocked(node, f"`{node.name}` has no self")
        given = {a.arg: HOST for a in node.args.args} | given
        others = {name: value for name, value in given.items() if name != first}
        if self._reads_numbers(instance, node) and self.generator(node, others, call):
            return HOST
        given[first] = Value(Kind.OBJECT, instance)
        frame_region = self.frame.region
        if self.walked.setdefault(id(node), instance).node is not instance.node:
            if id(node) in self.entered:
                raise Blocked(call or node, f"objects of two classes have `{node.name}`")
        building = node.name == "__init__" or (frame_region is instance.region and not self.nested)
        part = _sets(node) and any(v.kind in RUNTIME for v in given.values())
        if building and (node.name == "__init__" or part or self._builds(node)):
            if id(node) in self.entered:
                raise Blocked(call or node, f"`{node.name}` builds a part of the graph twice")
            self.entered[id(node)] = instance.region
            self._sessions_taken(node, given, call)
            return self._inside(node, instance.region, given, call)
        if call is not None and self._builds_later(instance, node):
            if id(node) in self.entered:
                again.built(self, instance, node, call)
                twins.give_again(self, instance, node, given)
                self._sessions_given(node, given, call)
                return HOST
            twins.give(self, instance, node, given)
            self._sessions_given(node, given, call, instance)
            self.entered[id(node)] = instance.region
            before, kept = again.standing(self), again.memory(self)
            result = self._inside(node, instance.region, given, call)
            again.keep_built(self, node, call, before, kept)
            return result
        if self.runs(node):
            known = self.entered.get(id(node))
            self._sessions_given(node, given, call)
            if known is not None:
                if known.once and not other_entries.first(self, known):
                    copied_at_once.met(self, known, call or node)
                    raise Blocked(
                        call or node, f"`{node.name}` starts the graph anew at every call"
                    )
                self._of_one_class(known, others, call or node)
                if known.anew:
                    anew.again(self, known, others, call or node)
                    return HOST
                later_runs.met(self, node)
                reopened.met(self, known)
                return HOST
            region = Region(node, node.name)
            self.kept[("first given", id(region))] = others
            self.entered[id(node)] = region
            self.regions.append(region)
            later_runs.entered(self, node)
            stood, place = anew.standing(self), len(self.regions) - 1
            opened, found = (self.sessions, self.init_runs), other_entries.standing(self)
            earlier = reopened.standing(self)
            stmt = self.stmt
            self._inside(node, region, given, call)
            if building:
                object_makers.check(self, stmt, node, region)
            other_entries.walked(self, region, found)
            copied_at_once.in_branches(self, region, call or node)
            region.once = opened != (self.sessions, self.init_runs) or any(
                s.moves for s in region.steps
            )
            region.once = region.once and not reopened.alike(self, region, earlier)
            if region.once:
                region.anew = anew.alone(self, node, self.regions[place:], stood, instance)
                region.once = not region.anew
            generators.check(region, False, call or node)
            if region.once and self.loops:
                copied_at_once.met(self, region, call or node)
                raise Blocked(call or node, f"`{node.name}` starts the graph anew at every call")
            return HOST
        if call is not None:
            given_starts.there(self, node, given, call, first=1)
        runtime = any(v.kind in RUNTIME for v in given.values())
        variables = self._variables_made(node)
        if call is not None and runtime and variables and frame_region is not None:
            function = Function(node, self.module_frame(node))
            static_shapes.given(self, call)
            try:
                return self.factory(function, node, given, call, given[first])
            except Blocked as error:
                self._kept_by_caller(instance, node, error, call)
                if isinstance(error, Mixed):
                    helper_placeholders.built(self, node, error)
                raise
        frame = Frame(node, self.module_frame(node), None)
        saved = (self.frame, self.nested, self.stmt)
        self.frame, self.nested = frame, 0
        self.depth += 1
        if self.depth > DEPTH:
            raise Blocked(node, "methods call each other too deeply")
        try:
            for name, value in given.items():
                frame.env[name] = Symbol(name, self.sink, value)
            self.body(node.body)
            result = self.returned(frame.returns, node)
            if variables and (runtime or result.kind not in (Kind.VARIABLE, Kind.HOST, Kind.NONE)):
                raise Blocked(call or node, f"`{node.name}` makes variables and tensors in one")
        except Blocked as error:
            self.frame, self.nested, self.stmt = saved
            self._kept_by_caller(instance, node, error, call)
            raise
        finally:
            self.frame, self.nested, self.stmt = saved
            self.depth -= 1
        if variables and call is not None and not self._cells(node):
            self.making.add(id(call))
        return result

    def _reads_numbers(self, instance: Instance, node: ast.FunctionDef) -> bool:
        """Whether a method uses nothing of its object but attributes that hold no graph's part."""
        first = node.args.args[0].arg
        read = [n for n in all_of(node, ast.Attribute) if _names(n.value, first)]
        symbols = [instance.attrs.get(n.attr) for n in read]
        return all(s is not None and s.value.kind is Kind.HOST for s in symbols) and len(
            read
        ) == sum(_names(n, first) for n in walk(node))

    def _kept_by_caller(
        self,
        instance: Instance,
        node: ast.FunctionDef,
        error: Blocked,
        call: ast.Call | None,
    ) -> None:
        """A method that can't be followed as one that computes may set what it is asked for.

        Raises:
            Returning: its caller builds the same object's graph.
        """
        last = ending(node)
        own = self.frame.region is instance.region and not self.nested
        if (
            own
            and type(error) is Blocked
            and trains(self, node)
            and not isinstance(last, ast.Return)
        ):
            branch_returns.check(self, node)
        if isinstance(
            error, (Returning, Inlinable, Respelled, Hoisted, Forwarded)
        ) or not isinstance(last, ast.Return):
            return
        if getattr(error, "kind", "") == plain_methods.KIND:
            return
        if isinstance(error, Spelled) and not holds(node, error.node):
            return  # a function that it calls is written otherwise
        if isinstance(error, given_defaults.Given):
            return
        if isinstance(error, Reading) and not trains(self, node):
            return
        if own:
            apart(self, node, call)
            raise Returning(last, error.reason, error) from error

    def _sessions_given(
        self,
        node: ast.FunctionDef,
        given: dict[str, Value],
        call: ast.Call | None,
        instance: Instance | None = None,
    ) -> None:
        for name, value in given.items():
            if value.kind is Kind.OPTIMIZER:
                anew.optimizer(self, node, name, value, call or node)
            elif isinstance(value.data, Starts):
                value.data.given_method(self, node, name, call or node)
            elif call is not None and given_feeds.given(self, node, name, value, call):
                pass
            elif value.kind not in (
                Kind.HOST,
                Kind.NONE,
                Kind.SESSION,
                Kind.FUNCTION,
                Kind.OBJECT,
                Kind.ENDPOINT,
                Kind.CLASS,
            ) and not (hasattr(value.data, "method") or value.symbol in self.twins):
                if not configures(value):
                    if value.kind is Kind.TENSOR and instance is not None:
                        given_tensors.check(self, instance, node, name, call)
                    reason = f"`{node.name}` is given {described(value)}"
                    placeholder_dicts.check(self, call or node, reason)
                    if value.kind is Kind.TENSOR and call is not None:
                        given_computed.check(self, node, name, call, reason)
                    raise Blocked(call or node, reason)
            if value.kind is Kind.SESSION or configures(value):
                self.session_params.setdefault(id(node), set()).add(name)
        if call is not None:
            self.calls.append((call, node))

    def _sessions_taken(
        self, node: ast.FunctionDef, given: dict[str, Value], call: ast.Call | None
    ) -> None:
        """A method that builds is called by another one that hands its session on."""
        names = {n for n, v in given.items() if v.kind is Kind.SESSION or configures(v)}
        if names and call is not None and not any(c is call for c, _ in self.calls):
            self.session_params.setdefault(id(node), set()).update(names)
            self.calls.append((call, node))

    def _builds(self, node: ast.FunctionDef, seen: frozenset[int] = frozenset()) -> bool:
        """Whether a method sets parts of the graph as attributes, itself or through others."""
        parts = any(part_classes.made_by(self, n) for n in walk(node))
        made = self._mentions(node) or self.runs(node) or object_iterators.made(node)
        if (_sets(node) and (made or parts)) or (_fills(node) and (self._mentions(node) or parts)):
            return True
        return any(self._builds(m, seen | {id(node)}) for m in self._used(node, seen))

    def _used(self, node: ast.FunctionDef, seen: frozenset[int]) -> list[ast.FunctionDef]:
        """The methods of its own object that a method calls."""
        if id(node) in seen or not node.args.args:
            return []
        itself = node.args.args[0].arg
        names = {
            n.func.attr
            for n in all_of(node, ast.Call)
            if isinstance(n.func, ast.Attribute)
            and ast.unparse(n.func.value).partition("(")[0] in (itself, "super")
        }
        return [m for cls in bases.kin(self, node) for m in bases.methods(cls) if m.name in names]

    def _builds_later(self, instance: Instance, node: ast.FunctionDef) -> bool:
        """Whether a method that is called from outside builds parts of its object's graph."""
        if self.frame.region in (None, instance.region) or self.loops:
            return False
        if self.nested and not arms.way(self) and not arms.only_way(self, node):
            return False
        return kept_parts.keeps(self, node)

    def _part(self, node: ast.FunctionDef, name: str, value: Value, call: ast.Call) -> bool:
        """Whether a method that builds is given a part of its object's graph: it sees it anyway."""
        symbol = value.symbol
        own = symbol is not None and (symbol.attribute or symbol.step.region is self.frame.region)
        return own and node.name != "__init__" and handed.given(self, node, name, value, call)

    def _inside(
        self,
        node: ast.FunctionDef,
        region: Region,
        given: dict[str, Value],
        call: ast.Call | None,
    ) -> Value:
        """Walk a method's statements as steps of a region."""
        frame = Frame(node, self.module_frame(node), region)
        saved = (self.frame, self.nested, self.stmt, self.sink, self.outer, self.controls)
        around = scopes_around.kept(self, region, given, call)
        loops, self.loops = self.loops, 0
        fetching, self.fetching = self.fetching, False  # `Net().run()` makes an object first
        scopes, self.scopes = self.scopes, around
        self.frame, self.nested, self.controls = frame, 0, []
        self.outer = Inner(self.outer)
        start = Step(-1, node, Kind.HOST)
        start.region = region
        try:
            parts = False
            for name, value in given.items():
                given_one = value.symbol in self.twins
                made = twins.parameter(name, value, start) if given_one else None
                if made is None and call is not None and self._part(node, name, value, call):
                    made, parts = Symbol(name, start, value, alias=True), True
                frame.env[name] = made or Symbol(name, start, value)
            if parts and call is not None:
                self.calls.append((call, node))
            self.body(node.body)
        finally:
            self.frame, self.nested, self.stmt, self.sink, self.outer, self.controls = saved
            self.loops, self.scopes, self.fetching = loops, scopes, fetching
        return HOST


def _names(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _sets(node: ast.AST) -> bool:
    """Whether a method sets attributes."""
    return any(isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) for n in walk(node))


def _fills(node: ast.FunctionDef) -> bool:
    """Whether a method that returns nothing puts something into lists of its object."""
    itself = node.args.args[0].arg if node.args.args else ""
    return not any(isinstance(n, ast.Return) and n.value is not None for n in walk(node)) and any(
        isinstance(n, ast.Expr)
        and isinstance(n.value, ast.Call)
        and isinstance(n.value.func, ast.Attribute)
        and n.value.func.attr == "append"
        and isinstance(n.value.func.value, ast.Attribute)
        and _names(n.value.func.value.value, itself)
        for n in walk(node)
    )


def ending(node: ast.FunctionDef) -> ast.stmt:
    """The statement with which a function ends, through its with statements."""
    last = node.body[-1]
    while isinstance(last, ast.With):
        last = last.body[-1]
    return last
