"""Hooks of `train`, `evaluate`, `predict` and of an EstimatorSpec, as Keras callbacks.

https://www.tensorflow.org/guide/migrate/sessionrunhook_callback
"""

from __future__ import annotations

import ast

from migrate.engine.trees import walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.callbacks import (
    early_stopping,
    profiling,
    session_hooks,
    validation,
)
from migrate.rewriters.estimators.program import Estimator, Program
from migrate.rewriters.estimators.runs import config, in_memory, savers, strategies

MODULES = ("tensorflow.train.", "tensorflow.estimator.")
# What only logs: Keras says itself how far it is, and what its loss is. The last one waits for
# other processes.
LOGS = frozenset(
    module + name
    for module in MODULES
    for name in ("LoggingTensorHook", "StepCounterHook", "GlobalStepWaiterHook")
)
NAN = frozenset(module + "NanTensorHook" for module in MODULES)
STOP = frozenset(module + "StopAtStepHook" for module in MODULES)
SAVES = savers.HOOKS | {module + "SummarySaverHook" for module in MODULES}
MADE = LOGS | NAN | STOP | SAVES | profiling.HOOKS | {validation.MONITOR}
# Why there is no callback for these.
WHY = {
    "SummarySaverHook": "`save_summary_steps` of its RunConfig says when they are written",
    "FeedFnHook": "an input_fn gives what it feeds",
    "FinalOpsHook": "what it runs at the end can follow train()",
}

# A hook runs one step more where that one is done already, `max_steps` none.
AT_STEP = '''class StopAtStep(tf.keras.callbacks.Callback):
    """Ends training once a step is done, counted from the first training on."""

    def __init__(self, last_step):
        super().__init__()
        self.last_step = last_step

    def on_train_batch_end(self, batch, logs=None):
        if int(self.model.optimizer.iterations) >= self.last_step:
            self.model.stop_training = True
'''
AFTER_STEPS = '''class StopAfterSteps(tf.keras.callbacks.Callback):
    """Ends each training once so many steps are done."""

    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def on_train_begin(self, logs=None):
        self.done = 0

    def on_train_batch_end(self, batch, logs=None):
        self.done += 1
        if self.done >= self.steps:
            self.model.stop_training = True
'''
FAILS = '''class FailAtNaN(tf.keras.callbacks.Callback):
    """Ends training with an error where the loss isn't a number."""

    def on_train_batch_end(self, batch, logs=None):
        if math.isnan(logs["loss"]):
            raise RuntimeError("NaN loss during training.")
'''


def stopped(program: Program, node: ast.expr) -> tuple[list[ast.expr], ast.Call | None]:
    """The hooks of a list, without one that stops at a step; and that one.

    Raises:
        Blocked: they aren't seen.
    """
    value = program.scopes.value(node)
    if _chosen(value):
        if value is not node:
            gone(program, node)
        return [value], None
    if not isinstance(value, (ast.List, ast.Tuple)):
        raise Blocked(node, "hooks that aren't a list that is seen")
    if value is not node:
        gone(program, node)
    rest, found = [], None
    for each in value.elts:
        call = program.scopes.value(each)
        if program.called(call) not in STOP:
            rest.append(each)
            continue
        if found is not None:
            raise Blocked(each, "two hooks that stop")
        assert isinstance(call, ast.Call)
        found = call
        if call is not each:
            gone(program, each)
    return rest, found


def callbacks(
    program: Program,
    node: ast.expr,
    made: Estimator,
    *,
    evaluated: bool = False,
    mode: str = "train",
) -> list[str]:
    """The sources of the callbacks that a list of hooks is.

    ``evaluated``: the model is evaluated while it trains.
    ``mode``: Keras's word for what runs with them: train, test or predict.

    Raises:
        Blocked: it isn't seen, or one has no counterpart.
    """
    value = program.scopes.value(node)
    if value is not node:
        gone(program, node)
    if _chosen(value):
        return listed(program, [value], made, evaluated=evaluated, mode=mode)
    if not isinstance(value, (ast.List, ast.Tuple)):
        raise Blocked(node, "hooks that aren't a list that is seen")
    return listed(program, value.elts, made, evaluated=evaluated, mode=mode)


def listed(
    program: Program,
    hooks: list[ast.expr],
    made: Estimator,
    *,
    evaluated: bool = False,
    mode: str = "train",
) -> list[str]:
    """The sources of the callbacks that some hooks are."""
    found = []
    for each in hooks:
        if _chosen(each):
            found += _either(program, each, made, evaluated=evaluated, mode=mode)
            continue
        source = _callback(program, each, made, evaluated=evaluated, mode=mode)
        if source:
            found.append(source)
    return found


def beside(program: Program, given: dict[str, ast.expr], made: Estimator, mode: str) -> list[str]:
    """The callbacks of an evaluation or a prediction, whose hooks are taken from its arguments.

    A hook that logs at the end, too, runs its tensors there again, which may update a metric: that
    one stays among the arguments.
    """
    node = given.get("hooks")
    if node is None:
        return []
    found = callbacks(program, node, made, mode=mode)
    if found and strategies.kind(program):
        raise Blocked(node, "hooks of an evaluation or a prediction, under a strategy")
    for each in walk(program.scopes.value(node)):
        call = program.scopes.value(each) if isinstance(each, (ast.Call, ast.Name)) else None
        known = isinstance(call, ast.Call) and program.called(call) in LOGS
        if isinstance(call, ast.Call) and known and "at_end" in program.given(call):
            return []
    del given["hooks"]
    return found


def written(callbacks: list[str]) -> str:
    """Callbacks as a list's source."""
    if len(callbacks) == 1 and callbacks[0].startswith("*("):
        return callbacks[0][2:-1]
    return f"[{', '.join(callbacks)}]"


def _chosen(node: ast.expr) -> bool:
    """Whether these are hooks where a flag is set, others where it isn't."""
    return isinstance(node, ast.IfExp) and all(
        isinstance(branch, (ast.List, ast.Tuple)) for branch in (node.body, node.orelse)
    )


def _either(
    program: Program, node: ast.expr, made: Estimator, *, evaluated: bool, mode: str
) -> list[str]:
    """The callbacks of such a choice, as an element of a list."""
    assert isinstance(node, ast.IfExp)
    assert isinstance(node.body, (ast.List, ast.Tuple))
    assert isinstance(node.orelse, (ast.List, ast.Tuple))
    first = listed(program, node.body.elts, made, evaluated=evaluated, mode=mode)
    other = listed(program, node.orelse.elts, made, evaluated=evaluated, mode=mode)
    if not first and not other:
        return []
    test = program.source(node.test)
    return [f"*([{', '.join(first)}] if {test} else [{', '.join(other)}])"]


def unread(program: Program) -> None:
    """Hooks and RunConfigs that are made under a name, and given to nothing, go."""
    for call in program.calls():
        endpoint = program.called(call)
        stmt = program.scopes.parents[id(call)]
        made = endpoint in MADE or endpoint in config.CONFIGS
        if not made or not isinstance(stmt, ast.Assign) or id(stmt) in program.removed:
            continue
        target = stmt.targets[0]
        if len(stmt.targets) > 1 or not isinstance(target, ast.Name):
            continue
        found = program.scopes.bindings(target.id, target)
        own = next(b for b in found if b.node is stmt)
        if program.scopes.uses(own, target.id):
            continue
        reads = program.reads(target.id, program.scopes.scope(stmt)) if len(found) > 1 else []
        if any(program.scopes.lookup(read) is None for read in reads):
            continue
        given = [*call.args, *(k.value for k in call.keywords)]
        if any(isinstance(n, (ast.Call, ast.NamedExpr)) for a in given for n in walk(a)):
            continue
        lo, hi = program.text.index.span(stmt)
        if any(edit.start <= lo and hi <= edit.end for edit in program.edits):
            continue  # a model_fn's, of which a class has taken what it needs
        program.remove(stmt)
        if endpoint in config.CONFIGS:
            program.say(call, "no Estimator is given this RunConfig")
            config.protos(program, call)
            continue
        program.say(call, "nothing runs with this hook")
        _tensors(program, call)


def _tensors(program: Program, call: ast.Call) -> None:
    """What a hook that goes would have logged goes with it."""
    for inner in walk(call):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            found = program.scopes.lookup(inner)
            if found is None or not isinstance(found.value, ast.Dict):
                continue
            if len(program.scopes.uses(found, inner.id)) == 1:
                gone(program, inner)


def _callback(
    program: Program, node: ast.expr, made: Estimator, *, evaluated: bool, mode: str
) -> str:
    call = program.scopes.value(node)
    endpoint = program.called(call)
    own = session_hooks.made(program, call, mode=mode)
    if own is not None:
        return _kept(program, node, call, own)
    if isinstance(call, ast.Call) and mode == "train":
        source = _known(program, call, made, evaluated=evaluated)
        if endpoint == validation.MONITOR:
            source = validation.made(program, node, call, made)
        if source:
            return _kept(program, node, call, source)
        if endpoint in NAN:
            fails = program.given(call).get("fail_on_nan_loss")
            if isinstance(fails, ast.Constant) and not fails.value:
                if call is not node:
                    gone(program, node)
                return failing(program, call)
            raise Blocked(
                call,
                "a NanTensorHook of a tensor that isn't known here: leave it out (a model with a "
                "`model_dir` fails at NaN by itself), or give it to the EstimatorSpec",
            )
    if endpoint not in LOGS and not _only_logs(program, call):
        raise Blocked(node, f"no Keras callback for {said(endpoint)} yet{why(endpoint)}")
    if call is not node:
        gone(program, node)
    program.say(call, "this only logged; Keras says what the loss is")
    for inner in walk(call):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            found = program.scopes.lookup(inner)
            if found is not None and isinstance(found.value, ast.Dict):
                gone(program, inner)
    return ""


def _known(program: Program, call: ast.Call, made: Estimator, *, evaluated: bool) -> str:
    """The callback of a hook of TF 1 for training; nothing for one that has none of its own."""
    endpoint = program.called(call)
    if endpoint in early_stopping.KINDS:
        if not evaluated and endpoint != early_stopping.OWN:
            raise Blocked(call, "an early stopping of a model that isn't evaluated beside")
        return early_stopping.made(program, call)
    if endpoint in profiling.HOOKS:
        return profiling.made(program, call)
    if endpoint in savers.HOOKS:
        return savers.made(program, call, made.folder, made)
    if endpoint in in_memory.HOOKS:
        return in_memory.made(program, call, made)
    return ""


def said(endpoint: str) -> str:
    """What a hook is called in a reason."""
    return endpoint.replace("tensorflow", "tf", 1) or "this hook"


def why(endpoint: str) -> str:
    """Why a hook has no callback, as the end of a reason."""
    known = WHY.get(endpoint.rpartition(".")[2])
    return f": {known}" if known else ""


def failing(program: Program, call: ast.Call) -> str:
    """What fails where the loss isn't a number, as an Estimator does, whatever its hook says."""
    program.need(call, "FailAtNaN", FAILS.replace("(tf.", "({tf}."), ["import math"])
    return "FailAtNaN()"


def _only_logs(program: Program, call: ast.expr) -> bool:
    """Whether a function of the program is called that makes a hook which only logs."""
    function = program.scopes.function(call.func) if isinstance(call, ast.Call) else None
    if function is None or function.decorator_list or not isinstance(call, ast.Call):
        return False
    given = [*call.args, *(k.value for k in call.keywords)]
    if any(isinstance(n, (ast.Call, ast.NamedExpr)) for a in given for n in walk(a)):
        return False
    *before, last = function.body
    made = last.value if isinstance(last, ast.Return) else None
    if made is None or program.called(made) not in LOGS:
        return False
    simple = (ast.Assign, ast.If, ast.Expr, ast.Pass)
    for node in (n for s in before for n in walk(s)):
        if isinstance(node, ast.Call) or (isinstance(node, ast.stmt) and type(node) not in simple):
            return False
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            return False
    seen = program.kept.setdefault(("logs", id(function)), set())
    assert isinstance(seen, set)
    if not seen:
        program.finish.append(lambda: _unused(program, function, seen))
    seen.add(id(call))
    return True


def _unused(program: Program, function: ast.FunctionDef, seen: set[int]) -> None:
    """A function goes with the hooks that it made, where it isn't read otherwise."""
    if all(id(program.scopes.parents[id(use)]) in seen for use in program.readers(function)):
        program.remove(function)


def _kept(program: Program, node: ast.expr, call: ast.expr, source: str) -> str:
    """A callback where the hook was made: what has a name keeps it."""
    if call is node:
        return source
    if not isinstance(node, ast.Name):
        raise Blocked(node, "hooks that aren't under a name")
    if source != program.source(call):
        program.edit(call, source, "a Keras callback")
    return node.id


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
