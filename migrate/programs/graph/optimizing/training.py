"""Optimizers and gradients."""

from __future__ import annotations

import ast

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.feeding import fed_constants
from migrate.programs.graph.fetching import fetched_ops, ops_for_later, ops_in_loops
from migrate.programs.graph.layering.layers import Layers
from migrate.programs.graph.listing.layer_variables import VARIABLES
from migrate.programs.graph.made import Apply, Gradient, Optimizer, Schedule, SlotScope
from migrate.programs.graph.making import made_at_calls
from migrate.programs.graph.making.watched import by_constants
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import (
    RUNTIME,
    Blocked,
    Kind,
    Step,
    Symbol,
    Value,
    described,
)
from migrate.programs.graph.optimizing import (
    forwarders,
    gradients_in_loops,
    inner_gradients,
    unwatched,
)
from migrate.programs.graph.wording import branch_copies, branched, spelled

# Where and when a graph computes gradients, not what they are.
# Where gradients are computed, and how they are added: nothing that TF 2 asks for.
WHERE = frozenset({"gate_gradients", "colocate_gradients_with_ops", "aggregation_method"})


def _called(node: ast.expr) -> bool:
    return any(isinstance(n, ast.Call) for n in walk(node))


class Training(Layers):
    """Optimizers and gradients."""

    def optimizer(self, name: str, node: ast.Call) -> Value:
        """An optimizer: its settings are Python's, its learning rate may be a part of the run."""
        made_at_calls.check(self, node)
        stmt = self.stmt
        kept = stmt.targets if isinstance(stmt, ast.Assign) and stmt.value is node else []
        named = len(kept) == 1 and isinstance(kept[0], (ast.Name, ast.Attribute))
        gradients_in_loops.optimizer(self, node)
        if self.frame.region is None or self.loops or (self.nested and not named):
            reason = "an optimizer is made in a loop, a branch or a helper"
            forwarders.check(self, node, reason)
            branched.check(self, node, reason)
        made = self.optimizers[id(node)] = Optimizer(name, node)
        sink = self.sink
        for argument, at in self.bound(name, node).items():
            self.sink = inner = Step(-1, sink.node, Kind.HOST)
            value = self.expression(at)
            self.sink = sink
            if argument == "learning_rate" and isinstance(value.data, Schedule):
                made.schedule = value.data
                inner.uses.pop(value.data.step)
                self.rewrites.pop(id(at), None)  # the optimizer asks it itself
                self.decayed.pop(id(at), None)
            fed_constants.given(self, argument, at, value, list(inner.uses))
            made.uses.update(inner.uses)
            changing = {s for s in inner.uses if s.value.kind in (*RUNTIME, Kind.VARIABLE)}
            if changing and argument != "learning_rate":
                raise Blocked(at, "an optimizer's setting changes from run to run")
            if changing:
                made.rate = at
                # The run has it, under the name that its object knows.
                self.absorbed.update(id(n) for n in walk(at) if id(n) in self.aliases)
            sink.uses.update({s: None for s in inner.uses if s not in changing})
            sink.hosts |= inner.hosts
        return Value(Kind.OPTIMIZER, made, node=node)

    def instead(self, value: Value, other: Value, node: ast.AST) -> Value:
        """One of two optimizers, whichever a branch made: what runs use must be the same."""
        first, second = value.data, other.data
        rates = [None if o.rate is None else ast.dump(o.rate) for o in (first, second)]
        if first is second or first.of is second or second.of is first:
            return value
        if rates[0] != rates[1] or first.schedule is not second.schedule or first.of is not None:
            raise Blocked(node, "one optimizer or another, whose rates change differently")
        first.others += [second, *second.others]
        for made in first.others:
            made.of = first
        return Value(Kind.OPTIMIZER, first, node=first.call)

    def differentiate(self, node: ast.Call, optimizer: Optimizer | None = None) -> Value:
        """``tf.gradients``, ``minimize`` and ``compute_gradients``."""
        if optimizer is None and (value := inner_gradients.kept(self, node)) is not None:
            return value
        if (looped := gradients_in_loops.kept(self, node, optimizer)) is not None:
            return looped
        if self.nested or self.frame.region is None:
            reason = "gradients are taken in a loop, a branch or a helper"
            if self.fetching and optimizer is not None:
                fetched_ops.above_loop(self, node, reason)
            branched.check(self, node, reason)
        assert self.frame.region is not None
        named = {k.arg: k.value for k in node.keywords}
        places = dict(enumerate(node.args))
        if optimizer is None:
            known = {"ys", "xs", "grad_ys", "name"}
            loss, variables, global_step = (
                places.get(0, named.get("ys")),
                places.get(1, named.get("xs")),
                None,
            )
            kind = "gradients"
        else:
            assert isinstance(node.func, ast.Attribute)
            kind = node.func.attr
            known = {"loss", "var_list", "global_step", "name"}
            loss = places.get(0, named.get("loss"))
            if kind == "minimize":
                variables = places.get(2, named.get("var_list"))
                global_step = places.get(1, named.get("global_step"))
            else:
                variables, global_step = places.get(1, named.get("var_list")), None
            if isinstance(variables, ast.Constant) and variables.value is None:
                variables = None  # as if it weren't said
        named_ones = {name for name in named if name not in WHERE or _called(named[name])}
        if loss is None or None in named or named_ones - known or len(places) > 3:
            raise Blocked(node, "these arguments of a gradient aren't followed")
        if optimizer is None and variables is not None:
            by_constants(self, variables)
        sink = self.sink
        self.sink = Step(-1, sink.node, Kind.HOST)
        value = self.expression(loss)
        inner, self.sink = self.sink, sink
        sink.uses.update(inner.uses)
        sink.hosts |= inner.hosts
        if optimizer is not None and kind == "minimize":
            self.rated(optimizer)
        if value.kind is not Kind.TENSOR:
            raise Blocked(loss, f"the gradient of {described(value)}")
        watched, single = (
            self.sources(variables, optimizer) if variables is not None else ([], False)
        )
        weights = places.get(2, named.get("grad_ys")) if optimizer is None else None
        if weights is not None and self.expression(weights).kind not in (*RUNTIME, Kind.CONST):
            raise Blocked(weights, "weights of a gradient that aren't tensors")
        counter = self.counter(global_step) if global_step is not None else None
        found = Gradient(kind, node, loss, inner.uses, variables, optimizer, global_step, counter)
        found.watched, found.single, found.weights = watched, single, weights
        if variables is not None and not watched:
            found.unwatched = unwatched.found(self, variables)
        self.gradients[id(node)] = found
        if kind == "minimize":
            assert optimizer is not None
            found.slots = self.slot_scope(optimizer)
            return Value(Kind.OP, found, node=node)
        return Value(Kind.TENSOR, found, node=node)

    def sources(self, node: ast.expr, optimizer: Optimizer | None) -> tuple[list[Symbol], bool]:
        """By what is differentiated: the placeholders in it, and whether it is one thing alone."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            for side in (node.left, node.right):
                value = self.expression(side)
                many = isinstance(side, ast.List) or value.items is not None
                many = many or value.data == "container"
                if value.data != VARIABLES and (value.kind is not Kind.VARIABLE or not many):
                    raise Blocked(side, "a gradient by a sum that isn't of lists of variables")
            return [], False
        of = self.expression(node)
        listed = isinstance(node, (ast.List, ast.Tuple))
        parts = [v for _, v in of.items] if listed and of.items else [of]
        fed = [v.symbol for v in parts if v.kind in (Kind.PLACEHOLDER, Kind.TENSOR)]
        named = isinstance(node, (ast.Name, ast.Attribute)) or (
            listed and all(isinstance(n, (ast.Name, ast.Attribute)) for n in node.elts)  # type: ignore[attr-defined]
        )
        if (
            optimizer is None
            and named
            and len(fed) == len(parts)
            and not any(self._together(v) for v in parts)
        ):
            return [s for s in fed if s is not None], not listed
        if of.kind is not Kind.VARIABLE and of.data != VARIABLES:
            raise Blocked(node, f"a gradient by {described(of)}")
        several = listed or of.items is not None or of.data == "container"
        # A list that began empty, and that a method was given which filled it.
        several = several or isinstance(of.node, ast.Assign)
        if not several and of.kind is Kind.VARIABLE and of.node is None:
            raise Blocked(node, "a gradient by one variable or several, which isn't seen")
        return [], of.kind is Kind.VARIABLE and not several

    @staticmethod
    def _together(value: Value) -> bool:
        """Whether a value is several tensors, or one without a name of its own."""
        several = hasattr(value.data, "element") or value.data in ("container", VARIABLES)
        return several or value.symbol is None or value.items is not None or bool(value.each)

    def counter(self, node: ast.expr) -> Symbol | None:
        """A global step must be a variable that stays."""
        if isinstance(node, ast.Constant) and node.value is None:
            return None
        value = self.expression(node)
        if value.kind is not Kind.VARIABLE or value.symbol is None:
            spelled.counter(self, node, value)
            raise Blocked(node, "the global step isn't a variable")
        return value.symbol

    def counts(self, schedule: Schedule, optimizer: Optimizer) -> bool:
        """Whether a schedule's step is what an optimizer counts: its own, from zero."""
        users = [
            (u.optimizer, u.counter)
            for u in self.gradients.values()
            if u.kind == "minimize" and u.optimizer is not None
        ]
        users += [(u.optimizer, u.counter) for u in self.applies.values()]
        mine = [c for o, c in users if o is (optimizer.of or optimizer)]
        others = [c for o, c in users if o is not (optimizer.of or optimizer)]
        if not mine or any(c is not schedule.step for c in mine) or schedule.step in others:
            return False
        made = schedule.step.value.node
        zero = isinstance(made, ast.Call) and (
            id(made) in self.made
            or any(
                isinstance(a, ast.Constant) and a.value == 0
                for a in [
                    *made.args[:1],
                    *(k.value for k in made.keywords if k.arg == "initial_value"),
                ]
            )
        )
        written = any(
            schedule.step in step.uses and step.value is not None and step.value.data == "assign"
            for region in self.regions
            for step in region.steps
        )
        return zero and not written

    def optimize(self, owner: Value, attribute: str, node: ast.Call) -> Value:
        if attribute in ("minimize", "compute_gradients"):
            return self.differentiate(node, owner.data)
        if attribute == "apply_gradients":
            named = {k.arg: k.value for k in node.keywords}
            step = node.args[1] if len(node.args) > 1 else named.get("global_step")
            counter = self.counter(step) if step is not None else None
            given = node.args[0] if node.args else named.get("grads_and_vars")
            self._apart(given, counted=step is not None)
            for value in [self.expression(given)] if given is not None else []:
                listed = value.kind is Kind.VARIABLE and isinstance(given, (ast.ListComp, ast.List))
                if value.kind is not Kind.TENSOR and not listed:
                    raise Blocked(node, f"gradients that are {described(value)}")
            self.rated(owner.data)
            found = Apply(node, owner.data, step, counter, self.slot_scope(owner.data))
            self.applies[id(node)] = found
            return Value(Kind.OP, found, node=node)
        raise Blocked(node, f"`.{attribute}()` of an optimizer isn't followed")

    def _apart(self, given: ast.expr | None, *, counted: bool) -> None:
        """Gradients that are computed where they are applied get a name: a tape ends between.

        Raises:
            Spelled: they are.
            Blocked: and the statement computes something else before, and counts steps.
        """
        calls = all_of(given, ast.Call) if given is not None else []
        call = next((c for c in calls if getattr(c.func, "attr", "") == "compute_gradients"), None)
        if call is None:
            return
        reason = "gradients are computed and applied in one statement"
        through = isinstance(given, ast.ListComp) and given.generators[0].iter is call
        if through and isinstance(self.stmt, (ast.Assign, ast.Return)):
            name = spelled.free(self, "grads_and_vars")
            lines = [(self.stmt, lambda source: [f"{name} = {source(call)}"])]
            raise spelled.Spelled(call, reason, [(call, spelled.word(name))], lines)
        spelled.first(self, self.stmt, call, "grads_and_vars", reason)
        if counted:
            raise Blocked(call, reason)

    def slot_scope(self, optimizer: Optimizer) -> SlotScope:
        """Where the variables of an optimizer are made that updates for the first time."""
        known = self.slot_scopes.get(id(optimizer))
        if known is None:
            naming = self.naming
            adam = optimizer.endpoint == T + "train.AdamOptimizer"
            one, two = (
                naming.unique(f"beta{i}_power", naming.ops) if adam else None for i in (1, 2)
            )
            known = self.slot_scopes[id(optimizer)] = SlotScope(naming.variables, (one, two))
        return known

    def rated(self, optimizer: Optimizer) -> None:
        """An update needs the learning rate, where runs compute it."""
        if optimizer.rate is not None:
            self.sink.uses.update(optimizer.uses)

    def op(self, node: ast.Call, what: str) -> Value:
        if self.nested and self.frame.region is not None and self.loops and not self.fetching:
            ops_in_loops.check(self, node)
            ops_in_loops.gathered(self, node)
            ops_for_later.check(self, node)
            branch_copies.check(self, node, ops_in_loops.REASON)
            raise Blocked(node, ops_in_loops.REASON)
        if self.loops and self.frame.region is None and not self.fetching:
            ops_in_loops.gathered(self, node)  # a function that is given variables
        return Value(Kind.OP, what, node=node)
