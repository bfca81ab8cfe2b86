"""Hooks of an EstimatorSpec: callbacks that the model's own `fit` adds, new ones each time.

return EstimatorSpec(mode, loss=loss,     def fit(self, *args, callbacks=(), **kwargs):
    train_op=…, training_hooks=[              callbacks = [*callbacks, Watch("loss")]
        Watch(loss)])                         return super().fit(*args, callbacks=…)
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators import hooks, session_hooks
from migrate.rewriters.estimators.program import parameter
from migrate.rewriters.estimators.syntax import reads

if TYPE_CHECKING:
    from migrate.rewriters.estimators.optimizers import Optimizers

SUMS = frozenset({"tensorflow.reduce_mean", "tensorflow.reduce_sum"})
NAMED = {
    "CheckpointSaverHook": "`save_checkpoints_steps` of its RunConfig saves an Estimator's",
    "SummarySaverHook": "`save_summary_steps` of its RunConfig says when they are written",
    "FeedFnHook": "an input_fn gives what it feeds",
    "FinalOpsHook": "what it runs at the end can follow train()",
}


def taken(model: Optimizers, node: ast.expr, nodes: list[ast.expr]) -> None:
    """Read the training hooks of a spec.

    Raises:
        Blocked: they aren't a list that is seen.
    """
    value = model.resolved(node, model.bodies["train"])
    if not isinstance(value, (ast.List, ast.Tuple)):
        raise Blocked(node, "hooks that aren't a list that is seen")
    nodes += value.elts


def sources(model: Optimizers) -> list[str]:
    """The callbacks that the hooks are, as `fit` makes them.

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
        if program.called(call) in hooks.NAN:
            assert isinstance(call, ast.Call)
            found.append(_fails(model, call))
            continue
        definition = session_hooks.definition_of(program, call)
        if definition is None:
            what = program.called(call).rpartition(".")[2]
            why = f": {NAMED[what]}" if what in NAMED else ""
            raise Blocked(node, f"no Keras callback for {what or 'this hook'} of a spec{why}")
        assert isinstance(call, ast.Call)
        if model.replicated:
            raise Blocked(node, "a hook of a spec, under a strategy")
        tensors = _tensors(model, call, definition)
        session_hooks.made(program, call, tensors)
        model.mode = None
        found.append(" ".join(model.source(call).split()))
        for value in (*call.args, *(k.value for k in call.keywords)):
            model.instead.pop(id(value), None)  # a step computes it
    return found


def _fails(model: Optimizers, call: ast.Call) -> str:
    """What looks at each loss, and fails where it isn't a number.

    Raises:
        Blocked: it looks at something else.
    """
    if model.replicated:
        raise Blocked(call, "a hook of a spec, under a strategy")
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


def written(model: Optimizers, one: str, two: str) -> str:
    """The model's `fit`."""
    made = ", ".join(["*callbacks", *model.callbacks])
    return (
        f"{one}def fit(self, *args, callbacks=(), **kwargs):\n"
        f"{two}callbacks = [{made}]\n"
        f"{two}return super().fit(*args, callbacks=callbacks, **kwargs)\n"
    )
