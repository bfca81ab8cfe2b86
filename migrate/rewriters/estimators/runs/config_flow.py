"""RunConfigs that go through a program, as dicts of what a model with checkpoints is made with.

    config = tf.estimator.RunConfig(save_checkpoints_steps=50)   config = dict(every_steps=50)
    config = config.replace(model_dir=path)                      config = dict(config, folder=path)
    build(config)                                                build(config)

https://www.tensorflow.org/guide/migrate/checkpoint_saver
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import ESTIMATORS, Estimator, Program
from migrate.rewriters.estimators.runs import config, strategies

# A RunConfig's fields: what they are for a model with checkpoints.
NAMES = {
    "model_dir": "folder",
    "save_checkpoints_steps": "every_steps",
    "save_checkpoints_secs": "every_secs",
    "keep_checkpoint_max": "keep",
    "save_summary_steps": "summary_steps",
}
# What it says of a process without a cluster, which the output refuses.
ALONE = {
    "is_chief": "True",
    "task_type": "'worker'",
    "task_id": "0",
    "num_worker_replicas": "1",
    "num_ps_replicas": "0",
    "master": "''",
    "evaluation_master": "''",
}


@dataclass(slots=True, eq=False, repr=False)
class Flow:
    """The calls that make and change the RunConfigs of one Estimator."""

    made: list[ast.Call]
    changed: list[ast.Call]


def origins(program: Program, node: ast.expr) -> Flow:
    """Where the RunConfigs that an expression may be come from.

    Raises:
        Blocked: that isn't seen.
    """
    found = Flow([], [])
    _origins(program, node, found, set())
    if not found.made:
        raise Blocked(node, "a RunConfig that isn't seen")
    return found


def _origins(program: Program, node: ast.expr, found: Flow, seen: set[int]) -> None:
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, ast.Call):
        function = program.scopes.function(node.func)
        if program.called(node) in config.CONFIGS:
            if node not in found.made:
                found.made.append(node)
            return
        if isinstance(node.func, ast.Attribute) and node.func.attr == "replace":
            found.changed.append(node)
            _origins(program, node.func.value, found, seen)
            return
        if function is not None:
            for inner in walk(function):
                if isinstance(inner, ast.Return) and program.scopes.scope(inner) is function:
                    if inner.value is None:
                        raise Blocked(inner, "a RunConfig that isn't seen")
                    _origins(program, inner.value, found, seen)
            return
    elif isinstance(node, ast.Attribute) and (kept := program.attribute(node)) is not None:
        _origins(program, kept.value, found, seen)
        return
    elif isinstance(node, ast.Name):
        bindings = program.scopes.bindings(node.id, node)
        if len(bindings) > 1 and (one := program.scopes.lookup(node)) is not None:
            bindings = [one]  # the others come later, or are gone by then
        for binding in bindings:
            if binding.kind == "assign" and binding.value is not None:
                _origins(program, binding.value, found, seen)
            elif binding.kind == "param":
                _given(program, binding.scope, node, found, seen)
            else:
                raise Blocked(node, "a RunConfig that isn't seen")
        return
    raise Blocked(node, "a RunConfig that isn't seen")


def never_given(program: Program, node: ast.Name) -> bool:
    """Whether a name is a parameter that is `None`, since no call gives it."""
    found = program.scopes.bindings(node.id, node)
    function = found[0].scope if len(found) == 1 and found[0].kind == "param" else None
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return False
    args = [*function.args.posonlyargs, *function.args.args]
    place = next((at for at, a in enumerate(args) if a.arg == node.id), None)
    given = dict(zip(reversed(range(len(args))), reversed(function.args.defaults), strict=False))
    if place is None or place not in given or ast.unparse(given[place]) != "None":
        return False
    for use in program.readers(function):
        call = program.scopes.parents[id(use)]
        if not isinstance(call, ast.Call) or call.func is not use or len(call.args) > place:
            return False
        hidden = any(isinstance(a, ast.Starred) for a in call.args)
        if hidden or any(k.arg in (None, node.id) for k in call.keywords):
            return False
    return True


def _given(
    program: Program, function: ast.AST, node: ast.Name, found: Flow, seen: set[int]
) -> None:
    """What the calls of a function give one of its parameters."""
    if not isinstance(function, ast.FunctionDef):
        raise Blocked(node, "a RunConfig that isn't seen")
    names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    for use in program.readers(function):
        call = program.scopes.parents[id(use)]
        if not isinstance(call, ast.Call) or call.func is not use:
            raise Blocked(use, f"`{function.name}`, which is given a RunConfig, is handed on")
        place = names.index(node.id) if node.id in names else len(call.args)
        value = next((k.value for k in call.keywords if k.arg == node.id), None)
        if value is None and place < len(call.args):
            value = call.args[place]
        if value is None:
            raise Blocked(call, "a call without the RunConfig that others have")
        _origins(program, value, found, seen)


def follow(program: Program, node: ast.expr) -> Flow:
    """Make dicts of the RunConfigs that an expression may be, wherever they go.

    Raises:
        Blocked: something reads them that isn't followed.
    """
    flow = origins(program, node)
    known = program.kept.setdefault("run configs", set())
    assert isinstance(known, set)
    todo, calls = [*flow.made, *flow.changed], []

    def used(program: Program, node: ast.expr, made: Estimator) -> bool:
        return _used(program, node, made, todo)

    for call in todo:
        if id(call) in known:
            continue
        known.add(id(call))
        calls.append(call)
        program.follow(call, Estimator(call, lambda: "", keyed=False, what="a RunConfig"), used)
    # What stands in another one is written first.
    for call in sorted(calls, key=lambda c: len(program.text.source(c))):
        _write(program, call)
    return flow


def _write(program: Program, call: ast.Call) -> None:
    """A dict for a RunConfig that is made, or changed."""
    changed = program.called(call) not in config.CONFIGS
    if changed and (call.args or any(k.arg is None for k in call.keywords)):
        raise Blocked(call, "the arguments of a RunConfig's `replace`")
    fields: Mapping[str, ast.expr] = {str(k.arg): k.value for k in call.keywords}
    if not changed:
        fields = program.walker.bound(program.called(call), call)
    settings = config.settings(program, call, fields, changed=changed)
    config.protos(program, call)
    written = [f"{name}={source}" for name, source in settings.items()]
    if changed:
        assert isinstance(call.func, ast.Attribute)
        written.insert(0, program.source(call.func.value))
    program.edit(call, f"dict({', '.join(written)})", "the settings of a model's checkpoints")


def _used(program: Program, node: ast.expr, made: Estimator, changed: list[ast.Call]) -> bool:
    """See to a use of a RunConfig; whether it is one. What changes it is added to a list."""
    above = program.scopes.parents[id(node)]
    outer = program.scopes.parents.get(id(above)) if isinstance(above, ast.keyword) else above
    if isinstance(outer, ast.Call) and outer.func is not node:
        if ESTIMATORS.match(program.called(outer)):
            return True
    if not isinstance(above, ast.Attribute):
        return False
    call = program.scopes.parents[id(above)]
    if above.attr == "replace" and isinstance(call, ast.Call) and call.func is above:
        changed.append(call)
        return True
    if above.attr in ALONE and isinstance(above.ctx, ast.Load):
        if program.called(made.call) == "tensorflow.estimator.RunConfig":
            program.edit(above, ALONE[above.attr])
            return True
    if above.attr == strategies.FIELDS[0] and isinstance(above.ctx, ast.Load):
        program.edit(above, f'{program.source(node)}.get("{strategies.AMONG_SETTINGS}")')
        return True
    if above.attr not in NAMES or not isinstance(above.ctx, ast.Load):
        raise Blocked(above, f"`.{above.attr}` of a RunConfig isn't followed yet")
    program.edit(above, f'{program.source(node)}["{NAMES[above.attr]}"]')
    return True


def strategy(program: Program, flow: Flow, node: ast.expr) -> strategies.Strategy | None:
    """The strategy that the RunConfigs of an Estimator have.

    Raises:
        Blocked: it isn't followed.
    """
    for call in flow.changed:
        for keyword in call.keywords:
            if keyword.arg in strategies.FIELDS:
                raise Blocked(keyword.value, f"`{keyword.arg}` that a RunConfig gets by `replace`")
    made = [(call, program.walker.bound(program.called(call), call)) for call in flow.made]
    return strategies.among(program, node, made)


def sets(flow: Flow, program: Program, name: str) -> bool:
    """Whether some of the RunConfigs have a field."""
    return any(_has(program, call, name) for call in (*flow.made, *flow.changed))


def _has(program: Program, call: ast.Call, name: str) -> bool:
    fields: Mapping[str, ast.expr]
    if program.called(call) in config.CONFIGS:
        fields = program.given(call)
    else:
        fields = {str(k.arg): k.value for k in call.keywords}
    return name in fields
