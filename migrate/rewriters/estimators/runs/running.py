"""`train`, `evaluate` and `predict` of an Estimator as `fit`, `evaluate` and `predict`.

https://keras.io/api/models/model_training_apis/
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.callbacks import early_stopping, hooks, saving_listeners
from migrate.rewriters.estimators.data import inputs
from migrate.rewriters.estimators.heads_and_columns import added, forwarded
from migrate.rewriters.estimators.optimizing import counted_twice, trained_once
from migrate.rewriters.estimators.program import Estimator, Program
from migrate.rewriters.estimators.runs import (
    checkpoint_paths,
    evaluating,
    in_memory,
    nones,
    predicted_late,
    strategies,
)
from migrate.rewriters.estimators.serving import exports

EXAMPLES = '''def examples(predictions):
    """Yield what a model predicts, example by example."""
    for values in zip(*predictions.values()):
        yield dict(zip(predictions, values))
'''
# Keras's `predict` puts all batches together, which those of several lengths don't fit into.
BY_BATCH = '''def examples(model, dataset, **kwargs):
    """Yield what a model predicts, example by example; each batch has a shape of its own."""
    for batch in dataset:
        predictions = model.predict({tf}.data.Dataset.from_tensors(batch), **kwargs)
'''
PARTS = {
    True: """        for values in zip(*predictions.values()):
            yield dict(zip(predictions, values))
""",
    False: """        yield from predictions
""",
}
ORDERS = {
    "train": ("input_fn", "hooks", "steps", "max_steps", "saving_listeners"),
    "evaluate": ("input_fn", "steps", "hooks", "checkpoint_path", "name"),
    "predict": (
        *("input_fn", "predict_keys", "hooks", "checkpoint_path"),
        "yield_single_examples",
    ),
}


MODES = {"train": "train", "evaluate": "eval", "predict": "predict"}


def used(program: Program, node: ast.expr, made: Estimator) -> bool:
    """See to a use of an Estimator; whether it is one.

    Raises:
        Blocked: what it does isn't followed.
    """
    made.model = program.source(node)
    above = program.scopes.parents[id(node)]
    outer = program.scopes.parents.get(id(above)) if isinstance(above, ast.keyword) else above
    if program.called(outer or above) == evaluating.BOTH:
        assert isinstance(outer, ast.Call)
        if _done(program, outer, made):
            return True
        new = evaluating.both(program, outer, made, program.source(node))
        program.edit(evaluating.whole(program, outer), new, "fit and evaluate of the model")
        return True
    if program.called(outer or above) == added.ADDS:
        assert isinstance(outer, ast.Call)
        if not _done(program, outer, made):
            added.taken(program, outer, made)
        return True
    if program.called(outer or above) == added.FORWARDS:
        assert isinstance(outer, ast.Call)
        if not _done(program, outer, made):
            forwarded.taken(program, outer, made)
        return True
    if program.called(outer or above) in early_stopping.KINDS | in_memory.HOOKS.keys():
        return True
    if not isinstance(above, ast.Attribute):
        return False
    call = program.scopes.parents[id(above)]
    if ("folder read", id(above)) in program.kept:
        return True
    if above.attr == "model_dir" and made.folder is not None and isinstance(above.ctx, ast.Load):
        program.edit(above, f"{program.source(node)}.folder")
        return True
    if above.attr == "eval_dir" and isinstance(call, ast.Call) and call.func is above:
        if made.folder is None or call.keywords or call.args:
            raise Blocked(call, "the folder of evaluations with a name, or of no `model_dir`")
        program.edit(call, _joined(program, call, f'{program.source(node)}.folder + "/eval"'))
        return True
    if above.attr == "latest_checkpoint" and isinstance(call, ast.Call) and not call.args:
        if made.folder is None or call.keywords:
            raise Blocked(call, "the latest checkpoint of a model without a `model_dir`")
        latest = f"{program.tf}.train.latest_checkpoint({program.source(node)}.folder)"
        program.edit(call, latest)
        return True
    if above.attr in exports.METHODS and isinstance(call, ast.Call) and call.func is above:
        if not _done(program, call, made):
            program.edit(
                call, exports.exported(program, call, made, program.source(node)), "export"
            )
        return True
    if not isinstance(call, ast.Call) or call.func is not above or above.attr not in ORDERS:
        raise Blocked(above, f"`.{above.attr}` of an Estimator isn't followed yet")
    if MODES[above.attr] not in made.modes:
        raise Blocked(call, f"{above.attr}() of a model_fn whose EstimatorSpec lacks what it needs")
    if _done(program, call, made):
        return True
    given = arguments(call, ORDERS[above.attr])
    if "input_fn" not in given:
        raise Blocked(call, "an input_fn that isn't seen")
    if above.attr == "predict" and inputs.endless(program, given["input_fn"]):
        # A generator is asked for as much as the program wants, `Model.predict` gives it all.
        program.kept["endless", id(call)] = True
    made.asked = False
    data = inputs.dataset(program, given.pop("input_fn"), made, MODES[above.attr])
    program.kept["asked", id(call)] = made.asked
    model = program.source(node)
    new = {"train": train, "evaluate": evaluate, "predict": predict}[above.attr](
        program, call, made, model, data, given
    )
    if isinstance(node, ast.Call) and id(node) in program.estimators:
        raise Blocked(node, "an Estimator that has no name")
    program.edit(call, new, f"{'fit' if above.attr == 'train' else above.attr} of the model")
    return True


def _done(program: Program, call: ast.Call, made: Estimator) -> bool:
    """Whether a call was seen to already, for another Estimator that it may be of.

    Raises:
        Blocked: it would be written in another way.
    """
    other = program.kept.setdefault(("run", id(call)), made)
    assert isinstance(other, Estimator)
    kinds = [(m.keyed, m.sizes, m.folder is None) for m in (other, made)]
    asked = program.kept.get(("asked", id(call)), True)
    if kinds[0] != kinds[1] or (asked and other.params != made.params):
        raise Blocked(call, "one call for several kinds of Estimators")
    return other is not made


def arguments(call: ast.Call, order: tuple[str, ...]) -> dict[str, ast.expr]:
    """A method's arguments, without a `None` or an empty list that is written."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    ):
        raise Blocked(call, "arguments are hidden here")
    found = dict(zip(order, call.args, strict=False))
    found.update({str(k.arg): k.value for k in call.keywords})
    for name, node in list(found.items()):
        none = isinstance(node, ast.Constant) and node.value is None
        if none or (isinstance(node, (ast.List, ast.Tuple)) and not node.elts):
            del found[name]
    return found


def _rest(given: dict[str, ast.expr], what: str) -> None:
    for name, node in given.items():
        raise Blocked(node, f"`{name}` of {what}() isn't followed yet")


def train(
    program: Program,
    call: ast.Call,
    made: Estimator,
    model: str,
    data: str,
    given: dict[str, ast.expr],
) -> str:
    steps, most = given.pop("steps", None), given.pop("max_steps", None)
    callbacks: list[str] = []
    if "hooks" in given:
        rest, stop = hooks.stopped(program, given.pop("hooks"))
        callbacks = hooks.listed(program, rest, made)
        if stop is not None:
            if steps is not None or most is not None:
                raise Blocked(stop, "steps beside a hook that stops")
            limits = program.given(stop)
            steps, most = limits.get("num_steps"), limits.get("last_step")
            if most is not None and made.folder is not None:
                if strategies.kind(program):
                    raise Blocked(stop, "`last_step` of a model that goes on from a checkpoint")
                program.need(call, "StopAtStep", hooks.AT_STEP.replace("(tf.", "({tf}."))
                callbacks.append(f"StopAtStep({program.source(most)})")
                most = None
    listeners = saving_listeners.given(program, given, made)
    _rest(given, "train")
    above = program.scopes.parents[id(call)]
    if not isinstance(above, ast.Expr):
        raise Blocked(call, "what train() returns is used")
    if most is not None:
        counted_twice.whole(program, made, most)
    trained_once.seen(program, call, made, most if steps is None else None)
    out = f"{model}.fit({data}"
    replicated = strategies.kind(program)
    if steps is not None and replicated:
        out += f", steps_per_epoch={program.source(steps)}"
    elif steps is not None:
        taken = counted_twice.batches(program, call, made, model, steps)
        out += f".take({taken or nones.count(program, steps)})"
    elif most is not None and made.folder is not None:
        out += f", max_steps={program.source(most)}"
    elif most is not None:
        most_of = program.source(most)
        taken = f".take({nones.count(program, most)})"
        out += f", steps_per_epoch={most_of}" if replicated else taken
    if callbacks:
        out += f", callbacks={hooks.written(callbacks)}"
    out += listeners
    return f"{out}, verbose={program.verbose})"


def evaluate(
    program: Program,
    call: ast.Call,
    made: Estimator,
    model: str,
    data: str,
    given: dict[str, ast.expr],
) -> str:
    steps = given.pop("steps", None)
    name = given.pop("name", None)
    checkpoint = checkpoint_paths.written(program, made, given)
    callbacks = hooks.beside(program, given, made, "test")
    _rest(given, "evaluate")
    out = f"{model}.evaluate({data}"
    if steps is not None:
        out += strategies.taken(made, model, nones.count(program, steps))
    if name is not None and made.folder is not None:  # of a folder for summaries
        out += f", name={program.source(name)}"
    if callbacks:
        out += f", callbacks={hooks.written(callbacks)}"
    out = f"{out}{checkpoint}, return_dict=True, verbose=0)"
    if _all_read(program, call):
        step = strategies.step(program, f"{model}.optimizer.iterations")
        return f'{{**{out}, "global_step": int({step})}}'
    return out


def _all_read(program: Program, call: ast.Call) -> bool:
    """Whether the global step among what an evaluation gives may be read."""
    above = program.scopes.parents[id(call)]
    if isinstance(above, ast.Expr):
        return False
    if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
        target = above.targets[0]
        scope = program.scopes.scope(target)
        uses = program.reads(target.id, scope)
        return any(_steps(program, use) for use in uses)
    return _steps(program, call)


def _steps(program: Program, node: ast.expr) -> bool:
    """Whether a use of such a dict may read the step."""
    above = program.scopes.parents[id(node)]
    if isinstance(above, ast.Subscript) and isinstance(above.slice, ast.Constant):
        return bool(above.slice.value == "global_step")
    if isinstance(above, ast.keyword) and above.arg is None:
        return "global_step" in program.source(program.scopes.parents[id(above)])
    return True


def predict(
    program: Program,
    call: ast.Call,
    made: Estimator,
    model: str,
    data: str,
    given: dict[str, ast.expr],
) -> str:
    predicted_late.checked(program, call)
    keys = given.pop("predict_keys", None)
    single = given.get("yield_single_examples")
    whole = isinstance(single, ast.Constant) and single.value is False
    if isinstance(single, ast.Constant) and isinstance(single.value, bool):
        del given["yield_single_examples"]  # as an Estimator does anyway, or by batches
    checkpoint = checkpoint_paths.written(program, made, given)
    callbacks = hooks.beside(program, given, made, "predict")
    _rest(given, "predict")
    program.kept["predicted", id(made.home)] = call
    if callbacks:
        above = program.scopes.parents[id(call)]
        at_once = isinstance(above, ast.Call) and program.source(above.func) == "list"
        if whole or program.ragged or ("endless", id(call)) in program.kept or not at_once:
            raise Blocked(call, "hooks of predict() whose examples aren't made a list of at once")
        checkpoint += f", callbacks={hooks.written(callbacks)}"
    if whole:
        return _by_batch(
            program, call, made, f"{model}, {data}{checkpoint}, verbose=0", keys, "batches"
        )
    if program.ragged or ("endless", id(call)) in program.kept:
        return _by_batch(program, call, made, f"{model}, {data}{checkpoint}, verbose=0", keys)
    out = f"{model}.predict({data}{checkpoint}, verbose=0)"
    if not made.keyed:
        if keys is not None:
            raise Blocked(keys, "keys of predictions that have none")
        return out
    if keys is not None:
        some = f"key: values for key, values in {out}.items()"
        out = f"{{{some} if key in {program.source(keys)}}}"
    taken = "examples" in program.page(call).bound
    name = "predicted_examples" if taken else "examples"
    program.need(call, name, EXAMPLES.replace("examples(", f"{name}("))
    return f"{name}({out})"


def _by_batch(
    program: Program,
    call: ast.Call,
    made: Estimator,
    given: str,
    keys: ast.expr | None,
    wish: str = "",
) -> str:
    """What batches of several shapes come to: they are predicted one after the other.

    ``wish``: the name of the function, where batches are wanted instead of examples.
    """
    if keys is not None and not made.keyed:
        raise Blocked(keys, "keys of predictions that have none")
    parts = PARTS[made.keyed]
    if wish:
        parts = "        yield predictions\n"
    else:
        wish = "examples" if made.keyed else "each_example"
    name = f"predicted_{wish}" if wish in program.page(call).bound else wish
    source = (BY_BATCH + parts).replace("examples(", f"{name}(", 1)
    if wish == "batches":
        source = source.replace("example by example; each batch has", "batch by batch; each has")
    program.need(call, name, source)
    if keys is None:
        return f"{name}({given})"
    some = f"key: value for key, value in example.items() if key in {program.source(keys)}"
    return f"({{{some}}} for example in {name}({given}))"


def _joined(program: Program, call: ast.Call, source: str) -> str:
    """A sum where a call stood: in parentheses, but where it is an argument or a statement's."""
    above = program.scopes.parents[id(call)]
    alone = isinstance(above, (ast.Assign, ast.Return, ast.keyword))
    return (
        source if alone or (isinstance(above, ast.Call) and call in above.args) else f"({source})"
    )
