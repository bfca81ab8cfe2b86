"""Hooks of `train`, `evaluate`, `predict` and of an EstimatorSpec, as Keras callbacks.

https://www.tensorflow.org/guide/migrate/sessionrunhook_callback
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program

T = "tensorflow.train."
# What only logs: Keras says itself how far it is, and what its loss is.
LOGS = frozenset({T + "LoggingTensorHook", T + "StepCounterHook"})


def callbacks(program: Program, node: ast.expr) -> list[str]:
    """The sources of the callbacks that a list of hooks is.

    Raises:
        Blocked: it isn't seen, or one has no counterpart.
    """
    value = program.scopes.value(node)
    if value is not node:
        gone(program, node)
    if not isinstance(value, (ast.List, ast.Tuple)):
        raise Blocked(node, "hooks that aren't a list that is seen")
    found = []
    for each in value.elts:
        made = _callback(program, each)
        if made:
            found.append(made)
    return found


def _callback(program: Program, node: ast.expr) -> str:
    call = program.scopes.value(node)
    endpoint = program.called(call)
    if endpoint == T + "NanTensorHook":
        given = program.given(call)  # type: ignore[arg-type]
        fails = given.get("fail_on_nan_loss")
        if isinstance(fails, ast.Constant) and not fails.value:
            if call is not node:
                gone(program, node)
            return f"{program.tf}.keras.callbacks.TerminateOnNaN()"
        raise Blocked(call, "a hook that fails at NaN: its tensor isn't known any more")
    if endpoint not in LOGS:
        what = endpoint.replace("tensorflow", "tf") or "this hook"
        raise Blocked(node, f"no Keras callback for {what} yet")
    if call is not node:
        gone(program, node)
    program.say(call, "this only logged; Keras says what the loss is")
    for inner in ast.walk(call):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            found = program.scopes.lookup(inner)
            if found is not None and isinstance(found.value, ast.Dict):
                gone(program, inner)
    return ""


def gone(program: Program, node: ast.expr) -> None:
    """The statement that a name was given something in goes, if nothing else reads it."""
    if not isinstance(node, ast.Name):
        raise Blocked(node, "hooks that aren't under a name")
    found = program.scopes.lookup(node)
    if found is None or found.kind != "assign" or not isinstance(found.node, ast.Assign):
        raise Blocked(node, f"what `{node.id}` is isn't seen")
    seen = program.kept.setdefault(("hook", id(found.node)), set())
    assert isinstance(seen, set)
    seen.add(id(node))
    if len(seen) > 1:
        return
    stmt, name = found.node, node.id
    if len(stmt.targets) != 1 or isinstance(stmt.value, ast.Name):
        raise Blocked(stmt, "hooks under several names")
    program.remove(stmt)
    uses = program.scopes.uses(found, name)

    def check() -> None:
        for use in uses:
            above = program.scopes.statement(use)
            if id(use) not in seen and id(above) not in program.removed:
                raise Blocked(use, f"`{name}` is read by more than an Estimator")

    program.finish.append(check)
