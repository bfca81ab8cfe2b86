"""Hooks of an EstimatorSpec: callbacks that the model's own `fit` adds, new ones each time.

return EstimatorSpec(mode, loss=loss,     def fit(self, *args, callbacks=(), **kwargs):
    train_op=…, training_hooks=[              callbacks = [*callbacks, Watch("loss")]
        Watch(loss)])                         return super().fit(*args, callbacks=…)

Those of evaluations and predictions are added by `evaluate` and `predict`.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.callbacks import hooks, profiling, session_hooks, summary_hooks
from migrate.rewriters.estimators.models import scaffolds
from migrate.rewriters.estimators.program import parameter
from migrate.rewriters.estimators.runs import savers
from migrate.rewriters.estimators.syntax import reads

if TYPE_CHECKING:
    from migrate.rewriters.estimators.models.modes import Mode
    from migrate.rewriters.estimators.optimizing.optimizers import Optimizers

SUMS = frozenset({"tensorflow.reduce_mean", "tensorflow.reduce_sum"})
AFTER = ("StopAfterSteps", hooks.AFTER_STEPS)
# What runs with the hooks of a mode: Keras's method, and its word.
RUNS = {"train": ("fit", "train"), "eval": ("evaluate", "test"), "predict": ("predict", "predict")}


def taken(model: Optimizers, node: ast.expr, nodes: list[ast.expr], mode: Mode = "train") -> None:
    """Read the hooks of a spec.

    Raises:
        Blocked: they aren't a list that is seen.
    """
    value = model.resolved(node, model.bodies[mode])
    if not isinstance(value, (ast.List, ast.Tuple)):
        raise Blocked(node, "hooks that aren't a list that is seen")
    nodes += value.elts


def sources(model: Optimizers) -> list[str]:
    """The callbacks that the hooks for training are, as `fit` makes them.

    Raises:
        Blocked: one has no counterpart, or is given what `fit` hasn't.
    """
    program, body = model.program, model.bodies.get("train", [])
    found = []
    for node in model.spec_hooks:
        call = model.resolved(node, body)
        if program.called(call) in hooks.LOGS:
            program.say(call, "this only logged; Keras says what the loss is")
            continue
        if model.replicated:
            raise Blocked(node, "a hook of a spec, under a strategy")
        if program.called(call) in hooks.NAN:
            assert isinstance(call, ast.Call)
            found.append(_fails(model, call))
            continue
        if program.called(call) in summary_hooks.HOOKS:
            assert isinstance(call, ast.Call)
            _outside(model, call, but=("summary_op", "scaffold"))
            model.savers.append(summary_hooks.seen(model, call))
            found.append(f"self.{model.savers[-1].name}")
            continue
        if (source := _known(model, call)) is not None:
            found.append(source)
            continue
        definition = _class(model, node, call)
        assert isinstance(call, ast.Call)
        tensors = _tensors(model, call, definition)
        session_hooks.made(program, call, tensors)
        found.append(_made(model, call))
    return found


def watching(model: Optimizers, mode: Mode, nodes: list[ast.expr]) -> list[str]:
    """The callbacks that the hooks for evaluations or predictions are.

    Raises:
        Blocked: one has no counterpart, or is given what a model_fn computes.
    """
    program, body = model.program, model.bodies[mode]
    found = []
    for node in nodes:
        call = model.resolved(node, body)
        if program.called(call) in hooks.LOGS:
            program.say(call, "this only logged; Keras says what the loss is")
            continue
        if model.replicated:
            raise Blocked(node, "a hook of a spec, under a strategy")
        if program.called(call) in summary_hooks.HOOKS:
            raise Blocked(node, "summaries of an evaluation beside its metrics, which it writes")
        _class(model, node, call)
        assert isinstance(call, ast.Call)
        _outside(model, call)
        session_hooks.made(program, call, mode=RUNS[mode][1])
        found.append(_made(model, call))
    return found


def _class(model: Optimizers, node: ast.expr, call: ast.expr) -> ast.ClassDef:
    """The program's class of a hook."""
    definition = session_hooks.definition_of(model.program, call)
    if definition is None:
        endpoint = model.program.called(call)
        what = endpoint.rpartition(".")[2] or "this hook"
        raise Blocked(node, f"no Keras callback for {what} of a spec{hooks.why(endpoint)}")
    return definition


def _made(model: Optimizers, call: ast.Call) -> str:
    """The source of a callback of the program's class."""
    model.mode = None
    source = " ".join(model.source(call).split())
    for value in (*call.args, *(k.value for k in call.keywords)):
        model.instead.pop(id(value), None)  # a step computes it
    return source


def _known(model: Optimizers, call: ast.expr) -> str | None:
    """The callback for a hook of TF 1 that needs nothing of a model_fn."""
    program, model.mode = model.program, None
    endpoint = program.called(call)
    if endpoint not in hooks.STOP | savers.HOOKS | profiling.HOOKS:
        return None
    assert isinstance(call, ast.Call)
    if endpoint in savers.HOOKS:
        folder = program.kept.get(("folder", id(model.function)))
        assert folder is None or isinstance(folder, ast.expr)
        saver = program.given(call).get("saver")
        if saver is not None:
            made = model.resolved(saver, model.bodies["train"])
            if not scaffolds.kept(model, made, "train"):
                raise Blocked(saver, "the Saver of a CheckpointSaverHook isn't seen")
        _outside(model, call, but=("saver",))
        return savers.made(program, call, folder, written=model.source)
    _outside(model, call)
    if endpoint in profiling.HOOKS:
        return profiling.made(program, call, model.source)
    given = program.given(call)
    last, steps = given.get("last_step"), given.get("num_steps")
    if (last is None) == (steps is None):
        raise Blocked(call, "a StopAtStepHook with both numbers, or none")
    name, code = ("StopAtStep", hooks.AT_STEP) if last is not None else AFTER
    program.need(call, name, code.replace("(tf.", "({tf}."))
    return f"{name}({model.source(last or steps)})"  # type: ignore[arg-type]


def _outside(model: Optimizers, call: ast.Call, but: Collection[str] = ()) -> None:
    """See to it that a hook is given nothing that a model_fn computes, ``but`` some arguments.

    Raises:
        Blocked: it is.
    """
    bound = model.program.scopes.bound(model.function).keys() - model.own
    given = [*call.args, *(k.value for k in call.keywords)]
    known = model.program.given(call) if but else {}
    for value in given:
        if any(value is known.get(name) for name in but):
            continue
        if model.is_tensor(value) or reads(value) & bound:
            raise Blocked(value, "a hook of a spec that is made with what a model_fn computes")


def _fails(model: Optimizers, call: ast.Call) -> str:
    """What looks at each loss, and fails where it isn't a number.

    Raises:
        Blocked: it looks at something else.
    """
    given = model.program.given(call)
    if "loss_tensor" not in given or _key(model, given["loss_tensor"]) != "loss":
        raise Blocked(call, "a NanTensorHook of something else than the loss")
    return hooks.failing(model.program, call)


def _tensors(model: Optimizers, call: ast.Call, definition: ast.ClassDef) -> frozenset[str]:
    """The arguments of a hook that are scalars of a step, which it is given the keys of."""
    first = next(
        (s for s in definition.body if isinstance(s, ast.FunctionDef) and s.name == "__init__"),
        None,
    )
    bound = model.program.scopes.bound(model.function).keys() - model.own
    found = set()
    for value in (*call.args, *(k.value for k in call.keywords)):
        if not model.is_tensor(value):
            if reads(value) & bound:
                raise Blocked(value, "a hook of a spec that is made with what a model_fn computes")
            continue
        if first is None:
            raise Blocked(call, "a hook that is given tensors, and has no `__init__`")
        names = [a.arg for a in first.args.args[1:]]
        place = call.args.index(value) if value in call.args else None
        name = parameter(first, call, value) if place is None else (names + [None] * 9)[place]
        if name is None:
            raise Blocked(value, "which argument of a hook this is")
        model.instead[id(value)] = repr(_key(model, value))
        found.add(name)
    return frozenset(found)


def _key(model: Optimizers, node: ast.expr) -> str:
    """The key under which a training step gives a scalar.

    Raises:
        Blocked: whether it is one isn't seen.
    """
    assert model.update is not None
    body = model.bodies["train"]
    if ast.dump(node) == ast.dump(model.specs["train"]["loss"]):
        return "loss"
    value = model.resolved(node, body)
    whole = isinstance(value, ast.Call) and model.program.called(value) in SUMS
    rest = set(model.program.given(value)) if whole and isinstance(value, ast.Call) else {"axis"}
    if not isinstance(node, ast.Name) or rest - {"input_tensor", "name"}:
        raise Blocked(node, "what a hook asks for isn't the loss, a mean or a sum")
    for key, other in model.told.items():
        if ast.dump(other) == ast.dump(node):
            return key
    wish = node.id if node.id != "loss" else "value"
    key = wish if wish not in model.told else f"{wish}_{len(model.told) + 1}"
    model.told[key] = node
    return key


def written(model: Optimizers, mode: Mode, callbacks: list[str], one: str, two: str) -> str:
    """The model's `fit`, `evaluate` or `predict`."""
    made = ", ".join(["*callbacks", *callbacks])
    name = RUNS[mode][0]
    return (
        f"{one}def {name}(self, *args, callbacks=(), **kwargs):\n"
        f"{two}callbacks = [{made}]\n"
        f"{two}return super().{name}(*args, callbacks=callbacks, **kwargs)\n"
    )
