"""The class that a model_fn becomes: `__init__`, `call` and a step for each mode, as text."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators import templates
from migrate.rewriters.estimators.callbacks import spec_hooks, summary_hooks
from migrate.rewriters.estimators.data import tables
from migrate.rewriters.estimators.evaluation import derived_metrics, metrics
from migrate.rewriters.estimators.heads_and_columns.columns import columns
from migrate.rewriters.estimators.models import begins, objects
from migrate.rewriters.estimators.models.inits import Inits
from migrate.rewriters.estimators.models.modes import Mode
from migrate.rewriters.estimators.models.specs import target
from migrate.rewriters.estimators.naming import named_known
from migrate.rewriters.estimators.optimizing import (
    averages,
    counted_twice,
    several,
    training,
    var_lists,
)
from migrate.rewriters.estimators.optimizing.training import argument, method
from migrate.rewriters.estimators.runs import config, strategies
from migrate.rewriters.estimators.syntax import reads, stores

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.model_fn import Model

ONLY = "only_with_data"  # what a step is decorated with that runs alone


class Methods(Inits):
    """A class's text, once what each method has is known."""

    def _class(self) -> str:
        line = self.text.lines[self.function.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        one, two = indent + self.text.unit, indent + 2 * self.text.unit
        if self.twice:
            counted_twice.possible(self)
        said = ast.get_docstring(self.function)
        base = f"{self.tf}.keras.Model"
        if self.replicated:
            base = "Replicated"
            self._on_replicas()
            strategies.need(self.program, self.function)
        if self.by_name is not None:
            begins.possible(self)
        if self.saved:
            if not self.forward:
                raise Blocked(self.function, "a `model_dir` of a model without a forward pass")
            begins_with = self.by_name is not None and self.by_name.begins
            if self.update is None and not begins_with:
                raise Blocked(self.function, "a `model_dir` of a model that isn't trained here")
            base = "Checkpointed"
            source = self._checkpointed()
            modules = ["import math", "import tempfile", "import time"]
            self.program.need(self.function, base, source, modules)
            before = self.needed[base]
            if before != source and self.by_name is not None:
                both = self._checkpointed(both=True)
                known = {self._checkpointed(begins=b) for b in (True, False)} | {both}
                self.needed[base] = source = both if before in known else source
            if self.needed[base] != source:
                raise Blocked(self.function, "models whose checkpoints are of several kinds")
        out = f"class {self.name}({base}):\n"
        if said:
            out += f'{one}"""{said.strip().splitlines()[0]}"""\n\n'
        methods = [self._call(one, two)] if self.forward else []
        if self.update is not None and self.update.separate:
            methods.append(several.trained(self, self.update, one, two))
        if self.saved and (late := self._late()) is not None:
            methods.append(self._restore(late, one, two))
        if self.by_name is not None and self.by_name.begins:
            methods.append(begins.begin(self, one, two))
            if not self.saved:
                methods.append(begins.predicts(self, one, two))
        elif self.by_name is not None and self.saved:
            code = named_known.sources()["NamedCheckpoints"]
            self.program.need(self.function, "NamedCheckpoints", code, named_known.imports(code))
        methods += [self._step(mode, one, two) for mode in self.modes]
        for mode, made in self.callbacks.items():
            methods.append(spec_hooks.written(self, mode, made, one, two))
        first = self._init(one, two)
        return (out + "\n".join([first, *methods])).rstrip("\n").removeprefix(indent)

    def _checkpointed(self, *, begins: bool | None = None, both: bool = False) -> str:
        """The class of models with checkpoints that this one is of."""
        source = config.CHECKPOINTED
        source = strategies.checkpointed(self.program, source) if self.replicated else source
        if self.by_name is not None:
            begins = self.by_name.begins if begins is None else begins
            source = named_known.checkpointed(source, begins=begins, both=both)
        source = source.replace("(tf.", "({tf}.").replace(" tf.", " {tf}.")
        return source.replace("=tf.", "={tf}.").replace("{tf}", self.tf)

    def _on_replicas(self) -> None:
        """What replicas need of a model.

        Raises:
            Blocked: it hasn't that.
        """
        if "train" not in self.modes or not self.forward:
            raise Blocked(self.function, "a strategy, and a model_fn that trains nothing")
        if self.head is not None:
            if self.head.kind == "MultiHead":
                raise Blocked(self.function, "several heads in one, under a strategy")
            columns(self.program).features.add("replicated")
        update = self.update
        assert update is not None
        if update.rate is not None:
            raise Blocked(update.rate, "a learning rate that steps compute, under a strategy")
        if update.others or update.variables is not None:
            raise Blocked(update.call, "several train ops or a `var_list`, under a strategy")
        if update.gradients is not None and not method(update.gradients, "compute_gradients"):
            # TF 1 divides the loss in `compute_gradients`.
            raise Blocked(update.gradients, "gradients of no optimizer, under a strategy")
        for each in self.derived:
            raise Blocked(each.value, "a metric that is computed of others, under a strategy")
        for metric in self.metrics:
            if not isinstance(metric.key, ast.Constant):
                raise Blocked(metric.key, "a computed name of a metric under a strategy")
            if metric.test is not None:
                raise Blocked(metric.test, "a metric in a branch under a strategy")
        if (late := self._late()) is not None:
            raise Blocked(late, "a layer of training only, under a strategy")

    def _late(self) -> ast.Call | None:
        """A call of a layer that `call` doesn't apply; None where it applies all.

        Raises:
            Blocked: no training step applies it either.
        """
        inside = {id(n) for s in self.forward for n in walk(s)}
        trained = {id(n) for s in self.bodies.get("train", ()) for n in walk(s)}
        made = {name: self.attributes[id(call)] for name, call in self.objects.items()}
        applied: dict[str, list[ast.Call]] = {}  # by attribute
        held = tables.KNOWN | averages.KNOWN
        for node in (n for n in all_of(self.function, ast.Call)):
            names = self.attributes.get(id(node), [])
            if id(node) in self.object_calls:
                names = made[cast("ast.Name", node.func).id]
            elif objects.stands(self.program, node) or self.program.called(node) in held:
                names = []
            for name in names:
                applied.setdefault(name, []).append(node)
        late = [c for c in applied.values() if not any(id(n) in inside for n in c)]
        for calls in late:
            if not any(id(n) in trained for n in calls):
                raise Blocked(calls[0], "a layer of one mode only, and a `model_dir`")
        return late[0][0] if late else None

    def _restore(self, late: ast.Call, one: str, two: str) -> str:
        """The method that makes what only a training step applies, before a checkpoint is read."""

        def check() -> None:
            if ("predicted", id(self.function)) in self.program.kept:
                raise Blocked(late, "a layer of training only, a `model_dir` and predict()")
            if "checkpoint paths" in self.program.kept:
                raise Blocked(late, "a layer of training only, and `checkpoint_path`")

        self.program.finish.append(check)
        deeper = two + self.text.unit
        # Variables can't be made by what waits for a batch that isn't there.
        plain, itself = (".__wrapped__", "self, ") if self.program.single else ("", "")
        return (
            f"{one}def restore(self, dataset):\n"
            f"{two}if self.manager is None:  # `call` doesn't make all variables\n"
            f"{deeper}step = {self.tf}.function(self.train_step{plain})\n"
            f"{deeper}step.get_concrete_function({itself}dataset.element_spec)\n"
            f"{two}super().restore(dataset)\n"
        )

    def _call(self, one: str, two: str) -> str:
        self.mode = None
        if self.by_name is not None:
            deeper = two + self.text.unit
            scopes = self.by_name.spelled(self.function, "Scopes")
            body = f"{two}with {scopes}(self.named):\n{self.statements(self.forward, deeper)}"
            results = f"{two}return {', '.join(self.outputs)}\n"
            return f"{one}def call(self, features, training=False):\n{body}{results}"
        body = self.statements(self.forward, two)
        results = ", ".join(self.outputs)
        last = self.forward[-1]
        if len(self.outputs) == 1 and target(last) == self.outputs[0]:
            before, mark, after = body.rpartition(f"{two}{results} = ")
            if mark and not before.endswith("\\\n"):
                body, results = f"{before}{two}return {after}", ""
        end = f"{two}return {results}\n" if results else ""
        return f"{one}def call(self, features, training=False):\n{body}{end}"

    def _step(self, mode: Mode, one: str, two: str) -> str:
        self.mode = mode
        spec, own = self.specs[mode], self.steps[mode]
        three = two + self.text.unit
        read = {n for s in own for n in reads(s)} | self.goals(mode)
        head = f"{one}def {'test' if mode == 'eval' else mode}_step(self, data):\n"
        if self.program.single and mode != "predict" and not self.replicated:
            (source,) = templates.definitions([ONLY], set(), {}).values()
            self.program.need(self.function, ONLY, source)
            head = f"{one}@{ONLY}\n{head}"
        if "labels" in read:
            head += f"{two}features, labels = data\n"
        else:
            unpack = f"{self.tf}.keras.utils.unpack_x_y_sample_weight"
            head += f"{two}features, _, _ = {unpack}(data)\n"
        forward = ""
        if self.forward:
            name = ", ".join(self.outputs)
            forward = f"{name} = self(features, training={mode == 'train'})\n"
        if mode == "train":
            return head + self._trained(forward, own, two, three)
        head += (two + forward if forward else "") + self.statements(own, two)
        if mode == "predict":
            return f"{head}{two}return {self._value(spec['predictions'], two)}\n"
        if self.head is not None:
            found = f"{head}{two}return {self._value(spec['loss'], two)}\n"
            if self.replicated:
                line = f"{two}return self.{self.head.name}.results()\n"
                found += f'\n{one}def results(self):\n{two}"""What an evaluation found."""\n{line}'
            return found
        head += f"{two}self.{self.mean}.update_state({self._value(spec['loss'], two)})\n"
        results = [f'"loss": self.{self.mean}.result()']
        for metric in self.metrics:
            if metric.test is not None:
                continue
            head += f"{two}{metric.updated(self.program, self.source)}\n"
            if not metric.hidden:
                results.append(f"{metric.said(self.source)}: {metric.result}")
        computed, more = derived_metrics.written(self, two)
        head, results = head + computed, results + more
        line = f"{two}return {{{', '.join(results)}}}\n"
        if len(line) > 100:
            inner = "".join(f"{three}{r},\n" for r in results)
            line = f"{two}return {{\n{inner}{two}}}\n"
        if any(m.test is not None for m in self.metrics):
            return head + self._in_branches(line, two, three)
        if self.replicated:
            said = f'{one}def results(self):\n{two}"""What an evaluation found."""\n{line}'
            return f"{head}{two}return self.results()\n\n{said}"
        return head + line

    def _in_branches(self, line: str, two: str, three: str) -> str:
        """The end of an evaluation step, some of whose metrics stand under a test."""
        name = self.program.free(self.function, "results", "found")
        out, last = line.replace("return", f"{name} =", 1), ""
        for metric in self.metrics:
            if metric.test is None:
                continue
            test = metrics.asked(metric.test, self.source)
            out += f"{two}if {test}:\n" if test != last else ""
            out += f"{three}{metric.updated(self.program, self.source)}\n"
            out += f"{three}{name}[{metric.said(self.source)}] = {metric.result}\n"
            last = test
        return f"{out}{two}return {name}\n"

    def _trained(self, forward: str, own: Sequence[ast.stmt], two: str, three: str) -> str:
        """The rest of a train step."""
        assert self.update is not None
        tf = self.tf
        taped = self.slice(own, {n for u in self.update.every for n in reads(u.loss)})
        rest = [s for s in own if s not in taped]
        if any(
            stores(t) & (reads(r) | stores(r))
            for r in rest
            for t in taped[len([x for x in taped if x.lineno < r.lineno]) :]
        ):
            raise Blocked(rest[0], "what the loss is made of is bound again")
        losses = several.losses(self.update)
        persistent = "persistent=True" if len(losses) > 1 else ""
        out = f"{two}with {tf}.GradientTape({persistent}) as tape:\n"
        out += (three + forward if forward else "") + self.statements(taped, three)
        loss = self.source(self.update.loss)
        if len(losses) == 1 and not isinstance(self.update.loss, ast.Name):
            out += f"{three}loss = {loss}\n"
            loss = "loss"
        whole, divided = loss, True
        if self.replicated:
            divided = strategies.divided(self.program, self.bodies["train"])
            if self.head is not None:
                divided = "reduce_sum" not in columns(self.program).features
        if self.replicated and divided:
            loss = self.program.free(self.function, "share")
            count = "self.distribute_strategy.num_replicas_in_sync"
            out += f"{three}{loss} = {whole} / {count}\n"
        if self.update.others:
            out += self.statements(rest, two) + several.written(self, self.update, loss, two)
            return self._told(out, "", whole, two, divided=divided)
        if self.update.gradients is None:
            out += f"{two}variables = {self._variables()}\n"
            clip = self.update.clip
            if clip is None:
                out += f"{two}gradients = {self._gradients(loss, 'variables')}\n"
            else:
                # What rows have twice counts twice in TF 1's norm: they are summed afterwards.
                out += f"{two}gradients = tape.gradient({loss}, variables)\n"
                norm = self.source(clip)
                if self.update.each:
                    each = f"g if g is None else {tf}.clip_by_norm(g, {norm})"
                    out += f"{two}gradients = [{each} for g in gradients]\n"
                else:
                    out += f"{two}gradients, _ = {tf}.clip_by_global_norm(gradients, {norm})\n"
                if dense := self.dense():
                    out += f"{two}gradients = [{dense}(g) for g in gradients]\n"
            out += self.statements(rest, two)
            given = "zip(gradients, variables)"
        else:
            out += self._clipped(rest, loss, two)
            applied = argument(self.update.call, 0, "grads_and_vars")
            assert applied is not None
            given = self.source(applied)
            if dense := self.dense():
                there = " if g is not None" if self.by_name is not None else ""
                given = f"[({dense}(g), v) for g, v in {given}{there}]"
        if self.update.rate is not None:
            rate = self.source(self.update.rate)
            out += f"{two}self.optimizer.learning_rate.assign({rate})\n"
        update = f"{two}self.optimizer.apply_gradients({given})\n"
        return self._told(out, update, whole, two, divided=divided)

    def _variables(self) -> str:
        """The source of what is trained."""
        update = self.update
        assert update is not None
        if update.variables is None:
            return var_lists.ALL
        return var_lists.source(self, update.variables, self.bodies["train"])

    def _told(self, out: str, update: str, whole: str, two: str, *, divided: bool) -> str:
        """The end of a train step: what it gives."""
        assert self.update is not None
        tf, spec = self.tf, self.specs["train"]
        update = averages.written(self, two) + update
        same = ast.dump(spec["loss"]) == ast.dump(self.update.loss)
        said = whole if same else self.source(spec["loss"])
        if self.replicated:
            kind = "MEAN" if divided else "SUM"
            replica = f"{tf}.distribute.get_replica_context()"
            out += f'{two}loss = {replica}.all_reduce("{kind}", {said})\n'
            said = "loss"
        told = "".join(f', "{key}": {self.source(node)}' for key, node in self.told.items())
        if not self.saved:
            return f'{out}{update}{two}return {{"loss": {said}{told}}}\n'
        if not said.isidentifier():
            out += f"{two}loss = {said}\n"
            said = "loss"
        if not self.says_loss:
            out += f'{two}self.write_scalar("loss", {said})\n'
        for saver in self.savers:
            out += summary_hooks.written(cast("Model", self), saver, two, two + self.text.unit)
        return f'{out}{update}{two}return {{"loss": {said}{told}}}\n'

    def _gradients(self, loss: str, variables: str) -> str:
        """The gradients; those of some rows are made dense: Keras doesn't sum what is double."""
        taken = f"tape.gradient({loss}, {variables})"
        return f"[{dense}(g) for g in {taken}]" if (dense := self.dense()) else taken

    def _clipped(self, rest: Sequence[ast.stmt], loss: str, two: str) -> str:
        """Gradients that are taken, changed and applied in statements of their own."""
        assert self.update is not None
        assert self.update.gradients is not None
        call, out = self.update.gradients, ""
        if self.program.called(call) == training.GRADIENTS:
            variables = self.program.given(call)["xs"]
            self.instead[id(call)] = f"tape.gradient({loss}, {self.source(variables)})"
            return self.statements(rest, two)
        for stmt in rest:
            if not holds(stmt, call):
                out += self.statement(stmt, two)
                continue
            value = cast("ast.Assign", stmt).value
            to = cast("ast.Assign", stmt).targets[0]
            out += self.comments(stmt, two)
            if value is call and isinstance(to, ast.Name):
                out += f"{two}variables = {self._variables()}\n"
                out += f"{two}{to.id} = list(zip(tape.gradient({loss}, variables), variables))\n"
            elif (
                isinstance(to, (ast.Tuple, ast.List))
                and len(to.elts) == 2
                and self.text.source(value).replace(" ", "").startswith("zip(*")
            ):
                grads, variables = (self.text.source(e) for e in to.elts)
                out += f"{two}{variables} = {self._variables()}\n"
                out += f"{two}{grads} = tape.gradient({loss}, {variables})\n"
            else:
                raise Blocked(stmt, "gradients that are taken in the middle of a statement")
        return out

    def _value(self, node: ast.expr, indent: str) -> str:
        """An expression as it is returned, at a method's indentation."""
        source = self.source(node)
        if "\n" not in source:
            return source
        line = self.text.lines[node.lineno - 1]
        own = len(line) - len(line.lstrip())
        shift = len(indent) - own
        first, *rest = source.splitlines()
        moved = [
            (" " * shift + r if shift > 0 else r[min(-shift, len(r) - len(r.lstrip())) :])
            for r in rest
        ]
        return "\n".join([first, *moved])
