"""Functions from plans: a `tf.function` for each kind of run, plain ones for what they share."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.programs.graph import datasets as graph_datasets
from migrate.programs.graph.model import Blocked, Fetch, Kind, Step, Symbol
from migrate.programs.graph.slices import (
    Group,
    Invoked,
    Plan,
    Unit,
    closure,
    defined,
    gradients,
    has_value,
    nested,
)
from migrate.programs.graph.walk import Apply, Gradient, Layer, Optimizer, Schedule, Walker
from migrate.rewriters.sessions import datasets, losses, optimizers
from migrate.rewriters.sessions.lines import CLOSE, OPEN
from migrate.rewriters.sessions.naming import Namer
from migrate.rewriters.sessions.text import Text

SPARSE = (
    *("embedding_lookup", "gather", "nce_loss", "sampled_softmax_loss", "embedding_lookup_sparse"),
    *("sparse_tensor_dense_matmul", "safe_embedding_lookup_sparse"),
)
LISTED = 6  # more variables than these and the tape is asked for them


class Functions:
    """Writes the functions of one region."""

    def __init__(self, text: Text, walker: Walker, tf: str, namer: Namer) -> None:
        self.text = text
        self.walker = walker
        self.tf = tf
        self.namer = namer
        self.optimizers: dict[int, str] = {}  # a made optimizer's name, by the call that makes it
        self.sparse: dict[int, bool] = {}
        self.layers: dict[int, str] = {}  # a layer's name, by the call that it was
        self.floor: dict[Step, int] = {}  # the last line before a step
        self.module: Any = None  # the module's writer

    # -- optimizers ----------------------------------------------------------------------

    def prepare(self, plans: Sequence[Plan]) -> None:
        """Name the optimizers and see which get sparse gradients."""
        for plan in plans:
            for step in plan.steps:
                for gradient in gradients(step, self.walker):
                    if gradient.optimizer is None:
                        continue
                    key = id(gradient.optimizer.call)
                    inside = closure(gradient.loss_uses, plan.steps)
                    self.sparse[key] = self.sparse.get(key, False) or any(map(self._sparse, inside))
                    if gradient.optimizer.symbol is not None:
                        self.optimizers[key] = self.ref(gradient.optimizer.symbol)
                    elif key not in self.optimizers:
                        self.optimizers[key] = self._optimizer_name(step)

    def name_layers(self, step: Step) -> list[tuple[str, Layer]]:
        """The layers of a step, the innermost first, under names of their own."""
        found = [
            self.walker.layers[id(n)]
            for n in ast.walk(step.node)
            if isinstance(n, ast.Call) and id(n) in self.walker.layers
        ]
        found.reverse()
        found.sort(key=lambda layer: layer.same is not None)  # what is used again is named first
        target = step.defs[0].name if len(step.defs) == 1 else ""
        named = []
        for layer in found:
            key = id(layer.call)
            if layer.same is not None:
                self.layers[key] = self.layers[id(layer.same)]
                continue
            if key not in self.layers:
                kind = layer.endpoint.rpartition(".")[2]
                if layer.factory is not None:
                    kind = layer.factory.name
                own = layer.given.get("name")
                said = str(own.value) if isinstance(own, ast.Constant) else ""
                wish = f"{target}_layer" if target and len(found) == 1 else f"{said or kind}_layer"
                if not wish.isidentifier():
                    wish = f"{kind}_layer"
                self.layers[key] = self.namer.free(wish.lower() if not target else wish)
            named.append((self.layers[key], layer))
        return named

    def _optimizer_name(self, step: Step) -> str:
        name = step.defs[0].name if len(step.defs) == 1 else ""
        if "opt" in name.lower() and not name.lower().endswith("_op"):
            return name  # it was the train op's, which is no more
        low = name.lower()
        for word in ("train", "solver", "step", "op", "_"):
            low = low.replace(word, "_" if word == "_" else "")
        low = low.strip("_")
        low = low if low.isidentifier() else name.lower()
        alone = len({id(g.optimizer) for g in self.walker.gradients.values() if g.optimizer}) < 2
        wishes = ["optimizer"] if alone or not low else []
        return self.namer.free(*wishes, f"{low}_optimizer" if low else "optimizer")

    def _sparse(self, step: Step) -> bool:
        stack: list[ast.AST] = [step.node]
        seen: set[int] = set()
        while stack:
            for n in ast.walk(stack.pop()):
                name = self.walker.endpoints.get(id(n), "")
                if name.rpartition(".")[2] in SPARSE:
                    return True
                if isinstance(n, ast.Call) and isinstance(n.func, ast.Name):
                    callee = self.walker._module_function(n.func.id)
                    if callee is not None and id(callee) not in seen:
                        seen.add(id(callee))
                        stack.append(callee)
        return False

    # -- functions -----------------------------------------------------------------------

    def plan(self, plan: Plan, indent: str) -> str:
        """A run's function."""
        params = [self.parameter(s) for s in plan.params]
        deeper = indent + self.text.unit
        body = self.body(plan, plan.units, deeper)
        results = self.results(plan)
        if not results:
            body += [
                (None, f"{deeper}{self.source(leaf.node)}{self.text.newline}")
                for leaf in plan.ops
                if hasattr(leaf.value.data, "read")
            ]
        if plan.units and not isinstance(plan.units[-1], Step) and results:
            last = plan.units[-1]
            if results == [s.name for s in defined(last)] and body[-1][1].endswith(
                f"{self.call(last)}{self.text.newline}"
            ):
                body[-1] = (None, f"{deeper}return {self.call(last)}{self.text.newline}")
                results = []
        return self._assemble(
            plan.name, params, body, results, indent, self._decorator(plan.params)
        )

    def group(self, group: Group, indent: str) -> str:
        """A helper, or the function of the plan that is nothing but this group."""
        deeper = indent + self.text.unit
        body = [(step, self.step(step, deeper)) for step in group.steps]
        decorator = self._decorator(group.params) if group.plan is not None else ""
        results = [s.name for s in group.results]
        if group.plan is not None:
            results = self.results(group.plan)
        params = [self.parameter(s) if group.plan else s.name for s in group.params]
        return self._assemble(group.name, params, body, results, indent, decorator)

    def factory(self, plan: Plan, indent: str) -> str:
        """What a function that makes variables comes to return: they are applied in it."""
        deeper = indent + self.text.unit
        body = [(step, self.step(step, deeper)) for step in plan.steps]
        params = [s.name for s in plan.params]
        fetch = plan.fetch
        results = [self.source(f.node) for f in fetch.leaves()]
        if fetch.shape == "list":
            results = [f"[{', '.join(results)}]"]
        return self._assemble(plan.name, params, body, results, indent, "")

    def _decorator(self, params: Sequence[Symbol]) -> str:
        if not params:
            return f"@{self.tf}.function"
        if all(s.value.kind is Kind.PLACEHOLDER for s in params):
            specs = datasets.specs(params, self.ref)
            return f"@{self.tf}.function({specs})"
        return f"@{self.tf}.function"

    def results(self, plan: Plan) -> list[str]:
        """What a plan's function gives, as source."""
        begun = any(graph_datasets.begins(site) for site in plan.sites)
        if not begun and all(self.unused(site.stmt, site.node) for site in plan.sites):
            return []
        if nested(plan.fetch):
            return [self.structure(plan.fetch)]
        out = []
        for leaf in plan.results:
            source = self.source(leaf.node)
            if leaf.value.kind is Kind.VARIABLE and not hasattr(leaf.value.data, "read"):
                source += ".read_value()"
            out.append(source)
        return out

    def parameter(self, symbol: Symbol) -> str:
        """A parameter, with the default that a placeholder had."""
        known = self.walker.defaults.get(id(symbol.value.node))
        if known is None:
            return symbol.name
        return f"{symbol.name}={self.text.source(known[0]['input'])}"

    def structure(self, fetch: Fetch) -> str:
        """Fetches in the structure that the author gave them."""
        if fetch.items is None:
            if not has_value(fetch):
                raise Blocked(fetch.node, "a train op among nested fetches")
            source = self.source(fetch.node)
            kept = fetch.value.kind is Kind.VARIABLE and not hasattr(fetch.value.data, "read")
            return f"{source}.read_value()" if kept else source
        parts = [self.structure(f) for f in fetch.items]
        if fetch.shape == "dict":
            keys = [self.text.source(k) for k in fetch.keys or []]
            pairs = ", ".join(f"{k}: {v}" for k, v in zip(keys, parts, strict=True))
            return "{" + pairs + "}"
        if fetch.shape == "tuple":
            return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        return f"[{', '.join(parts)}]"

    @staticmethod
    def ref(symbol: Symbol) -> str:
        """A symbol that stays where it is, as its region writes it."""
        return f"self.{symbol.name}" if symbol.attribute else symbol.name

    def source(self, node: ast.AST) -> str:
        """An expression as a function has it: an object's tensors are names there."""
        start, end = self.text.index.span(node)
        out, at = [], start
        for lo, hi, new in sorted(self.attributes(node)):
            out += [self.text.text[at:lo], new]
            at = hi
        return "".join(out) + self.text.text[at:end]

    def attributes(self, node: ast.AST) -> list[tuple[int, int, str]]:
        """What is written otherwise in a function: an object's tensors, calls of layers."""
        found = self._layer_calls(node)
        return found + [
            (*self.text.index.span(n), symbol.name)
            for n in ast.walk(node)
            if isinstance(n, ast.Attribute)
            and (symbol := self.walker.attributes.get(id(n))) is not None
            and (symbol.step.moves or symbol.value.kind is Kind.PLACEHOLDER)
            and not any(lo <= self.text.index.span(n)[0] < hi for lo, hi, _ in found)
        ]

    def _layer_calls(self, node: ast.AST) -> list[tuple[int, int, str]]:
        """The outermost calls of layers in a node, each with those inside it."""
        stack, found = [node], []
        while stack:
            n = stack.pop()
            if isinstance(n, ast.Call) and id(n) in self.layers:
                layer = self.walker.layers[id(n)]
                given = layer.tensors or [layer.given["inputs"]]
                inputs = ", ".join(map(self.source, given))
                found.append((*self.text.index.span(n), f"{self.layers[id(n)]}({inputs})"))
            elif id(n) in self.walker.rewrites:
                found.append((*self.text.index.span(n), self.walker.rewrites[id(n)](self)))
            elif isinstance(n, ast.Call) and id(n) in self.walker.losses:
                name = self.walker.losses[id(n)]
                new = losses.source(name, n, self.walker, self.source, self.tf)
                found.append((*self.text.index.span(n), new))
            else:
                stack.extend(ast.iter_child_nodes(n))
        return found

    @staticmethod
    def unused(stmt: ast.stmt, node: ast.expr) -> bool:
        """Whether a statement is the expression and nothing else."""
        return isinstance(stmt, ast.Expr) and stmt.value is node

    def _assemble(
        self,
        name: str,
        params: list[str],
        body: Sequence[tuple[Step | None, str]],
        results: list[str],
        indent: str,
        decorator: str,
    ) -> str:
        nl, deeper = self.text.newline, indent + self.text.unit
        head = f"{indent}{decorator}{nl}" if decorator else ""
        out = f"{head}{indent}def {name}({', '.join(params)}):{nl}"
        texts = [text for _, text in body]
        if len(results) == 1 and body and body[-1][0] is not None:
            folded = self._folded(body[-1][0], texts[-1], results[0])
            if folded is not None:
                return out + "".join([*texts[:-1], folded])
        if results:
            texts.append(f"{deeper}return {', '.join(results)}{nl}")
        if not texts:
            raise Blocked(ast.Pass(lineno=1, col_offset=0), "a function with nothing in it")
        return out + "".join(texts)

    def _folded(self, step: Step, text: str, result: str) -> str | None:
        """The last assignment as the return statement."""
        node = step.node
        if (
            isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and [s.name for s in step.defs] == [result]
        ):
            before, _, after = (
                text.rpartition(f"{result} = ") if text.count(f"{result} = ") == 1 else ("", "", "")
            )
            if after and (
                not before.strip() or before.rstrip().splitlines()[-1].lstrip().startswith("#")
            ):
                return f"{before}return {after}"
        return None

    # -- bodies --------------------------------------------------------------------------

    def body(self, plan: Plan, units: Sequence[Unit], indent: str) -> list[tuple[Step | None, str]]:
        """A function's statements, with tapes around what is differentiated."""
        found = [
            (unit, gradient)
            for unit in units
            if isinstance(unit, Step)
            for gradient in gradients(unit, self.walker)
        ]
        if not found:
            return [self.unit(plan, unit, indent) for unit in units]
        return self._taped(plan, units, found, indent)

    def _taped(
        self,
        plan: Plan,
        units: Sequence[Unit],
        found: Sequence[tuple[Unit, Gradient]],
        indent: str,
    ) -> list[tuple[Step | None, str]]:
        nl, deeper = self.text.newline, indent + self.text.unit
        with_gradient = {id(unit) for unit, _ in found}
        inside: set[Step] = set()
        for _, gradient in found:
            inside |= closure(gradient.loss_uses, plan.steps)
        block = [
            u
            for u in units
            if (u in inside if isinstance(u, Step) else any(s in inside for s in u.steps))
        ]
        if any(id(u) in with_gradient for u in block):
            raise Blocked(found[-1][1].call, "a gradient of what comes of a gradient")
        tape = self.namer.free("tape")
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
        out.extend((None, self.unit(plan, unit, deeper)[1]) for unit in block)
        for _, gradient in found:
            if isinstance(gradient.loss, (ast.Name, ast.Attribute)):
                named.append(self.source(gradient.loss))
            else:
                name = self._local("loss", plan)
                out.append((None, f"{deeper}{name} = {self.source(gradient.loss)}{nl}"))
                named.append(name)
        if len(out) == 1:
            raise Blocked(found[0][1].call, "the loss isn't built here")
        later: list[tuple[Step | None, str]] = []
        for unit in units:
            if unit in block:
                continue
            mine = [(g, loss) for (u, g), loss in zip(found, named, strict=True) if u is unit]
            if mine:
                assert isinstance(unit, Step)
                early, late = self._gradient(unit, mine, plan, tape, indent)
                out.append((None, early))
                later.append((None, late))
            else:
                target = later if isinstance(unit, Step) and self._effect(unit, plan) else out
                target.append(self.unit(plan, unit, indent))
        return [(s, t) for s, t in (*out, *later) if t]

    def _effect(self, step: Step, plan: Plan) -> bool:
        """Whether a step comes after an update: it is one, or waits for one, or uses its value."""
        reach = closure([*step.defs], plan.steps) | {step}
        return any(s.kind is Kind.OP for s in reach)

    def _local(self, wish: str, plan: Plan) -> str:
        names = {s.name for step in plan.steps for s in (*step.defs, *step.uses)}
        names |= {name for step in plan.steps for name in step.hosts}
        while wish in names:
            wish += "_"
        return wish

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
            variables = sources
            if gradient.kind == "minimize":
                assert gradient.optimizer is not None
                prefix = self._prefix(gradient, plan)
                grads = self._local(prefix + "gradients", plan)
                if not sources.isidentifier():
                    variables = self._local(prefix + "variables", plan)
                    early.append(f"{indent}{variables} = {sources}{nl}")
                value = f"{tape}.gradient({loss}, {variables})"
                if self.sparse.get(id(gradient.optimizer.call)) and not self._plain_sgd(gradient):
                    value = f"[{self.tf}.convert_to_tensor(g) for g in {value}]"
                early.append(f"{indent}{grads} = {value}{nl}")
                name = self.optimizers[id(gradient.optimizer.call)]
                late = self.rated(gradient.optimizer, name, indent)
                late += f"{indent}{name}.apply_gradients(zip({grads}, {variables})){nl}"
                late += self.counted(gradient.global_step, indent)
                return "".join(early), late
            span = self.text.index.span(gradient.call)
            if gradient.kind == "compute_gradients":
                variables = self._local("variables", plan)
                early.append(f"{indent}{variables} = {sources}{nl}")
                pairs = f"zip({tape}.gradient({loss}, {variables}), {variables})"
                replaced.append((*span, f"list({pairs})"))
            else:
                replaced.append((*span, f"{tape}.gradient({loss}, {variables})"))
        early.append(self.step(step, indent, replaced))
        return "".join(early), ""

    def rated(self, optimizer: Optimizer, name: str, indent: str) -> str:
        """The optimizer's learning rate, where each step has its own."""
        rate = optimizers.rate(optimizer, self.walker)
        if rate is None:
            return ""
        if isinstance(rate, Schedule):
            schedule = next(s for s in optimizer.uses if s.value.data is rate)
            source = f"{self.ref(schedule)}({self.ref(rate.step)})"
        else:
            source = self.source(rate)
        return f"{indent}{name}.learning_rate.assign({source}){self.text.newline}"

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
        head = name.lower().replace("optimizer", "").strip("_")
        return f"{head}_" if head else ""

    def _plain_sgd(self, gradient: Gradient) -> bool:
        assert gradient.optimizer is not None
        return gradient.optimizer.endpoint.endswith("GradientDescentOptimizer")

    def variables(self, gradient: Gradient, plan: Plan, tape: str) -> str:
        """The variables that TF 1 would have trained, as source."""
        if gradient.variables is not None:
            return self.source(gradient.variables)
        names: list[str] = []
        symbols = {
            s: None
            for step in sorted(closure(gradient.loss_uses, plan.steps), key=lambda s: s.order)
            for s in step.uses
            if s.value.kind is Kind.VARIABLE
        }
        symbols.update({s: None for s in gradient.loss_uses if s.value.kind is Kind.VARIABLE})
        for symbol in sorted(symbols, key=lambda s: (s.step.order, s.name)):
            value = symbol.value
            if not trainable(value.node):
                continue
            if value.items is None and value.data != "container" and value.node is not None:
                names.append(self.ref(symbol))
            elif value.items is not None and isinstance(value.items[0][0], str):
                names.append(f"*{self.ref(symbol)}.values()")
            else:
                return f"{tape}.watched_variables()"
        layered = any(
            id(n) in self.walker.layers
            for step in closure(gradient.loss_uses, plan.steps)
            for n in ast.walk(step.node)
        )
        if not names or layered or len(names) > LISTED or self._hidden(plan, gradient):
            return f"{tape}.watched_variables()"
        return f"[{', '.join(names)}]"

    def _hidden(self, plan: Plan, gradient: Gradient) -> bool:
        """Whether a dict's entries may not all be read by the loss."""
        for step in closure(gradient.loss_uses, plan.steps):
            for s in step.uses:
                if s.value.kind is Kind.VARIABLE and s.value.items is not None:
                    read = {
                        n.slice.value
                        for other in closure(gradient.loss_uses, plan.steps)
                        for n in ast.walk(other.node)
                        if isinstance(n, ast.Subscript)
                        and isinstance(n.value, ast.Name)
                        and n.value.id == s.name
                        and isinstance(n.slice, ast.Constant)
                    }
                    if read and read != {key for key, _ in s.value.items}:
                        return True
        return False

    def unit(self, plan: Plan, unit: Unit, indent: str) -> tuple[Step | None, str]:
        """One unit of a function: a statement, or the call of a helper."""
        if not isinstance(unit, Step):
            names = ", ".join(s.name for s in defined(unit))
            return None, f"{indent}{names} = {self.call(unit)}{self.text.newline}"
        if unit.kind is Kind.OP:
            return unit, self.op(unit, plan, indent)
        return unit, self.step(unit, indent)

    @staticmethod
    def call(unit: Group | Invoked) -> str:
        """The call of a function in another one."""
        name, params = (
            (unit.name, unit.params)
            if isinstance(unit, Group)
            else (unit.plan.name, unit.plan.params)
        )
        return f"{name}({', '.join(s.name for s in params)})"

    def op(self, step: Step, plan: Plan, indent: str) -> str:
        """An op that isn't a train op: an assignment, a group, gradients that are applied."""
        value = step.value
        assert value is not None
        data = value.data
        if data == "group":
            return self.parts(step, plan, indent)
        if isinstance(data, Apply):
            span = self.text.index.span(data.call)
            name = self.optimizers.get(id(data.optimizer.call)) or self.made(data)
            source = self.source(
                data.call.args[0] if data.call.args else data.call.keywords[0].value
            )
            call = f"{name}.apply_gradients({source})"
            before = self.rated(data.optimizer, name, indent)
            applied = self._bare(step, indent, span, call)
            return before + applied + self.counted(data.global_step, indent)
        if data == "assign":
            node = step.node
            wanted = any(
                s in other.uses for other in plan.steps for s in step.defs if other is not step
            ) or any(s in leaf.uses for leaf in plan.results for s in step.defs)
            used = not all(self.unused(site.stmt, site.node) for site in plan.sites)
            if isinstance(node, ast.Assign) and not (wanted and used):
                return self._bare(
                    step,
                    indent,
                    self.text.index.span(node.value),
                    self.source(node.value),
                )
            return self.step(step, indent)
        raise Blocked(step.node, "this op isn't followed")

    def parts(self, step: Step, plan: Plan, indent: str) -> str:
        """The ops that a group makes itself; the others are statements of the function already."""
        nl = self.text.newline
        out: list[str] = []
        assert step.value is not None
        assert isinstance(step.value.node, ast.Call)
        stack = list(step.value.node.args)
        while stack:
            node = stack.pop(0)
            if isinstance(node, ast.Starred):
                node = node.value
            if isinstance(node, (ast.List, ast.Tuple)):
                stack = [*node.elts, *stack]
            elif isinstance(node, ast.Call) and id(node) in self.walker.gradients:
                raise Blocked(node, "a train op that is made inside a group")
            elif isinstance(node, ast.Call) and id(node) not in self.walker.applies:
                out.append(f"{indent}{self.source(node)}{nl}")
            elif isinstance(node, ast.Call):
                raise Blocked(node, "gradients that are applied inside a group")
            elif id(node) in self.walker.rewrites:
                out.append(f"{indent}{self.source(node)}{nl}")
            elif not isinstance(node, (ast.Name, ast.Attribute)):
                raise Blocked(node, "this part of a group isn't followed")
        piece = self.text.piece(step.node, self.floor.get(step, 0))
        comments = ""
        if out and piece.first < piece.line:
            comments = self.text.render(piece.first, piece.line - 1, piece.indent, indent)
        return comments + "".join(out)

    def made(self, data: Apply) -> str:
        """The name of an optimizer that only applies."""
        symbol = data.optimizer.symbol
        if symbol is None:
            raise Blocked(data.call, "an optimizer without a name")
        return self.ref(symbol)

    def _bare(self, step: Step, indent: str, span: tuple[int, int], source: str) -> str:
        """A statement as its right-hand side only."""
        piece = self.text.piece(step.node, self.floor.get(step, 0))
        start = self.text.index.span(step.node)[0]
        inner = [r for r in self.attributes(step.node) if r[0] >= span[1]]
        return self.text.render(
            piece.first, piece.last, piece.indent, indent, [(start, span[1], source), *inner]
        )

    def step(self, step: Step, indent: str, replaced: Sequence[tuple[int, int, str]] = ()) -> str:
        """A statement as the author wrote it, with its comments."""
        piece = self.text.piece(step.node, self.floor.get(step, 0))
        spans = [(lo, hi) for lo, hi, _ in replaced]
        inner = [
            r
            for r in self.attributes(step.node)
            if not any(lo <= r[0] and r[1] <= hi for lo, hi in spans)
        ]
        text = self.text.render(piece.first, piece.last, piece.indent, indent, [*replaced, *inner])
        if isinstance(step.node, ast.FunctionDef):
            return f"{OPEN}1\n{text}{CLOSE}1\n"
        return text


def trainable(node: ast.AST | None) -> bool:
    """Whether a variable is trained by default."""
    if not isinstance(node, ast.Call):
        return True
    return not any(
        k.arg == "trainable" and isinstance(k.value, ast.Constant) and k.value.value is False
        for k in node.keywords
    )


def source_of(fetch: Fetch, text: Text) -> str:
    """A fetch as written."""
    return text.source(fetch.node)
