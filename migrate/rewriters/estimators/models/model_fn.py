"""A model_fn as a `keras.Model`: layers in `__init__`, `call`, and a step for each mode."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from typing import cast

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators import lifting
from migrate.rewriters.estimators.callbacks import spec_hooks
from migrate.rewriters.estimators.data import inputs
from migrate.rewriters.estimators.evaluation import derived_metrics, metrics, shown_metrics
from migrate.rewriters.estimators.models import (
    chosen_model_fns,
    guard,
    lambdas,
    late_changes,
    model_fns,
    parts,
    read_once,
    renamed,
    reopened,
    self_results,
    statics,
    tags,
)
from migrate.rewriters.estimators.models.methods import Methods
from migrate.rewriters.estimators.models.modes import Mode
from migrate.rewriters.estimators.models.specs import NEEDS, target
from migrate.rewriters.estimators.naming import named_known, named_objects
from migrate.rewriters.estimators.optimizing import gathered, own_optimizers, several, training
from migrate.rewriters.estimators.program import Estimator, Program, maker
from migrate.rewriters.estimators.runs import config, strategies, warm_starts
from migrate.rewriters.estimators.serving import export_outputs, exports
from migrate.rewriters.estimators.syntax import reads, simple, stores


@maker("tensorflow.estimator.Estimator")
def custom(program: Program, endpoint: str, call: ast.Call) -> Estimator:
    """An Estimator with a model_fn of the program."""
    return made(program, call, program.given(call, endpoint))


def made(program: Program, call: ast.Call, given: dict[str, ast.expr]) -> Estimator:
    """What is known of an Estimator that is made with these arguments.

    Raises:
        Blocked: an argument isn't followed, or the model_fn.
    """
    warm = given.pop(warm_starts.FIELD, None)
    for name in given:
        if name not in ("model_fn", "params", "model_dir", "config"):
            raise Blocked(given[name], f"`{name}` of an Estimator isn't followed yet")
    if "model_fn" not in given:
        raise Blocked(call, "an Estimator without a model_fn")
    node = given["model_fn"]
    function = program.scopes.function(node)
    extra: dict[str, ast.expr] = {}
    bound = program.scopes.value(node)
    if function is None and isinstance(bound, ast.Call) and inputs.partial(program, bound):
        function, extra = model_fns.bound(program, node, bound)
    returned = None if function is not None else model_fns.returned(program, node)
    if returned is not None:
        function = program.scopes.function(returned)
    handed = model_fns.handed(program, node) if function is None else []
    if handed:
        function = program.scopes.function(handed[0])
    if function is None:
        chosen_model_fns.spelled(program, node, call)
        model_fns.several(program, node)
        lambdas.bound(program, node)
        lifting.method(program, node)
        self_results.local(program, node)
        statics.apart(program, node, "the model_fn isn't seen")
        raise Blocked(node, "the model_fn isn't seen")
    run = config.read(program, given.get("config"), given.get("model_dir"))
    if run.strategy is not None:
        strategies.name_it(program, run.strategy, call)
    known = program.kept.get(("model", id(function)))
    if known is None:
        program.kept["model_fn"] = function
        program.kept["folder", id(function)] = run.folder
        known = program.kept["model", id(function)] = Model(program, function, frozenset(extra))
        assert isinstance(known, Model)
        known.saved, known.shared = run.place is not None, run.shared is not None
        program.kept["prefix", id(function)] = ""
        program.kept["writes"] = known.saved and not known.replicated
        known.write()
        del program.kept["model_fn"]
    assert isinstance(known, Model)
    if known.saved != (run.place is not None):
        raise Blocked(call, "Estimators of one model_fn with and without a `model_dir`")
    if known.shared != (run.shared is not None):
        raise Blocked(call, "Estimators of one model_fn with RunConfigs that come in several ways")
    if set(extra) != known.extra:
        raise Blocked(call, "Estimators of one model_fn with other arguments bound to it")
    if "params" in extra:
        given["params"] = extra["params"]
    late_changes.checked(program, function, call, extra.values())
    user = bound.args[0] if extra and isinstance(bound, ast.Call) else node
    known.users += handed or [user if returned is None else returned]
    for use in (*handed, *([returned] if returned is not None else [])):
        program.edit(use, known.named(use))
    params = program.source(given["params"]) if "params" in given else "{}"

    def source() -> str:
        name = known.named(user) if returned is None and not handed else program.source(user)
        own = found.sized(found.batch) if found.batch else params
        given = [own if n == "params" else program.source(extra[n]) for n in known.arguments]
        given += run.keywords(program)
        given += [f"warm_from={program.source(place)}" for place in begins]
        return f"{name}({', '.join(given)})"

    modes = frozenset(known.modes)
    found = Estimator(call, source, known.keyed, params, run.place, function, modes)
    if "predict" in modes and known.head is None:
        spec, body = known.specs["predict"], known.bodies["predict"]
        said = export_outputs.outputs(program, spec, body, known.resolved)
        found.signatures, found.chosen, found.answers = said
    if run.strategy is not None:
        found.scope = partial(run.strategy.scope, program)
        found.groups = run.strategy.both
    if known.head is not None:
        found.head, found.signatures = known.head.kind, exports.OF_HEADS
    begins: list[ast.expr] = []
    if warm is not None and not warm_starts.never(program, warm):
        if known.by_name is not None:
            raise Blocked(warm, "a warm start of a model whose weights have names")
        begins = [warm_starts.taken(program, warm, found)]
    return found


ALIKE = "evaluation and prediction compute something else here"
# What looks a setting up.
SETTING = (ast.Subscript, ast.Attribute, ast.Name, ast.Constant, ast.expr_context)


class Model(Methods):
    """A model_fn that becomes a class."""

    def named(self, use: ast.expr) -> str:
        """The class where its function was named."""
        return renamed.spelled(self.program, use, self.function, self.name)

    def write(self) -> None:
        """Put the class where the function was.

        Raises:
            Blocked: a part of it can't be followed.
        """
        self.find(self.function.body)
        self.update = self.train_op() if "train" in self.modes else None
        if self.update is not None:
            self.chosen = [self.optimizer(update) for update in self.update.every]
            several.named(self, self.update)
        for each in self.hooked:
            spec_hooks.taken(self, each, self.spec_hooks)
        if self.spec_hooks and (made := spec_hooks.sources(self)):
            self.callbacks["train"] = made
        for mode, hooked in self.watching.items():
            nodes: list[ast.expr] = []
            for one in hooked:
                spec_hooks.taken(self, one, nodes, mode)
            if made := spec_hooks.watching(self, mode, nodes):
                self.callbacks[mode] = made
        self._read_metrics()
        self.mean = (
            self.attribute("mean_loss") if "eval" in self.modes and self.head is None else ""
        )
        self._read_summaries()
        goals = {m: self.goals(m) for m in self.modes}
        if self.by_name is None:
            read_once.found(self)
        rated = self._rated()
        first: Mode = self.modes[0]
        shared = [
            s
            for s in self.bodies[first]
            if self._in_all(s)
            and not (reads(s) | stores(s)) & self.labelled
            and not self._set_up(s)
            and id(s) not in rated
            and not gathered.gathers(self.program, s)
        ]
        needed = self.slice(self.bodies[first], goals[first])
        layered = {n for s in shared if self.applies(s) for n in stores(s)}
        forward = [s for s in shared if any(s is n for n in needed) or self.applies(s)]
        wanted = set().union(*(reads(s) for s in forward)) | layered
        forward = [s for s in shared if s in forward or (self.is_host(s) and stores(s) & wanted)]
        forward = self._closed(forward, shared)
        self._alike(forward)
        self.forward = forward if any(self.is_tensor(s) for s in forward) else []
        outputs: dict[str, None] = {}
        bound = self.program.scopes.bound(self.function)
        # `__init__` puts into them what it does.
        fixed = {n for n in self.own if len(bound[n]) == 1}
        inner = {n for s in self.forward for n in stores(s)}
        for mode in self.modes:
            rest = [s for s in self.bodies[mode] if not any(s is f for f in self.forward)]
            own = self.slice(rest, goals[mode])
            own = [s for s in own if id(s) in rated or not self._set_up(s)]
            if mode == "train":
                own = [s for s in rest if s in own or id(s) in self.summaries]
            self.steps[mode] = own
            read = goals[mode].union(*(reads(s) for s in own)) - _first_bound(own)
            read -= {*self.aliases, *fixed}
            again = self._settings_of(read & inner)
            if again:
                self.steps[mode] = own = [s for s in self.bodies[mode] if s in own or s in again]
                read -= {n for s in again for n in stores(s)}
            for name in sorted(sorted(read & inner), key=self._place):
                outputs[name] = None
            self._ordered(mode, own)
        self.outputs = list(outputs)
        self.forward = self._applied_only(self.forward)
        if self.by_name is not None:
            self.by_name.look(self.forward)
            named_objects.in_order(self, self.by_name.objects)
            named_objects.in_steps(self.by_name, (s for m in self.modes for s in self.steps[m]))
        self._checked()
        self.program.edit(self.function, self._class(), f"`{self.function.name}` is a keras.Model")
        self.program.finish.append(self._renamed)

    def applies(self, stmt: ast.stmt) -> bool:
        """Whether a statement makes layers, or calls a layer's object."""
        if self.by_name is not None and named_objects.asks(stmt, self.by_name.objects):
            return True
        return bool(self.layered(stmt)) or any(id(n) in self.object_calls for n in walk(stmt))

    def _set_up(self, stmt: ast.stmt) -> bool:
        """Whether a statement makes what `__init__` makes: an optimizer, its rate, the step."""
        values = [getattr(s, "value", None) for s in simple(stmt)]
        endpoints = [self.program.called(v) if v is not None else "" for v in values]
        if any(v is not None and own_optimizers.of(self.program, v) for v in values):
            return True
        return any(
            e in training.STEPS | training.DECAYS or (e and training.is_optimizer(e))
            for e in endpoints
        )

    def _checked(self) -> None:
        """Every statement is one that a method may have, or one that may go.

        Raises:
            Blocked: one isn't.
        """
        used = [*self.forward, *(s for m in self.modes for s in self.steps[m])]
        fields = [self.specs[m][k] for m in self.modes for k in NEEDS[m] if k != "train_op"]
        fields += [p for m in self.metrics for p in m.parts.values()]
        fields += [m.test for m in self.metrics if m.test is not None]
        fields += [each.value for each in self.derived]
        used += [s for each in self.derived for s in each.statements]
        known = {*self.known, *self.written, *self.unwritten}
        if self.by_name is not None:
            known |= self.by_name.seen
        known |= {id(n) for s in used for n in walk(s) if gathered.kind(self.program, n)}
        known |= {id(n) for s in used for n in walk(s) if self._counted(n) is not None}
        if self.update is not None:
            fields += [update.loss for update in self.update.every]
            fields += self.told.values()
            if self.update.gradients is not None:
                known.add(id(self.update.gradients))
        guard.check(self.program, [*used, *fields], known)
        own = self.program.scopes.bound(self.function).keys() | self.joined
        for part in (*used, *fields):
            if reads(part) & set(self.noted.values()):
                raise Blocked(part, "a summary that is read by what a step computes")
        for stmt in used:
            bound = {stmt.name} if isinstance(stmt, ast.FunctionDef) else stores(stmt)
            if outer := sorted(n for n in bound if n not in own and n != "self"):
                raise Blocked(stmt, f"`{outer[0]}`, which isn't the model_fn's, is changed")
        ours = {id(n) for s in used for n in walk(s)}
        every = {id(s): s for m in self.modes for b in self.bodies[m] for s in simple(b)}
        for stmt in every.values():
            if id(stmt) in ours or not isinstance(stmt, ast.Expr):
                continue
            if self.by_name is not None and self.program.called(stmt.value) == named_known.INIT:
                continue  # `begin` has it
            if not (stores(stmt) and stores(stmt) <= own):
                self._gone(stmt)

    def _gone(self, stmt: ast.Expr) -> None:
        """A statement without a value that no method has."""
        if reopened.switches(stmt) and reopened.found(self):
            return
        if parts.gone(self.program, stmt) is not None:
            self.program.say(stmt, "this summary isn't written: it has no folder, or is a metric's")

    def _closed(self, forward: list[ast.stmt], shared: list[ast.stmt]) -> list[ast.stmt]:
        """Statements with all that they read, as far as `call` computes it."""
        size = -1
        while size != len(forward):
            size = len(forward)
            wanted = set().union(*(reads(s) for s in forward)) if forward else set()
            forward = [s for s in shared if any(s is f for f in forward) or stores(s) & wanted]
        return forward

    def _alike(self, forward: Sequence[ast.stmt]) -> None:
        """What `call` reads is in no mode what only some of them compute.

        Raises:
            Blocked: one does.
        """
        for mode in self.modes:
            last: dict[str, ast.stmt] = {}
            for stmt in self.bodies[mode]:
                if any(stmt is f for f in forward):
                    for own in (last.get(name) for name in sorted(reads(stmt))):
                        if own is None:
                            continue
                        # What reads labels is a step's, where `call` wouldn't have it.
                        here = any(own is f for f in forward) or self.is_host(own)
                        if not here or not self._in_all(own):
                            raise Blocked(own, ALIKE)
                last.update(dict.fromkeys(stores(stmt), stmt))

    def _in_all(self, stmt: ast.stmt) -> bool:
        return all(any(stmt is other for other in self.bodies[m]) for m in self.modes)

    def _applied_only(self, forward: list[ast.stmt]) -> list[ast.stmt]:
        """Statements of `call`, without Python's that only `__init__` has a use for."""
        size = -1
        while size != len(forward):
            size = len(forward)
            read = {s: self._applied_reads(s) for s in forward}
            forward = [
                s
                for s in forward
                if not (isinstance(s, (ast.Assign, ast.With)) and self.is_host(s) and stores(s))
                or stores(s) & set(self.outputs).union(*(read[o] for o in forward if o is not s))
            ]
        return forward

    def _ordered(self, mode: Mode, own: Sequence[ast.stmt]) -> None:
        """What a step reads of `call` must be final where it read it.

        Raises:
            Blocked: `call` binds it again afterwards.
        """
        body = self.bodies[mode]
        for at, stmt in enumerate(body):
            if any(stmt is o for o in own):
                later = {n for s in body[at + 1 :] if s in self.forward for n in stores(s)}
                earlier = {n for s in body[:at] if s in self.forward for n in stores(s)}
                again = later & (reads(stmt) | stores(stmt))
                if again and again & (earlier | stores(stmt)):
                    name = sorted(again)[0]
                    raise Blocked(stmt, f"`{name}` is bound again by what follows")

    def _settings_of(self, names: set[str]) -> list[ast.stmt]:
        """The statements that only look up settings that a step reads: it looks them up itself."""
        found: list[ast.stmt] = []
        bound = self.program.scopes.bound(self.function)
        for stmt in reversed(self.forward):
            name = target(stmt)
            if name not in names or len(bound[name]) > 1 or not self.is_host(stmt):
                continue
            parts = walk(cast("ast.Assign", stmt).value)
            if all(isinstance(n, SETTING) for n in parts) and reads(stmt) <= self.own:
                found.append(stmt)
        return found

    def _place(self, name: str) -> int:
        return next((i for i, s in enumerate(self.forward) if name in stores(s)), 0)

    def _read_summaries(self) -> None:
        """The summaries of tensors that a train step writes, where there is a folder for them."""
        if not self.saved or "train" not in self.bodies:
            return
        body = self.bodies["train"]
        shown_metrics.unrolled(self, body)
        for stmt in body:
            named = isinstance(stmt, ast.Expr) or target(stmt)
            call = getattr(stmt, "value", None) if named else None
            kind = self.program.called(call).removeprefix("tensorflow.summary.") if call else ""
            if not isinstance(call, ast.Call) or kind not in ("scalar", "histogram"):
                continue
            given = self.program.given(call)
            data = given.get("tensor", given.get("values"))
            if data is None or set(given) - {"name", "tensor", "values"} or "name" not in given:
                raise Blocked(call, "these arguments of a summary")
            if kind == "scalar" and shown_metrics.read(self, call, given["name"], data, body):
                self.summaries[id(stmt)] = call
                if target(stmt):
                    self.noted[id(stmt)] = target(stmt)
                self.written[id(call)] = ("metric", given["name"], data)
                continue
            values = [
                data,
                *(self.resolved(n, body) for n in all_of(data, ast.Name)),
            ]
            if any(
                self.program.called(n).startswith("tensorflow.metrics.")
                for v in values
                for n in walk(v)
            ):
                continue
            self.summaries[id(stmt)] = call
            if target(stmt):
                self.noted[id(stmt)] = target(stmt)
            self.written[id(call)] = (kind, given["name"], data)
            self.says_loss |= tags.constant(self.program, self.function, given["name"]) == "loss"

    def replaced(self, node: ast.AST) -> str | None:
        """What is written for an expression; a summary is a method's of the model."""
        if id(node) in self.computed:
            return self.computed[id(node)]()
        if (new := gathered.written(self, node)) is not None:
            return new
        if self.mode == "train" and (new := self._counted(node)) is not None:
            return new
        if id(node) in self.written:
            kind, name, data = self.written[id(node)]
            tag = tags.written(self.program, self.function, name, self.source)
            if id(node) in self.shown:
                metric = self.shown[id(node)]
                given = metric.taken(self.program, self.source)
                tag = shown_metrics.numbered(self, name, tag)
                return f"self.write_metric({tag}, self.summarized.{metric.name}, {given})"
            rate = self._scheduled(data)
            return f"self.write_{kind}({tag}, {rate or self.source(data)})"
        return super().replaced(node)

    def _scheduled(self, node: ast.expr) -> str:
        """What a step's learning rate is read by, where a name is that of the optimizer's schedule.

        Raises:
            Blocked: it is that of another one.
        """
        if not isinstance(node, ast.Name) or self.update is None or self.rates:
            return ""  # a rate that the step computes has its name there
        body = self.bodies["train"]
        if self.program.called(self.resolved(node, body)) not in training.DECAYS:
            return ""
        users: list[ast.AST] = [call for *_, call in self.chosen if call is not None]
        users += [n for made, *_ in self.chosen for s in made for n in walk(s)]
        rates = {n.id for user in users for n in all_of(user, ast.Name)}
        if len(self.update.every) > 1 or node.id not in rates:
            raise Blocked(node, "a summary of a rate that isn't the optimizer's")
        return "self.optimizer.learning_rate"

    def _rated(self) -> set[int]:
        """The statements that only compute the learning rate of a step."""
        rates = self.rates
        if self.update is None or not rates:
            return set()
        body, written = self.bodies["train"], self.summaries
        every = [(update, update.rate) for update in self.update.every]
        self.summaries = {}
        for update in self.update.every:
            update.rate = None
        other = self.slice([s for s in body if not self._set_up(s)], self.goals("train"))
        self.summaries = written
        for update, rate in every:
            update.rate = rate
        names = {n for rate in rates for n in reads(rate)}
        return {id(s) for s in self.slice(body, names)} - {
            id(s) for s in other if not self._set_up(s)
        }

    @property
    def rates(self) -> list[ast.expr]:
        """The learning rates that each step computes."""
        every = self.update.every if self.update is not None else []
        return [update.rate for update in every if update.rate is not None]

    def _counted(self, node: ast.AST) -> str | None:
        """The step, or a decay of it, where a train step computes its learning rate."""
        if not self.rates:
            return None
        endpoint = self.program.called(node)
        if endpoint in training.STEPS:
            return "self.optimizer.iterations.value"
        if endpoint not in training.DECAYS:
            return None
        assert isinstance(node, ast.Call)
        given = self.program.given(node)
        step = given.get("global_step", given.get("x"))
        decay = training.decays(self.program, endpoint, node, self.source)
        assert step is not None
        return f"{decay}({self.source(step)})"

    def _read_metrics(self) -> None:
        node = self.specs.get("eval", {}).get("eval_metric_ops")
        if node is None:
            return
        body = self.bodies["eval"]
        made: dict[int, metrics.Metric] = {}  # by call
        updated: list[ast.Call] = []
        for key, item, test in metrics.items(node, body, self.resolved):
            call = self.resolved(item, body)
            if isinstance(call, ast.Tuple) and test is None:
                found = derived_metrics.read(self, key, call, body)
                updated += found.updated
                whole = derived_metrics.plain(self, found)
                if whole is None or id(whole) in made:
                    self.derived.append(found)
                    continue
                call = whole
            elif isinstance(call, ast.Call):
                if not derived_metrics.is_metric(self, call):
                    self.helper(call, "metric", "gives metrics")
                updated.append(call)
            if not isinstance(call, ast.Call):
                raise Blocked(item, "a metric that isn't seen")
            if test is not None and self.is_tensor(test):
                raise Blocked(test, "a metric that a run chooses")
            made[id(call)] = self._metric(key, call, body)
            made[id(call)].test = test
        for each in self.derived:
            for name, call in [*each.names.items(), *(("", c) for c in each.called)]:
                if id(call) not in made:
                    made[id(call)] = self._metric(ast.Constant(name), call, body)
                    made[id(call)].hidden = True
        for call in [m.call for m in self.metrics]:
            if not any(call is c for c in updated):
                raise Blocked(call, "a metric that nothing updates")

    def _metric(self, key: ast.expr, call: ast.Call, body: Sequence[ast.stmt]) -> metrics.Metric:
        """One of the metrics of an evaluation."""
        found = metrics.read(self.program, key, call, self.attribute)
        metrics.final(found, body)
        self.metrics.append(found)
        return found

    def _renamed(self) -> None:
        """Every mention of the function is one that an Estimator is made with."""
        for use in self.program.readers(self.function):
            if not any(use is node for node in self.users):
                raise Blocked(use, f"`{self.function.name}` is used for something else, too")


def _first_bound(own: Sequence[ast.stmt]) -> set[str]:
    """The names that statements bind before they read them."""
    bound: set[str] = set()
    read: set[str] = set()
    for stmt in own:
        read |= reads(stmt) - bound
        bound |= stores(stmt)
    return bound - read
