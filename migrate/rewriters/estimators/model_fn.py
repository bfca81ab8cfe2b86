"""A model_fn as a `keras.Model`: layers in `__init__`, `call`, and a step for each mode."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from typing import cast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators import config, guard, metrics, parts, training
from migrate.rewriters.estimators.layers import Halves, reads, simple, stores, walk_own
from migrate.rewriters.estimators.modes import MODES, Mode, Tests
from migrate.rewriters.estimators.program import Estimator, Program, maker
from migrate.rewriters.estimators.training import Update, argument, method

SPECS = frozenset(
    f"tensorflow.{name}"
    for name in (
        *("estimator.EstimatorSpec", "contrib.tpu.TPUEstimatorSpec"),
        "estimator.tpu.TPUEstimatorSpec",
    )
)
PARAMETERS = ("features", "labels", "mode", "params", "config")
HOOKS = ("training_hooks", "training_chief_hooks", "evaluation_hooks", "prediction_hooks")
NEEDS = {"train": ("loss", "train_op"), "eval": ("loss",), "predict": ("predictions",)}


@maker("tensorflow.estimator.Estimator")
def custom(program: Program, endpoint: str, call: ast.Call) -> Estimator:
    """An Estimator with a model_fn of the program."""
    given = program.given(call, endpoint)
    for name in given:
        if name not in ("model_fn", "params", "model_dir", "config"):
            raise Blocked(given[name], f"`{name}` of an Estimator isn't followed yet")
    if "model_fn" not in given:
        raise Blocked(call, "an Estimator without a model_fn")
    node = given["model_fn"]
    function = program.scopes.function(node)
    if function is None:
        raise Blocked(node, "the model_fn isn't seen")
    run = config.read(program, given.get("config"), given.get("model_dir"))
    known = program.kept.get(("model", id(function)))
    if known is None:
        known = program.kept["model", id(function)] = Model(program, function)
        assert isinstance(known, Model)
        known.saved = run.folder is not None
        known.write()
    assert isinstance(known, Model)
    if known.saved != (run.folder is not None):
        raise Blocked(call, "Estimators of one model_fn with and without a `model_dir`")
    known.users.append(node)
    params = program.source(given["params"]) if "params" in given else "{}"

    def source() -> str:
        path = program.source(node).rpartition(".")[0]
        name = f"{path}.{known.name}" if path and isinstance(node, ast.Attribute) else known.name
        given = [params] if "params" in known.arguments else []
        if run.folder is not None:
            given += [program.source(run.folder), *run.settings]
        return f"{name}({', '.join(given)})"

    keys = frozenset(str(m.key.value) for m in known.metrics if isinstance(m.key, ast.Constant))
    return Estimator(call, source, known.keyed, params, run.folder, keys, function)


class Model(Halves):
    """A model_fn that becomes a class."""

    def __init__(self, program: Program, function: ast.FunctionDef) -> None:
        args = function.args
        names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
        if args.vararg or args.kwarg or function.decorator_list:
            raise Blocked(function, "a model_fn with these arguments or a decorator")
        for name in names:
            if name not in PARAMETERS:
                raise Blocked(function, f"a model_fn with an argument `{name}`")
        self.arguments = [n for n in names if n in ("params", "config")]
        if "config" in self.arguments and "config" in {n for s in function.body for n in reads(s)}:
            raise Blocked(function, "a model_fn that reads its RunConfig")
        self.arguments = [n for n in self.arguments if n == "params"]
        flags: dict[str, ast.expr] = {}
        tests = Tests("mode" if "mode" in names else None, program.endpoint, flags)
        super().__init__(program, function, tests, updates=_updates(program, function))
        self.flagged(flags)
        self.own = set(self.arguments)
        self.users: list[ast.expr] = []
        self.written: dict[int, tuple[str, ast.expr, ast.expr]] = {}  # summaries, by call
        self.saved = False  # whether it has a folder for its checkpoints
        self.metrics: list[metrics.Metric] = []
        self.summaries: dict[int, ast.Call] = {}  # of training, by statement
        self.lists: dict[int, list[str]] = {}
        self.bodies: dict[Mode, list[ast.stmt]] = {}
        self.specs: dict[Mode, dict[str, ast.expr]] = {}
        for mode in MODES:
            body, spec = self.specialised(function.body, mode)
            if spec is not None:
                self.bodies[mode], self.specs[mode] = body, self.fields(spec, body, mode)
        self.modes = [m for m in MODES if m in self.specs]
        if not self.modes:
            raise Blocked(function, "a model_fn whose EstimatorSpec isn't seen")
        self.tensors, self.labelled = {"features", "labels"}, {"labels"}
        self.classify(s for m in self.modes for s in self.bodies[m])
        self.keyed = self._keyed()
        self.name = program.free(function, _class_name(function.name))

    def _keyed(self) -> bool:
        """Whether predictions are a dict."""
        if "predict" not in self.specs:
            return False
        node = self.specs["predict"]["predictions"]
        value = self.resolved(node, self.bodies["predict"])
        plain = isinstance(value, ast.Call) and self.program.source(value.func) == "dict"
        if isinstance(value, ast.Dict) or plain:
            return True
        if isinstance(value, ast.Call) and (self.program.called(value) or self.makes(value)):
            return False
        raise Blocked(node, "whether predictions are a dict isn't seen")

    # -- modes --------------------------------------------------------------------------------

    def specialised(
        self, body: Iterable[ast.stmt], mode: Mode
    ) -> tuple[list[ast.stmt], ast.expr | None]:
        """What of a body a mode executes, and what it returns."""
        found: list[ast.stmt] = []
        for stmt in body:
            if isinstance(stmt, ast.Return):
                return found, stmt.value
            if isinstance(stmt, ast.Raise):
                return found, None
            if isinstance(stmt, ast.With) and self.flat(stmt):
                inner, spec = self.specialised(stmt.body, mode)
                found.extend(inner)
                if spec is not None:
                    return found, spec
                continue
            if isinstance(stmt, ast.If):
                known = self.tests.value(stmt.test, mode)
                if known is not None and not self.switched_forward(stmt):
                    inner, spec = self.specialised(stmt.body if known else stmt.orelse, mode)
                    found.extend(inner)
                    if spec is not None or (inner and isinstance(stmt, ast.Raise)):
                        return found, spec
                    continue
            if isinstance(stmt, ast.Assert) and self.tests.value(stmt.test, mode):
                continue
            if _target(stmt) in self.tests.flags or _docstring(stmt):
                continue
            if any(isinstance(n, ast.Return) for s in simple(stmt) for n in _same(s)):
                raise Blocked(stmt, "what a model_fn returns depends on more than its mode")
            found.append(stmt)
        return found, None

    def switched_forward(self, stmt: ast.If) -> bool:
        """Whether a branch on training is part of the forward pass: it stays one, in `call`."""
        if self.tests.training(stmt.test) is None:
            return False
        inner = [n for s in (*stmt.body, *stmt.orelse) for n in walk_own(s)]
        return not any(
            isinstance(n, (ast.Return, ast.Raise))
            or (isinstance(n, ast.Name) and n.id == "labels")
            or method(n, "minimize", "apply_gradients", "compute_gradients")
            or training.is_optimizer(self.program.called(n))
            or self.program.called(n).startswith(
                ("tensorflow.summary.", "tensorflow.train.", "tensorflow.metrics.")
            )
            for n in inner
        ) and bool(stores(stmt))

    def fields(self, node: ast.expr, body: Sequence[ast.stmt], mode: Mode) -> dict[str, ast.expr]:
        """The fields of the EstimatorSpec that a mode returns.

        Raises:
            Blocked: it isn't seen, or has fields that aren't followed.
        """
        value = self.resolved(node, body)
        endpoint = self.program.called(value)
        if endpoint not in SPECS or not isinstance(value, ast.Call):
            raise Blocked(node, "what a model_fn returns isn't an EstimatorSpec that is seen")
        given = self.program.given(value, endpoint)
        given.pop("mode", None)
        for name in HOOKS:
            if name in given and _empty(given[name]):
                given.pop(name)
        own = {"train": ("training_hooks", "training_chief_hooks"), "eval": ("evaluation_hooks",)}
        for name in ("scaffold", *own.get(mode, ("prediction_hooks",))):
            if name in given:
                raise Blocked(given[name], f"`{name}` of an EstimatorSpec isn't followed yet")
        for name in NEEDS[mode]:
            if name not in given:
                raise Blocked(value, f"an EstimatorSpec without `{name}` for this mode")
        return given

    def resolved(self, node: ast.expr, body: Sequence[ast.stmt]) -> ast.expr:
        """An expression, or what the name that it is was given last among statements."""
        for stmt in reversed(body):
            if not isinstance(node, ast.Name):
                break
            if _target(stmt) == node.id:
                node = cast("ast.Assign", stmt).value
                return self.resolved(node, body[: body.index(stmt)])
            if node.id in stores(stmt):
                break
        return node

    # -- slices -------------------------------------------------------------------------------

    def slice(self, body: Sequence[ast.stmt], names: set[str]) -> list[ast.stmt]:
        """The statements of a body that some names need, and what only looks at tensors."""
        found: list[ast.stmt] = []
        wanted = set(names)
        for stmt in reversed(body):
            bound = stores(stmt)
            if not bound & wanted:
                continue
            if isinstance(stmt, ast.Assign) and all(
                isinstance(t, (ast.Name, ast.Tuple)) for t in stmt.targets
            ):
                wanted -= bound
            wanted |= reads(stmt)
            found.append(stmt)
        return found[::-1]

    def write(self) -> None:
        """Put the class where the function was.

        Raises:
            Blocked: a part of it can't be followed.
        """
        self.find(self.function.body)
        self.update = self._update() if "train" in self.modes else None
        self._read_metrics()
        self.mean = self.attribute("mean_loss") if "eval" in self.modes else ""
        self._read_summaries()
        goals = {m: self._goals(m) for m in self.modes}
        first: Mode = self.modes[0]
        shared = [
            s
            for s in self.bodies[first]
            if all(any(s is o for o in self.bodies[m]) for m in self.modes)
            and not (reads(s) | stores(s)) & self.labelled
        ]
        needed = self.slice(self.bodies[first], goals[first])
        layered = {n for s in shared if self.layered(s) for n in stores(s)}
        forward = [s for s in shared if any(s is n for n in needed) or self.layered(s)]
        wanted = set().union(*(reads(s) for s in forward)) | layered
        forward = [s for s in shared if s in forward or (self.is_host(s) and stores(s) & wanted)]
        forward = self._closed(forward, shared)
        self.forward = forward if any(self.is_tensor(s) for s in forward) else []
        self.steps: dict[Mode, list[ast.stmt]] = {}
        outputs: dict[str, None] = {}
        inner = {n for s in self.forward for n in stores(s)}
        for mode in self.modes:
            rest = [s for s in self.bodies[mode] if not any(s is f for f in self.forward)]
            own = [s for s in self.slice(rest, goals[mode]) if not self._set_up(s)]
            if mode == "train":
                own = [s for s in rest if s in own or id(s) in self.summaries]
            self.steps[mode] = own
            read = goals[mode].union(*(reads(s) for s in own)) - _first_bound(own)
            read -= set(self.aliases)
            for name in sorted(read & inner, key=self._place):
                outputs[name] = None
            self._ordered(mode, own)
        self.outputs = list(outputs)
        self._checked()
        self.program.edit(self.function, self._class(), f"`{self.function.name}` is a keras.Model")
        self.program.finish.append(self._renamed)

    def _set_up(self, stmt: ast.stmt) -> bool:
        """Whether a statement makes what `__init__` makes: an optimizer, its rate, the step."""
        values = [getattr(s, "value", None) for s in simple(stmt)]
        endpoints = [self.program.called(v) if v is not None else "" for v in values]
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
        known = {*self.calls, *self.written}
        if self.update is not None and self.update.gradients is not None:
            known.add(id(self.update.gradients))
        guard.check(self.program, [*used, *fields], known)
        own = self.program.scopes.bound(self.function)
        for stmt in used:
            if outer := sorted(n for n in stores(stmt) if n not in own and n != "self"):
                raise Blocked(stmt, f"`{outer[0]}`, which isn't the model_fn's, is changed")
        ours = {id(n) for s in used for n in ast.walk(s)}
        every = {id(s): s for m in self.modes for b in self.bodies[m] for s in simple(b)}
        for stmt in every.values():
            if id(stmt) in ours or not isinstance(stmt, ast.Expr):
                continue
            if not (stores(stmt) and stores(stmt) <= own.keys()):
                self._gone(stmt)

    def _gone(self, stmt: ast.Expr) -> None:
        """A statement without a value that no method has."""
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

    def _place(self, name: str) -> int:
        return next((i for i, s in enumerate(self.forward) if name in stores(s)), 0)

    def _goals(self, mode: Mode) -> set[str]:
        """The names that a mode's step is about."""
        spec = self.specs[mode]
        if mode == "predict":
            return reads(spec["predictions"])
        found = reads(spec["loss"])
        if mode == "train" and self.update is not None:
            found |= reads(self.update.loss)
            for call in self.summaries.values():
                found |= reads(call) - reads(call.func)
            if self.update.gradients is not None:
                found |= reads(self.update.call) - reads(self.update.optimizer)
        if mode == "eval":
            found |= {n for m in self.metrics for p in m.parts.values() for n in reads(p)}
        return found

    def _read_summaries(self) -> None:
        """The summaries of tensors that a train step writes, where there is a folder for them."""
        if not self.saved or "train" not in self.bodies:
            return
        body = self.bodies["train"]
        for stmt in body:
            call = stmt.value if isinstance(stmt, ast.Expr) else None
            kind = self.program.called(call).removeprefix("tensorflow.summary.") if call else ""
            if not isinstance(call, ast.Call) or kind not in ("scalar", "histogram"):
                continue
            given = self.program.given(call)
            data = given.get("tensor", given.get("values"))
            if data is None or set(given) - {"name", "tensor", "values"} or "name" not in given:
                raise Blocked(call, "these arguments of a summary")
            values = [
                data,
                *(self.resolved(n, body) for n in ast.walk(data) if isinstance(n, ast.Name)),
            ]
            if any(
                self.program.called(n).startswith("tensorflow.metrics.")
                for v in values
                for n in ast.walk(v)
            ):
                continue
            self.summaries[id(stmt)] = call
            self.written[id(call)] = (kind, given["name"], data)

    def replaced(self, node: ast.AST) -> str | None:
        """What is written for an expression; a summary is a method's of the model."""
        if id(node) in self.written:
            kind, name, data = self.written[id(node)]
            return f"self.write_{kind}({self.source(name)}, {self.source(data)})"
        return super().replaced(node)

    # -- training -----------------------------------------------------------------------------

    def _update(self) -> Update:
        """What the train op is."""
        body, spec = self.bodies["train"], self.specs["train"]
        node = self.resolved(spec["train_op"], body)
        if self.program.called(node) == "tensorflow.group" and isinstance(node, ast.Call):
            ops = [self.resolved(a, body) for a in node.args]
            ops = [op for op in ops if self.program.called(op) != "tensorflow.get_collection"]
            if len(ops) != 1:
                raise Blocked(node, "a group of several train ops")
            node = ops[0]
        return training.update(body, node, self.resolved)

    def _optimizer(self) -> tuple[list[ast.stmt], str, ast.Call | None]:
        """The statements that make the optimizer, what `compile` is given, and its call."""
        assert self.update is not None
        body, node = self.bodies["train"], self.update.optimizer
        value = self.resolved(node, body)
        if isinstance(value, ast.Call) and training.is_optimizer(self.program.called(value)):
            return [], self._keras(value), value
        if not isinstance(node, ast.Name):
            raise Blocked(node, "the optimizer isn't seen")
        made = [s for s in body if node.id in stores(s)]
        for stmt in (s for m in made for s in simple(m)):
            call = getattr(stmt, "value", None)
            if _target(stmt) != node.id or not isinstance(call, ast.Call):
                raise Blocked(stmt, "how the optimizer is made isn't seen")
            if not training.is_optimizer(self.program.called(call)):
                raise Blocked(stmt, "how the optimizer is made isn't seen")
            self.instead[id(call)] = self._keras(call)
        if not made:
            raise Blocked(node, "the optimizer isn't seen")
        return made, node.id, None

    def _keras(self, call: ast.Call) -> str:
        """The Keras optimizer for a `tf.train` one."""
        if self.is_sparse() and self.program.called(call).endswith(".MomentumOptimizer"):
            raise Blocked(call, "momentum updates only the rows of sparse gradients")
        return training.keras(self.program, call, self.function, sparse=self.is_sparse())

    def _read_metrics(self) -> None:
        node = self.specs.get("eval", {}).get("eval_metric_ops")
        if node is None:
            return
        body = self.bodies["eval"]
        value = self.resolved(node, body)
        if not isinstance(value, ast.Dict):
            raise Blocked(node, "metrics that aren't a dict that is seen")
        for key, item in zip(value.keys, value.values, strict=True):
            call = self.resolved(item, body)
            if key is None or not isinstance(call, ast.Call):
                raise Blocked(item, "a metric that isn't seen")
            self.metrics.append(metrics.read(self.program, key, call, self.attribute))

    # -- the class ----------------------------------------------------------------------------

    def _class(self) -> str:
        line = self.text.lines[self.function.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        one, two = indent + self.text.unit, indent + 2 * self.text.unit
        said = ast.get_docstring(self.function)
        base = f"{self.tf}.keras.Model"
        if self.saved:
            if not self.forward:
                raise Blocked(self.function, "a `model_dir` of a model without a forward pass")
            base = "Checkpointed"
            source = (
                config.CHECKPOINTED.replace("(tf.", "({tf}.")
                .replace(" tf.", " {tf}.")
                .replace("=tf.", "={tf}.")
            )
            self.program.need(self.function, base, source, ["import time"])
        out = f"class {self.name}({base}):\n"
        if said:
            out += f'{one}"""{said.strip().splitlines()[0]}"""\n\n'
        methods = [self._call(one, two)] if self.forward else []
        methods += [self._step(mode, one, two) for mode in self.modes]
        first = self._init(one, two)
        return (out + "\n".join([first, *methods])).rstrip("\n").removeprefix(indent)

    def _init(self, one: str, two: str) -> str:
        self.mode = None
        nodes: list[ast.AST] = [m.call for m in self.metrics if m.settings]
        compiled = ""
        rates: list[ast.stmt] = []
        if self.update is not None:
            chosen, source, call = self._optimizer()
            compiled = f"{two}self.compile(optimizer={_one_line(source)})\n"
            rates = self._rates([*chosen, *([call] if call is not None else [])])
            nodes += [*(chosen or [call]), *rates]  # type: ignore[list-item]
            rates += chosen
        wanted = self.init_names(self.function.body, nodes)
        body = [s for s in self.function.body if not _docstring(s)]
        made = self.build(body, wanted - {n for s in rates for n in stores(s)}, two)
        for stmt in rates:
            made += self.statement(stmt, two)
        if "eval" in self.modes:
            made += f'{two}self.{self.mean} = {self.tf}.keras.metrics.Mean(name="loss")\n'
        for metric in self.metrics:
            made += f"{two}self.{metric.name} = {metric.made(self.program)}\n"
        given = "".join(f", {n}" for n in self.arguments)
        kept = "".join(f"{two}self.{n} = {n}\n" for n in self.arguments if n in self.kept)
        settings = ""
        if self.saved:
            given += ", model_dir, **kwargs"
            settings = "model_dir, **kwargs"
        head = f"{one}def __init__(self{given}):\n{two}super().__init__({settings})\n"
        return f"{head}{kept}{made}{compiled}"

    def _rates(self, users: Sequence[ast.AST]) -> list[ast.stmt]:
        """The statements that make a learning rate's schedule, written as Keras's."""
        found = []
        for stmt in self.bodies["train"]:
            value = getattr(stmt, "value", None)
            endpoint = self.program.called(value) if value is not None else ""
            if endpoint in training.DECAYS and stores(stmt) & {n for u in users for n in reads(u)}:
                assert isinstance(value, ast.Call)
                self.instead[id(value)] = training.decays(self.program, endpoint, value)
                found.append(stmt)
        return found

    def _call(self, one: str, two: str) -> str:
        self.mode = None
        body = self.statements(self.forward, two)
        results = ", ".join(self.outputs)
        last = self.forward[-1]
        if len(self.outputs) == 1 and _target(last) == self.outputs[0]:
            before, mark, after = body.rpartition(f"{two}{results} = ")
            if mark and not before.endswith("\\\n"):
                body, results = f"{before}{two}return {after}", ""
        end = f"{two}return {results}\n" if results else ""
        return f"{one}def call(self, features, training=False):\n{body}{end}"

    def _step(self, mode: Mode, one: str, two: str) -> str:
        self.mode = mode
        spec, own = self.specs[mode], self.steps[mode]
        three = two + self.text.unit
        read = {n for s in own for n in reads(s)} | self._goals(mode)
        head = f"{one}def {'test' if mode == 'eval' else mode}_step(self, data):\n"
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
        head += f"{two}self.{self.mean}.update_state({self._value(spec['loss'], two)})\n"
        results = [f'"loss": self.{self.mean}.result()']
        for metric in self.metrics:
            head += f"{two}{metric.updated(self.program, self.source)}\n"
            results.append(f"{self.source(metric.key)}: self.{metric.name}.result()")
        line = f"{two}return {{{', '.join(results)}}}\n"
        if len(line) > 100:
            inner = "".join(f"{three}{r},\n" for r in results)
            line = f"{two}return {{\n{inner}{two}}}\n"
        return head + line

    def _trained(self, forward: str, own: Sequence[ast.stmt], two: str, three: str) -> str:
        """The rest of a train step."""
        assert self.update is not None
        tf, spec = self.tf, self.specs["train"]
        taped = self.slice(own, reads(self.update.loss))
        rest = [s for s in own if s not in taped]
        if any(
            stores(t) & (reads(r) | stores(r))
            for r in rest
            for t in taped[len([x for x in taped if x.lineno < r.lineno]) :]
        ):
            raise Blocked(rest[0], "what the loss is made of is bound again")
        out = f"{two}with {tf}.GradientTape() as tape:\n"
        out += (three + forward if forward else "") + self.statements(taped, three)
        loss = self.source(self.update.loss)
        if not isinstance(self.update.loss, ast.Name):
            out += f"{three}loss = {loss}\n"
            loss = "loss"
        if self.update.gradients is None:
            out += f"{two}variables = self.trainable_variables\n"
            out += f"{two}gradients = {self._gradients(loss, 'variables')}\n"
            out += self.statements(rest, two)
            given = "zip(gradients, variables)"
        else:
            out += self._clipped(rest, loss, two)
            applied = argument(self.update.call, 0, "grads_and_vars")
            assert applied is not None
            given = self.source(applied)
        update = f"{two}self.optimizer.apply_gradients({given})\n"
        same = ast.dump(spec["loss"]) == ast.dump(self.update.loss)
        said = loss if same else self.source(spec["loss"])
        if not self.saved:
            return f'{out}{update}{two}return {{"loss": {said}}}\n'
        if not said.isidentifier():
            out += f"{two}loss = {said}\n"
            said = "loss"
        out += f'{two}self.write_scalar("loss", {said})\n'
        return f'{out}{update}{two}return {{"loss": {said}}}\n'

    def _gradients(self, loss: str, variables: str) -> str:
        """The gradients; those of some rows are made dense: Keras doesn't sum what is double."""
        taken = f"tape.gradient({loss}, {variables})"
        return f"[{self.tf}.convert_to_tensor(g) for g in {taken}]" if self.is_sparse() else taken

    def _clipped(self, rest: Sequence[ast.stmt], loss: str, two: str) -> str:
        """Gradients that are taken, changed and applied in statements of their own."""
        assert self.update is not None
        assert self.update.gradients is not None
        call, out = self.update.gradients, ""
        for stmt in rest:
            if not any(n is call for n in ast.walk(stmt)):
                out += self.statement(stmt, two)
                continue
            value = cast("ast.Assign", stmt).value
            target = cast("ast.Assign", stmt).targets[0]
            out += self.comments(stmt, two)
            if value is call and isinstance(target, ast.Name):
                out += f"{two}variables = self.trainable_variables\n"
                gradients = self._gradients(loss, "variables")
                out += f"{two}{target.id} = list(zip({gradients}, variables))\n"
            elif (
                isinstance(target, (ast.Tuple, ast.List))
                and len(target.elts) == 2
                and self.text.source(value).replace(" ", "").startswith("zip(*")
            ):
                grads, variables = (self.text.source(e) for e in target.elts)
                out += f"{two}{variables} = self.trainable_variables\n"
                out += f"{two}{grads} = {self._gradients(loss, variables)}\n"
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

    def _renamed(self) -> None:
        """Every mention of the function is one that an Estimator is made with."""
        for use in self.program.readers(self.function):
            if not any(use is node for node in self.users):
                raise Blocked(use, f"`{self.function.name}` is used for something else, too")


def _updates(program: Program, function: ast.FunctionDef) -> bool:
    """Whether training runs the updates of batch normalizations.

    Raises:
        Blocked: it waits for something else.
    """
    found = False
    for node in ast.walk(function):
        if not isinstance(node, ast.With):
            continue
        for item in node.items:
            if program.called(item.context_expr) != "tensorflow.control_dependencies":
                continue
            assert isinstance(item.context_expr, ast.Call)
            value = program.scopes.value(item.context_expr.args[0])
            said = [program.endpoint(n) for n in ast.walk(value)]
            if program.called(value) != "tensorflow.get_collection" or not any(
                s.endswith("GraphKeys.UPDATE_OPS") for s in said
            ):
                raise Blocked(item.context_expr, "a run that waits for other ops")
            found = True
    groups = [n for n in ast.walk(function) if program.called(n) == "tensorflow.group"]
    return found or any(
        program.called(program.scopes.value(a)) == "tensorflow.get_collection"
        for n in groups
        if isinstance(n, ast.Call)
        for a in n.args
    )


def _same(stmt: ast.stmt) -> list[ast.AST]:
    """A statement and what is in it, inner functions left out."""
    if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
        return []
    return list(walk_own(stmt))


def _first_bound(own: Sequence[ast.stmt]) -> set[str]:
    """The names that statements bind before they read them."""
    bound: set[str] = set()
    read: set[str] = set()
    for stmt in own:
        read |= reads(stmt) - bound
        bound |= stores(stmt)
    return bound - read


def _target(stmt: ast.stmt) -> str:
    """The one name that a statement assigns."""
    if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1:
        target = stmt.targets[0]
        return target.id if isinstance(target, ast.Name) else ""
    return ""


def _docstring(stmt: ast.stmt) -> bool:
    return (
        isinstance(stmt, ast.Expr)
        and isinstance(stmt.value, ast.Constant)
        and isinstance(stmt.value.value, str)
    )


def _empty(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) and not node.elts


def _one_line(source: str) -> str:
    return re.sub(r"\s*\n\s*", " ", source)


def _class_name(name: str) -> str:
    """A class's name from a function's: `my_cnn_model_fn` is `MyCnnModel`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).strip("_").split("_")
    if words[-1] in ("fn", "function", "func") and len(words) > 1:
        words = words[:-1]
    return "".join(w[:1].upper() + w[1:] for w in words)
