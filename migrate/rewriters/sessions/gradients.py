"""What is differentiated in a function: tapes, the variables that are trained, updates."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.feeding import behind_feeds
from migrate.programs.graph.listing import slots
from migrate.programs.graph.model import Blocked, Kind, Region, Step, Symbol
from migrate.programs.graph.objects import parts
from migrate.programs.graph.slices import Plan, Unit, closure, defined, gradients, used
from migrate.programs.graph.walk import Gradient, Optimizer, Schedule
from migrate.rewriters.sessions import (
    optimizers,
    placed,
    rebound,
    row_optimizers,
    unconnected,
    untrained,
)
from migrate.rewriters.sessions.shared_optimizers import Shared
from migrate.rewriters.sessions.sources import Sources

SPARSE = (
    *("embedding_lookup", "gather", "nce_loss", "sampled_softmax_loss", "embedding_lookup_sparse"),
    *("sparse_tensor_dense_matmul", "safe_embedding_lookup_sparse", "embed_sequence"),
    "gather_nd",
)
SIMPLE = (ast.Assign, ast.Expr, ast.Return)
# These take a row that is there twice as TF 1's do.
ROWS = row_optimizers.ROWS | {"GradientDescentOptimizer"}
SUM_ROWS = '''def sum_rows(gradient):
    """A gradient whose rows are summed at their first places, with zeros at the others."""
    if not isinstance(gradient, {tf}.IndexedSlices):
        return gradient
    rows, count = gradient.indices, {tf}.size(gradient.indices)
    first = {tf}.math.unsorted_segment_min({tf}.range(count), rows, gradient.dense_shape[0])
    values = {tf}.math.unsorted_segment_sum(gradient.values, {tf}.gather(first, rows), count)
    return {tf}.IndexedSlices(values, rows, gradient.dense_shape)
'''
# Ops through which a sparse gradient doesn't pass.
DENSE = frozenset(
    ("bias_add", "conv2d", "log", "log_softmax", "matmul", "relu", "reshape", "sigmoid", "softmax")
)
DENSE |= frozenset(("tanh", "transpose"))
LAYERS = ("tensorflow.layers.", "tensorflow.contrib.layers.")
LISTED = 6  # more variables than these and the tape is asked for them


class Gradients(Sources):
    """What is differentiated in a function: tapes, the variables that are trained, updates."""

    if TYPE_CHECKING:  # of the room further down

        def unit(self, plan: Plan, unit: Unit, indent: str) -> tuple[Step | None, str]: ...
        def above(self, step: Step, indent: str) -> str: ...

    def prepare(self, plans: Sequence[Plan]) -> None:
        """Name the optimizers and see which get sparse gradients."""
        self.shared = Shared(plans, self)
        found = [
            (plan, step, optimizer, uses)
            for plan in plans
            for step in plan.steps
            for optimizer, uses in self._optimizers(step)
        ]
        self.trained = {id(optimizer.call) for _, _, optimizer, _ in found}
        for plan, step, optimizer, uses in found:
            key = id(optimizer.call)
            inside = closure(uses, plan.steps)
            self.sparse[key] = self.sparse.get(key, False) or any(map(self._sparse, inside))
            outside = self._saved_outside(optimizer, plan.region, step)
            for other in optimizer.others:
                self.sparse[id(other.call)] = self.sparse[key]
                self.optimizers[id(other.call)] = self.ref(other.symbol) if other.symbol else ""
            if optimizer.symbol is not None:
                name = self.optimizers[key] = self.ref(optimizer.symbol)
                if outside and not name.startswith("self."):
                    for made in (optimizer, *optimizer.others):
                        self.kept_optimizers[id(made.call)] = f"self.{name}"
            elif key not in self.optimizers:
                name = self._optimizer_name(step)
                self.optimizers[key] = f"self.{name}" if outside else name

    def _optimizers(self, step: Step) -> list[tuple[Optimizer, dict[Symbol, None]]]:
        """The optimizers that a step uses, each with what its gradients come from."""
        found = [
            (gradient.optimizer, gradient.loss_uses)
            for gradient in gradients(step, self.walker)
            if gradient.optimizer is not None
        ]
        found += [
            (self.walker.applies[id(n)].optimizer, step.uses)
            for n in all_of(step.node, ast.Call)
            if id(n) in self.walker.applies
        ]
        return found

    def _saved_outside(self, optimizer: Optimizer, region: Region, step: Step) -> bool:
        """Whether a Saver that stands elsewhere saves an optimizer of a class."""
        made = optimizer.symbol.step if optimizer.symbol is not None else step
        return isinstance(region.node, ast.ClassDef) and any(
            (saver.step.region is not region or saver.step.function is not made.function)
            and any(t.optimizer is optimizer for t in saver.trained)
            for saver in self.walker.savers
        )

    def _optimizer_name(self, step: Step) -> str:
        name = step.defs[0].name if len(step.defs) == 1 else ""
        own = "opt" in name.lower() and not name.lower().endswith("_op")
        if own and name not in self.namer.claimed:
            self.namer.claim(name)
            return name  # it was the train op's, which is no more
        low = re.sub(r"(?<![^_])(?:train|solver|step|op)(?=_|$)", "", name.lower())
        low = re.sub("_+", "_", low).strip("_")
        low = low if low.isidentifier() else name.lower()
        alone = len(self.trained) < 2
        wishes = ["optimizer"] if alone or not low else []
        return self.namer.free(*wishes, f"{low}_optimizer" if low else "optimizer")

    def _sparse(self, step: Step) -> bool:
        stack: list[ast.AST] = [step.node]
        seen: set[int] = set()
        while stack:
            for n in walk(stack.pop()):
                name = self.walker.endpoints.get(id(n), "")
                if name.rpartition(".")[2] in SPARSE and id(n) not in seen:
                    return True
                if isinstance(n, ast.Call):
                    of = [*n.args[:1], *(k.value for k in n.keywords if k.arg == "params")]
                    if (of and self._computed(of[0])) or self._columns(n):
                        seen.add(id(n.func))  # rows of what is computed: its gradient is dense
                    callee = self.walker._module_function(n.func)
                    callees = [callee] if callee is not None else self._methods(n.func)
                    for one in callees:
                        if id(one) not in seen:
                            seen.add(id(one))
                            stack.append(one)
        return False

    def _methods(self, func: ast.expr) -> list[ast.AST]:
        """What a call may mean: methods of a name, what the name is given, calls of objects."""
        if not isinstance(func, (ast.Name, ast.Attribute)) or id(func) in self.walker.endpoints:
            return []
        if not self.members:
            self.members = {"__call__": []}
            for n in walk(self.walker.tree):
                for m in n.body if isinstance(n, ast.ClassDef) else ():
                    if isinstance(m, ast.FunctionDef):
                        self.members.setdefault(m.name, []).append(m)
                if isinstance(n, ast.Assign):
                    for t in n.targets:
                        own = getattr(t, "attr", getattr(t, "id", ""))
                        self.values.setdefault(own, []).append(n.value)
        name = func.attr if isinstance(func, ast.Attribute) else func.id
        found = self.members.get(name, []) if isinstance(func, ast.Attribute) else []
        values = self.values.get(name, [])
        return [*(found or (self.members["__call__"] if values else [])), *values]

    def _columns(self, node: ast.Call) -> bool:
        """Whether ``tf.gather_nd`` is told several indices of each place: its gradient is dense."""
        if self.walker.endpoints.get(id(node.func), "") != "tensorflow.gather_nd":
            return False
        at = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "indices")]
        made = at[0] if at else None
        if isinstance(made, (ast.Name, ast.Attribute)):
            symbol = self.walker.meant.get(id(made), self.walker.attributes.get(id(made)))
            stmt = symbol.step.node if symbol is not None else None
            made = stmt.value if isinstance(stmt, ast.Assign) else None
        if not isinstance(made, ast.Call) or not made.args:
            return False
        axis = [*made.args[1:2], *(k.value for k in made.keywords if k.arg == "axis")]
        listed = made.args[0]
        return (
            self.walker.endpoints.get(id(made.func), "") == "tensorflow.stack"
            and isinstance(listed, (ast.List, ast.Tuple))
            and len(listed.elts) > 1
            and not any(isinstance(e, ast.Starred) for e in listed.elts)
            and [ast.unparse(a) for a in axis] in (["1"], ["-1"])
        )

    def _computed(self, node: ast.expr) -> bool:
        """Whether something is given by an op whose own gradient is dense."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            walker = self.walker
            symbol = walker.meant.get(id(node), walker.attributes.get(id(node)))
            made = symbol.step.node if symbol is not None else None
            if symbol is None or symbol.value.kind is not Kind.TENSOR:
                return False
            if not isinstance(made, ast.Assign) or ast.unparse(made.targets[0]) != ast.unparse(
                node
            ):
                return False
            node = made.value
        if isinstance(node, ast.BinOp):  # sums hand rows on, as TF 2.21 does
            return isinstance(node.op, (ast.Mult, ast.Div, ast.Pow, ast.MatMult))
        name = self.walker.endpoints.get(id(node.func), "") if isinstance(node, ast.Call) else ""
        if name.startswith(LAYERS):
            return True
        return name.startswith("tensorflow.") and name.rpartition(".")[2] in DENSE

    def body(self, plan: Plan, units: Sequence[Unit], indent: str) -> list[tuple[Step | None, str]]:
        """A function's statements, with tapes around what is differentiated."""
        found = [
            (unit, gradient)
            for unit in units
            if isinstance(unit, Step)
            for gradient in gradients(unit, self.walker)
        ]
        if not found:
            return placed.body(self, units, indent, lambda u, deeper: self.unit(plan, u, deeper))
        return self._taped(plan, units, found, indent)

    def _taped(
        self,
        plan: Plan,
        units: Sequence[Unit],
        found: Sequence[tuple[Unit, Gradient]],
        indent: str,
        wish: str = "tape",
    ) -> list[tuple[Step | None, str]]:
        """Statements with a tape around what is differentiated; gradients of gradients have two."""
        nl, deeper = self.text.newline, indent + self.text.unit
        reach = [closure(gradient.loss_uses, plan.steps) for _, gradient in found]
        within = [
            any(unit in steps for k, steps in enumerate(reach) if k != place)
            for place, (unit, _) in enumerate(found)
        ]
        nested = [pair for pair, is_inner in zip(found, within, strict=True) if is_inner]
        found = [pair for pair, is_inner in zip(found, within, strict=True) if not is_inner]
        with_gradient = {id(unit) for unit, _ in found}
        inside: set[Step] = set()
        for _, gradient in found:
            inside |= closure(gradient.loss_uses, plan.steps)
        block = _within(plan, units, inside)
        if (
            not found
            or any(id(u) in with_gradient for u in block)
            or any(gradient.kind != "gradients" for _, gradient in nested)
        ):
            raise Blocked(nested[-1][1].call, "gradients that come of each other")
        tape = self.namer.free(wish)
        self.namer.taken.discard(tape)
        kind = "persistent=True" if len(found) > 1 else ""
        out: list[tuple[Step | None, str]] = []
        out.append(
            (
                None,
                f"{indent}with {self.tf}.GradientTape({kind}) as {tape}:{nl}",
            )
        )
        named: list[str] = []
        watched = dict.fromkeys(s for _, gradient in found for s in gradient.watched)
        given = [s for s in watched if s.value.kind is Kind.PLACEHOLDER or s in plan.params]
        out.extend((None, f"{deeper}{tape}.watch({symbol.name}){nl}") for symbol in given)
        told = dict.fromkeys(self.source(n) for _, g in found for n in g.unwatched)
        out.extend((None, f"{deeper}{tape}.watch({source}){nl}") for source in told)
        for _, gradient in found if told else ():
            if ".watched_variables()" in self.variables(gradient, plan, tape):
                reason = "gradients by what is trained and by a variable that isn't, in one run"
                raise Blocked(gradient.call, reason)
        started = len(out)
        made = [s for s in watched if s not in given]
        if any(s.step not in block for s in made) or (nested and made):
            raise Blocked(found[0][1].call, "a gradient by a tensor of a helper")
        if nested:
            body = self._taped(plan, block, nested, deeper, f"inner_{wish}")
            out.extend((None, text) for _, text in body)
        for unit in () if nested else block:
            out.append((None, self.unit(plan, unit, deeper)[1]))
            if isinstance(unit, Step):
                here = [s.name for s in made if s.step is unit]
                out.extend((None, f"{deeper}{tape}.watch({name}){nl}") for name in here)
        for _, gradient in found:
            if isinstance(gradient.loss, (ast.Name, ast.Attribute)):
                named.append(self.source(gradient.loss))
            else:
                name = self._own("loss", plan, gradient)
                out.append((None, f"{deeper}{name} = {self.source(gradient.loss)}{nl}"))
                named.append(name)
        if len(out) == started:
            raise Blocked(found[0][1].call, "the loss isn't built here")
        before: list[tuple[Step | None, str]] = []  # the updates
        later: list[tuple[Step | None, str]] = []
        taken = _taken([unit for unit, _ in found], plan)
        waited = self._waited([unit for unit, _ in found], plan)
        moved: list[Step] = []  # behind what stood behind them
        for unit in units:
            if unit in block:
                continue
            if isinstance(unit, Step):
                self._apart(unit, moved)
            mine = [(g, loss) for (u, g), loss in zip(found, named, strict=True) if u is unit]
            if mine:
                assert isinstance(unit, Step)
                early, late = self._gradient(unit, mine, plan, tape, indent)
                out.append((None, early))
                later.append((None, late))
            else:
                target = out
                if unit not in taken and isinstance(unit, Step):
                    effects = self._effects(unit, plan)
                    target = later if effects - waited else before if effects else out
                    if target is not out:
                        moved.append(unit)
                target.append(self.unit(plan, unit, indent))
        return [(s, t) for s, t in (*out, *before, *later) if t]

    def _apart(self, step: Step, moved: Sequence[Step]) -> None:
        """See to it that a step doesn't bind a name anew that steps above it read behind it.

        Raises:
            Blocked: it does; it may get another name.
        """
        for symbol in defined(step):
            for one in moved:
                read = [s for s in used(one) if s.name == symbol.name and s is not symbol]
                if not read or symbol.attribute:
                    continue
                names = (n for n in walk(step.node) if isinstance(n, ast.Name))
                stores = [n for n in names if n.id == symbol.name and isinstance(n.ctx, ast.Store)]
                reason = f"`{symbol.name}` is bound again before an update reads it"
                if not stores:
                    raise Blocked(step.node, reason)
                again = rebound.Binding(symbol.name, stores[0])
                raise rebound.blocked(self.module, step.node, reason, [again])

    def _effects(self, step: Step, plan: Plan) -> set[Step]:
        """The updates that a step comes after: it is one, or waits for one, or uses its value."""
        reach = closure([*step.defs], plan.steps) | {step}
        return {s for s in reach if s.kind is Kind.OP}

    def _waited(self, units: Iterable[Unit], plan: Plan) -> set[Step]:
        """The ops that gradients wait for; what else waits for these needn't wait for more."""
        steps = [unit for unit in units if isinstance(unit, Step)]
        found = (self._effects(step, plan) for step in steps)
        return {s for each in found for s in each} - set(steps)

    def _local(self, wish: str, plan: Plan) -> str:
        names = {s.name for step in plan.steps for s in (*step.defs, *step.uses)}
        names |= {name for step in plan.steps for name in step.hosts}
        while wish in names:
            wish += "_"
        return wish

    def _own(self, wish: str, plan: Plan, gradient: Gradient, *, later: bool = True) -> str:
        """A name that no other update of the function needs later; ``later``: this one does."""
        first, count = wish, 1
        while True:
            name = self._local(wish, plan)
            if self.owners.get((id(plan), name), gradient) is gradient:
                if later:
                    self.owners[id(plan), name] = gradient
                return name
            count += 1
            wish = f"{first}_{count}"

    def _gradient(
        self,
        step: Step,
        mine: list[tuple[Gradient, str]],
        plan: Plan,
        tape: str,
        indent: str,
    ) -> tuple[str, str]:
        """A differentiating step after its tape: what is computed, and what is updated later."""
        nl = self.text.newline
        replaced: list[tuple[int, int, str]] = []
        early: list[str] = []
        for gradient, loss in mine:
            sources = self.variables(gradient, plan, tape)
            self.module.trained[id(gradient.call)] = sources
            variables = sources
            self.shared.trains(gradient, sources)
            if gradient.kind == "minimize":
                assert gradient.optimizer is not None
                prefix = self._prefix(gradient, plan)
                grads = self._own(prefix + "gradients", plan, gradient)
                if not sources.isidentifier():
                    variables = self._own(prefix + "variables", plan, gradient)
                    early.append(f"{indent}{variables} = {sources}{nl}")
                if not holds(step.node, gradient.optimizer.call):  # else it has the comment
                    early.insert(0, self.above(step, indent))
                value = f"{tape}.gradient({loss}, {variables})"
                if once := self.once(gradient.optimizer):
                    dense = f"{once}(g)"
                    if unconnected.possible(self, plan, gradient):
                        dense += " if g is not None else None"
                    value = f"[{dense} for g in {value}]"
                early.append(f"{indent}{grads} = {value}{nl}")
                name = self.optimizers[id(gradient.optimizer.call)]
                late = self.rated(gradient.optimizer, name, indent)
                said = self.text.behind(step.node) if isinstance(step.node, SIMPLE) else ""
                late += f"{indent}{name}.apply_gradients(zip({grads}, {variables})){said}{nl}"
                late += self.counted(gradient.global_step, indent)
                return "".join(early), late
            span = self.text.index.span(gradient.call)
            if gradient.kind == "compute_gradients":
                if (names := _unzipped(step.node, gradient.call)) is not None:
                    of, by = map(self.source, names)
                    early.append(f"{indent}{by} = {sources}{nl}")
                    early.append(f"{indent}{of} = {tape}.gradient({loss}, {by}){nl}")
                    return "".join(early), ""
                variables = self._own("variables", plan, gradient, later=False)
                early.append(f"{indent}{variables} = {sources}{nl}")
                pairs = f"zip({tape}.gradient({loss}, {variables}), {variables})"
                replaced.append((*span, f"list({pairs})"))
            else:
                first = self._first(step, gradient)
                if first is not None and gradient.variables is not None:
                    span, sources = self.text.index.span(first), self.source(gradient.variables)
                weights = gradient.weights
                given = f", output_gradients={self.source(weights)}" if weights is not None else ""
                replaced.append((*span, f"{tape}.gradient({loss}, {sources}{given})"))
        early.append(self.step(step, indent, replaced))
        return "".join(early), ""

    @staticmethod
    def _first(step: Step, gradient: Gradient) -> ast.Subscript | None:
        """``tf.gradients(y, x)[0]``: the gradient itself, out of the list of one."""
        for n in walk(step.node):
            if isinstance(n, ast.Subscript) and n.value is gradient.call and gradient.single:
                if isinstance(n.slice, ast.Constant) and n.slice.value == 0:
                    return n
        return None

    def rated(self, optimizer: Optimizer, name: str, indent: str) -> str:
        """The optimizer's learning rate, where each step has its own."""
        rate = optimizers.rate(optimizer, self.walker)
        if rate is None:
            return ""
        if isinstance(rate, Schedule):
            schedule = next((s for s in optimizer.uses if s.value.data is rate), None)
            if schedule is None:
                raise Blocked(rate.call, "a decay without a name, which no optimizer counts")
            source = f"{self.ref(schedule)}({self.ref(rate.step)})"
        else:
            source = self.source(rate)
            if self._shapeless(rate):
                source = f"{self.tf}.reshape({source}, [])"  # Keras asks for a number's shape
        return f"{indent}{name}.learning_rate.assign({source}){self.text.newline}"

    def _shapeless(self, node: ast.expr) -> bool:
        """Whether a number comes of placeholders whose shape isn't given."""
        walker = self.walker
        found = (walker.meant.get(id(n), walker.attributes.get(id(n))) for n in walk(node))
        todo, seen = [s for s in found if s is not None], set[Symbol]()
        while todo:
            symbol = todo.pop()
            if symbol in seen:
                continue
            seen.add(symbol)
            todo += symbol.step.uses
            call = symbol.value.node
            if symbol.value.kind is Kind.PLACEHOLDER and isinstance(call, ast.Call):
                name = walker.endpoints.get(id(call.func), "")
                shape = walker.bound(name, call).get("shape")
                if name == "tensorflow.placeholder" and (
                    shape is None or (isinstance(shape, ast.Constant) and shape.value is None)
                ):
                    return True
        return False

    def counted(self, step: ast.expr | None, indent: str) -> str:
        """The global step, one further."""
        if step is None or (isinstance(step, ast.Constant) and step.value is None):
            return ""
        return f"{indent}{self.source(step)}.assign_add(1){self.text.newline}"

    def _prefix(self, gradient: Gradient, plan: Plan) -> str:
        """Before `variables` and `gradients` where a function has several optimizers."""
        count = sum(len(gradients(s, self.walker)) for s in plan.steps)
        if count < 2 or gradient.optimizer is None:
            return ""
        name = self.optimizers[id(gradient.optimizer.call)]
        head = name.removeprefix("self.").lower().replace("optimizer", "").strip("_")
        return f"{head}_" if head else ""

    def once(self, optimizer: Optimizer) -> str | None:
        """What makes rows of sparse gradients single, as TF 1's optimizers add them up.

        A dense gradient does. One optimizer or another may need the rows that there are.
        """
        made = [o.endpoint.rpartition(".")[2] for o in (optimizer, *optimizer.others)]
        if not self.sparse.get(id(optimizer.call), False) or ROWS.issuperset(made):
            return None
        if not row_optimizers.ROWS.intersection(made):
            return f"{self.tf}.convert_to_tensor"
        self.module.need("sum_rows", SUM_ROWS.replace("{tf}", self.tf))
        return "sum_rows"

    def variables(self, gradient: Gradient, plan: Plan, tape: str) -> str:
        """The variables that TF 1 would have trained, as source."""
        behind_feeds.check(self.walker, plan, gradient)
        if gradient.variables is not None:
            source = self.source(gradient.variables)
            return f"[{source}]" if gradient.single else source
        used = untrained.used(self, plan, gradient)
        if any(untrained.is_frozen(self.walker, layer) for layer in used):
            # Keras's variables are watched whether they are trained or not.
            return untrained.listed(self, used, plan, gradient)
        if plan.borrowed or self._opaque(plan, gradient):
            return f"{tape}.watched_variables()"
        names: list[str] = []
        found = slots.reached(self.walker, gradient.loss_uses)
        symbols = [s for s in found if s.value.kind is Kind.VARIABLE]
        for symbol in sorted(symbols, key=lambda s: (s.step.order, s.name)):
            value = symbol.value
            if parts.item(value) or any(parts.item(v) for _, v in value.items or ()):
                return f"{tape}.watched_variables()"  # objects that have variables
            if symbol.step.moves or _partly(symbol):  # of a loop, or of one way of a branch
                return f"{tape}.watched_variables()"
            if symbol.attribute and symbol.step.region is not plan.region:  # another object's
                return f"{tape}.watched_variables()"
            nodes = [value.node] if value.items is None else [v.node for _, v in value.items]
            trained = {self.walker.trains(node) for node in nodes}
            if trained == {False}:
                continue
            if trained != {True}:
                return f"{tape}.watched_variables()"
            if value.items is None and value.data != "container" and value.node is not None:
                names.append(self.ref(symbol))
            elif value.items is not None and isinstance(value.items[0][0], str):
                names.append(f"*{self.ref(symbol)}.values()")
            else:
                return f"{tape}.watched_variables()"
        layered = any(
            id(n) in self.walker.layers
            for step in closure(gradient.loss_uses, plan.steps)
            for n in walk(step.node)
        )
        layered = layered or "recurrent" in self.walker.kept
        if not names or layered or len(names) > LISTED or self._hidden(plan, gradient):
            return f"{tape}.watched_variables()"
        return f"[{', '.join(names)}]"

    def _opaque(self, plan: Plan, gradient: Gradient) -> bool:
        """Whether a function that the loss is computed with reads what isn't seen of an object."""
        opaque = self.walker.kept.get(("opaque",), ())
        return bool(opaque) and any(
            id(n) in opaque
            for step in closure(gradient.loss_uses, plan.steps)
            for root in (step.node, *(getattr(s.value.data, "node", None) for s in step.uses))
            if isinstance(root, ast.AST)
            for n in walk(root)
        )

    def _hidden(self, plan: Plan, gradient: Gradient) -> bool:
        """Whether a dict's entries may not all be read by the loss."""
        for step in closure(gradient.loss_uses, plan.steps):
            for s in step.uses:
                if s.value.kind is Kind.VARIABLE and s.value.items is not None:
                    read = {
                        n.slice.value
                        for other in closure(gradient.loss_uses, plan.steps)
                        for n in all_of(other.node, ast.Subscript)
                        if isinstance(n.value, ast.Name)
                        and n.value.id == s.name
                        and isinstance(n.slice, ast.Constant)
                    }
                    if read and read != {key for key, _ in s.value.items}:
                        return True
        return False


def _partly(symbol: Symbol) -> bool:
    """Whether a branch has a way on which a variable isn't made."""
    last = symbol.name.rpartition(".")[2]

    def binds(body: list[ast.stmt]) -> bool:
        return any(
            binds(stmt.body) and binds(stmt.orelse)
            if isinstance(stmt, ast.If)
            else any(
                last == getattr(n, "id", getattr(n, "attr", None))
                and isinstance(getattr(n, "ctx", None), ast.Store)
                for n in walk(stmt)
            )
            for stmt in body
        )

    return isinstance(symbol.step.node, ast.If) and not binds([symbol.step.node])


def _unzipped(node: ast.AST, call: ast.Call) -> list[ast.expr] | None:
    """The two names in ``gradients, variables = zip(*optimizer.compute_gradients(loss))``."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    target, value = node.targets[0], node.value
    zipped = isinstance(value, ast.Call) and getattr(value.func, "id", "") == "zip"
    if not zipped or not isinstance(value, ast.Call) or value.keywords or len(value.args) != 1:
        return None
    given = value.args[0]
    whole = isinstance(given, ast.Starred) and given.value is call
    if not whole or not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != 2:
        return None
    return target.elts if all(isinstance(n, ast.Name) for n in target.elts) else None


def _within(plan: Plan, units: Sequence[Unit], inside: set[Step]) -> list[Unit]:
    """What a tape sees: the steps that are given, and all that helpers which have them take."""
    while True:
        block = [
            u
            for u in units
            if (u in inside if isinstance(u, Step) else any(s in inside for s in u.steps))
        ]
        calls = [u for u in block if not isinstance(u, Step)]
        more = set().union(*(closure(used(u), plan.steps) for u in calls)) - inside
        if not more:
            return block
        inside |= more


def _taken(steps: Iterable[Unit], plan: Plan) -> set[Unit]:
    """What steps that differentiate take, as lists of variables, which wait for no update."""
    inside = set(plan.steps)
    found: set[Unit] = set()
    todo = [step for step in steps if isinstance(step, Step)]
    while todo:
        more = [s.step for s in todo.pop().uses]
        todo += [s for s in more if s in inside and s not in found and s.kind is not Kind.OP]
        found.update(todo)
    return found
