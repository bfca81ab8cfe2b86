"""`tf.estimator.train_and_evaluate`: training up to a step, with an evaluation at its end.

https://www.tensorflow.org/guide/migrate/evaluator
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.callbacks import early_stopping, hooks, saving_listeners
from migrate.rewriters.estimators.data import inputs
from migrate.rewriters.estimators.optimizing import counted_twice, trained_once
from migrate.rewriters.estimators.runs import nones, strategies
from migrate.rewriters.estimators.serving import asset_files, exporters, exports

if TYPE_CHECKING:
    from migrate.rewriters.estimators.program import Estimator, Program

E = "tensorflow.estimator."
BOTH = E + "train_and_evaluate"
SOURCE = '''class EvaluateCheckpoints(tf.keras.callbacks.Callback):
    """Evaluates a model that trains at new checkpoints, as long as it was not done just before."""

    def __init__(self, dataset, throttle_secs, name=None):
        super().__init__()
        self.dataset = dataset
        self.throttle_secs = throttle_secs
        self.name = name

    def on_train_begin(self, logs=None):
        self.seen = self.model.restored
        self.last = None

    def on_train_batch_end(self, batch, logs=None):
        if self.model.restored == self.seen:
            return
        self.seen = self.model.restored
        if self.last is None or time.time() - self.last >= self.throttle_secs:
            self.last = time.time()
            self.model.evaluate(self.dataset, self.name, verbose=0)
'''
# What of it an early stopping looks at.
KEPT = {
    """        self.last = None
""": """        self.last = None
        vars(self.model)["evaluations"] = {}  # what is exported has none
""",
    """            self.model.evaluate(self.dataset, self.name, verbose=0)
""": """            found = self.model.evaluate(self.dataset, self.name, verbose=0)
            self.model.evaluations[int(self.model.optimizer.iterations)] = found
""",
}
# The same beside exporters.
KEPT_BESIDE = {
    """        self.last = None

    def on_train_batch_end""": """        self.last = None
        vars(self.model)["evaluations"] = {}  # what is exported has none

    def on_train_batch_end""",
    """return_dict=True, verbose=0)
""": """return_dict=True, verbose=0)
        self.model.evaluations[int(self.model.optimizer.iterations)] = found
""",
}
# The same with hooks of evaluations.
WATCHED = {
    "name=None):": "name=None, callbacks=()):",
    "        self.name = name\n": "        self.name = name\n        self.callbacks = callbacks\n",
}
EVALUATE = re.compile(r"^( +)(.*evaluate\()self\.dataset, self\.name, (.*)\)$", re.MULTILINE)
GIVEN = "what train_and_evaluate() gives is used"
# What of it the program looks at, where exporters are given what is found.
KEPT_FOUND = """        self.found = found
        for export in"""


def _whole(call: ast.Call) -> ast.Call:
    """The call without `**more`, where it is given all that it takes: more would raise."""
    named = [k for k in call.keywords if k.arg is not None]
    more = [k.value for k in call.keywords if k.arg is None]
    plain = not any(isinstance(a, ast.Starred) for a in call.args)
    if not more or not plain or len(call.args) + len(named) < 3:  # and the two specs
        return call
    if not all(isinstance(value, ast.Name) for value in more):
        return call
    return ast.copy_location(ast.Call(call.func, call.args, named), call)


def both(program: Program, call: ast.Call, made: Estimator, model: str) -> str:
    """What trains and evaluates a model.

    Raises:
        Blocked: a part of it can't be followed.
    """
    given = program.given(_whole(call), BOTH)
    train = _spec(program, given.get("train_spec"), call, "TrainSpec")
    test = _spec(program, given.get("eval_spec"), call, "EvalSpec")
    found, alone = _found(program, call)
    if not made.modes >= {"train", "eval"}:
        raise Blocked(call, "train_and_evaluate() of a model_fn that lacks what it needs")
    data = inputs.dataset(program, train.pop("input_fn"), made)
    tests = inputs.dataset(program, test.pop("input_fn"), made, "eval")
    most = train.pop("max_steps", None)
    if most is not None:
        counted_twice.whole(program, made, most)
    trained_once.seen(program, call, made, most)
    if strategies.workers(program) and made.folder is not None:
        raise Blocked(call, "evaluations at checkpoints of several workers, each by its own clock")
    stops = made.folder is not None and "name" not in test
    given_hooks = train.pop("hooks", None)
    callbacks = (
        [] if given_hooks is None else hooks.callbacks(program, given_hooks, made, evaluated=stops)
    )
    looked = any(early_stopping.LOOKS & page.needed.keys() for page in program.pages)
    steps = nones.count(program, test.pop("steps")) if "steps" in test else "100"
    if steps != "-1":
        tests += strategies.taken(made, model, steps)
    throttle = program.source(test.pop("throttle_secs")) if "throttle_secs" in test else "600"
    chosen = test.pop("exporters", None)
    exporting = [] if chosen is None else exporters.seen(program, chosen)
    if exporting and found and not alone:
        raise Blocked(call, GIVEN)
    spoken = test.get("name")
    named = "" if spoken is None else f", name={program.source(spoken)}"
    for name in ("start_delay_secs", "name"):
        test.pop(name, None)  # of other processes, and of a folder of summaries
    watching = hooks.beside(program, test, made, "test")
    listeners = saving_listeners.given(program, train, made)
    for name, node in (*train.items(), *test.items()):
        raise Blocked(node, f"`{name}` of train_and_evaluate() isn't followed yet")
    if exporting and made.folder is None:
        raise Blocked(call, "an exporter of a model without a `model_dir`")
    watched = program.free(call, "watched") if watching else ""
    beside = f", callbacks={watched}" if watching else ""
    final = [e for e in exporting if e.kind == "Final"]
    often = [exporters.made(program, call, made, e, spoken) for e in exporting if e not in final]
    evaluation = program.free(call, "evaluation") if often else ""
    if often:
        source = exporters.EVALUATES.replace("(tf.", "({tf}.")
        for old, new in KEPT_BESIDE.items() if looked else ():
            assert old in source
            source = source.replace(old, new)
        if found:
            source = source.replace("        for export in", KEPT_FOUND)
        source = _watched(source) if watching else source
        program.need(call, "EvaluateCheckpoints", source, ["import time"])
        callbacks.insert(0, evaluation)
    elif made.folder is not None:
        source = SOURCE.replace("(tf.", "({tf}.")
        if looked:
            for old, new in KEPT.items():
                assert old in source
                source = source.replace(old, new)
        source = _watched(source) if watching else source
        source = strategies.step(program, source)
        program.need(call, "EvaluateCheckpoints", source, ["import time"])
        callbacks.insert(
            0, f"EvaluateCheckpoints({tests}, throttle_secs={throttle}{named}{beside})"
        )
    listed = f", callbacks={hooks.written(callbacks)}" if callbacks else ""
    if most is not None and made.folder is None:
        if strategies.kind(program):
            data += f", steps_per_epoch={program.source(most)}"
        else:
            data += f".take({nones.count(program, most)})"
    elif most is not None:
        data = f"{data}, max_steps={program.source(most)}"
    line = program.text.lines[call.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    out = f"{watched} = {hooks.written(watching)}\n{indent}" if watching else ""
    out += f"{model}.fit({data}{listed}{listeners}, verbose={program.verbose})\n"
    steps_done = strategies.step(program, f"{model}.optimizer.iterations")
    if often:
        inner = indent + program.unit(call)
        listed = "".join(f"{inner}{program.unit(call)}{each},\n" for each in often)
        start = (
            f"EvaluateCheckpoints(\n{inner}{tests},\n{inner}throttle_secs={throttle},\n"
            f"{inner}exporters=[\n{listed}{inner}]{named}{beside},\n{indent})"
        )
        before, _, fitted = out.rpartition(f"{model}.fit(")
        out = f"{before}{evaluation} = {start}\n{indent}{model}.fit({fitted}"
        out += f"{indent}{evaluation}.evaluate()"
        if found:
            result = f"{{**{evaluation}.found, 'global_step': int({steps_done})}}"
            out += f"\n{indent}{found} = {result}"
    else:
        named = named if made.folder is not None else ""
        result = f"{model}.evaluate({tests}{named}{beside}, verbose=0)"
        if found:
            result = result.replace("verbose=0)", "return_dict=True, verbose=0)")
            result = f"{found} = {{**{result}, 'global_step': int({steps_done})}}"
            result += "" if alone else ", []"  # of no exporters
        out += f"{indent}{result}"
    for each in final:
        if most is None:
            raise Blocked(each.call, "a FinalExporter without `max_steps`, which never exports")
        folder = f"os.path.join({model}.folder, 'export', {each.name})"
        beside = asset_files.assets(program, each.rest)
        written = exports.written(program, call, made, model, folder, each.receiver, beside)
        step = strategies.step(program, f"{model}.optimizer.iterations")
        out += f"\n{indent}if {step} >= {program.source(most)}:"
        out += f"\n{indent}{program.unit(call)}{written}"
    return out


def _watched(source: str) -> str:
    """The callback that evaluates, with callbacks of evaluations."""
    for old, new in WATCHED.items():
        assert old in source
        source = source.replace(old, new)
    given = r"self.dataset, self.name, callbacks=self.callbacks, \3"
    return EVALUATE.sub(rf"\1\2\n\1    {given}\n\1)", source)


def whole(program: Program, call: ast.Call) -> ast.AST:
    """What a call is written anew with: the statement where its result has a name."""
    stmt = program.scopes.statement(call)
    return stmt if isinstance(stmt, ast.Assign) else call


def _found(program: Program, call: ast.Call) -> tuple[str, bool]:
    """The name for what the last evaluation found, and whether it names only that.

    What a call gives has another part: what exporters gave.

    Raises:
        Blocked: what it exported is asked for, too.
    """
    above = program.scopes.parents[id(call)]
    if isinstance(above, ast.Expr):
        return "", True
    taken = isinstance(above, ast.Subscript) and isinstance(above.slice, ast.Constant)
    stmt = program.scopes.parents[id(above)] if taken else above
    to = stmt.targets[0] if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
    if isinstance(above, ast.Subscript) and taken and isinstance(to, ast.Name):
        assert isinstance(above.slice, ast.Constant)
        if above.slice.value == 0:
            return to.id, True
    if above is stmt and isinstance(to, ast.Tuple) and len(to.elts) == 2:
        first, other = to.elts
        if isinstance(first, ast.Name) and isinstance(other, ast.Name):
            if not program.reads(other.id, program.scopes.scope(other)):
                return first.id, True
    if above is stmt and isinstance(to, ast.Name):
        return to.id, False
    raise Blocked(call, GIVEN)


def _spec(
    program: Program, node: ast.expr | None, call: ast.Call, name: str
) -> dict[str, ast.expr]:
    """The fields of a TrainSpec or an EvalSpec; the statement that makes it goes."""
    if node is None:
        raise Blocked(call, f"a {name} that isn't seen")
    value = program.scopes.value(node)
    if program.called(value) != E + name or not isinstance(value, ast.Call):
        raise Blocked(node, f"a {name} that isn't seen")
    if value is not node:
        hooks.gone(program, node)
    given = program.walker.bound(E + name, value)
    if "input_fn" not in given:
        raise Blocked(value, "an input_fn that isn't seen")
    return {
        k: v
        for k, v in given.items()
        if (not isinstance(v, ast.Constant) or v.value is not None or k == "steps")
        and not (isinstance(v, (ast.List, ast.Tuple)) and not v.elts)
    }
