"""`tf.contrib.learn.Estimator`: a model_fn that returns a tuple, arrays that are fed, `fit`.

    net = learn.Estimator(model_fn)            net = Model()
    net.fit(x, y, batch_size=8, steps=100)     net.fit(batches(x, y, size=8, shuffle=True).take(…))

The model_fn is said in words of `tf.estimator` first. Batches of arrays are those of TF 1.15.5,
which shuffles by a seed of its own.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/learn/python/learn/learn_io/data_feeder.py
"""

from __future__ import annotations

import ast
import re
from functools import partial

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.layering import total_losses
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled, Written, word
from migrate.rewriters.estimators.contrib_learn import learn_metrics
from migrate.rewriters.estimators.data import inputs
from migrate.rewriters.estimators.models import chosen_model_fns, model_fn
from migrate.rewriters.estimators.program import READERS, Estimator, Program, maker
from migrate.rewriters.estimators.runs import evaluating, running
from migrate.rewriters.estimators.syntax import reads, stores

LEARN = "tensorflow.contrib.learn"
OPS = f"{LEARN}.ModelFnOps"
KNOWN = ("mode", "params", "config")
BATCHES = '''def batches(x, y=None, size=None, shuffle=False):
    """Batches of arrays, as TF 1's contrib.learn took them: shuffled without end, or once."""
    arrays = [np.asarray(x)]
    if arrays[0].ndim == 1:
        arrays[0] = arrays[0][:, np.newaxis]
    if y is not None:
        labels = np.asarray(y)
        arrays.append(labels[:, 0] if labels.ndim > 1 and labels.shape[1] == 1 else labels)
    count = len(arrays[0])

    def taken():
        state = np.random.RandomState(42)
        while True:
            order = state.permutation(count) if shuffle else np.arange(count)
            for start in range(0, count, size or count):
                chosen = order[start : start + (size or count)]
                yield tuple(array[chosen] for array in arrays)
            if not shuffle:
                return

    specs = tuple({tf}.TensorSpec((None, *a.shape[1:]), a.dtype) for a in arrays)
    return {tf}.data.Dataset.from_generator(taken, output_signature=specs)
'''
# Arguments by their places: an Estimator's, and those of the wrapper that is like scikit-learn.
ORDERS = {
    "fit": ("x", "y", "input_fn", "steps", "batch_size", "monitors", "max_steps"),
    "evaluate": (
        *("x", "y", "input_fn", "feed_fn", "batch_size", "steps", "metrics", "name"),
        *("checkpoint_path", "hooks", "log_progress"),
    ),
    "predict": ("x", "input_fn", "batch_size", "outputs", "as_iterable", "iterate_batches"),
}
WRAPPED = {
    "fit": ("x", "y", "batch_size", "steps", "max_steps", "monitors"),
    "score": ("x", "y", "batch_size", "steps", "metrics", "name"),
    "predict": ("x", "batch_size", "outputs"),
}
INSTEAD = {
    "feed_fn": "an input_fn gives what it feeds",
    "outputs": "what is left out of predictions can be left out of what is returned",
}
SAME = {"predict_classes": "predict", "predict_scores": "predict"}  # of canned Estimators
QUEUED = re.compile(r"\.(numpy_input_fn|pandas_input_fn)$")
QUEUES = re.compile(r"(_input_producer|[Qq]ueue|QueueRunner|train\.(shuffle_|maybe_)?batch\w*)$")
MODES = {"fit": "train", "evaluate": "eval", "score": "eval", "predict": "predict"}


def _loss(program: Program, call: ast.Call) -> None:
    """A loss of `contrib.losses`, in words of `tf.losses` first."""
    total_losses.older(program.walker, program.called(call), call)


READERS.update({m + n: _loss for m in total_losses.OLDER for n in total_losses.FIRST})


@maker(f"{LEARN}.Estimator")
def estimator(program: Program, endpoint: str, call: ast.Call) -> Estimator:
    """An Estimator of contrib.learn with a model_fn of the program."""
    given = program.given(call, endpoint)
    function = program.scopes.function(given.get("model_fn", call))
    if function is None:
        if "model_fn" in given:
            chosen_model_fns.spelled(program, given["model_fn"], call)
        raise Blocked(call, "the model_fn isn't seen")
    _plainer(program, function)
    made = model_fn.made(program, call, given)
    made.learns = True
    return made


def _plainer(program: Program, function: ast.FunctionDef) -> None:
    """See to it that a model_fn is one of `tf.estimator`.

    Raises:
        Spelled: it can be said so.
        Blocked: it can't.
    """
    args = [*function.args.posonlyargs, *function.args.args]
    if len(args) < 2 or function.args.vararg or function.args.kwarg:
        raise Blocked(function, "a model_fn with these arguments or a decorator")
    for extra in args[2:]:
        if extra.arg not in KNOWN:
            raise Blocked(function, f"a model_fn with an argument `{extra.arg}`")
    root = program.page(function).root
    if not root:
        raise Blocked(function, "TensorFlow isn't imported as a whole")
    mode = "mode" if "mode" in [a.arg for a in args[2:]] else "None"
    spec = f"{root}.estimator.EstimatorSpec"
    written: list[Written] = []
    for node in walk(function):
        if program.called(node) == OPS:
            assert isinstance(node, ast.Call)
            if "output_alternatives" in program.given(node):
                raise Blocked(node, "`output_alternatives` of a ModelFnOps: say `export_outputs`")
            written.append((node.func, word(spec)))
        value = node.value if isinstance(node, ast.Return) else None
        if value is None or program.scopes.scope(value) is not function:
            continue
        if isinstance(value, ast.Tuple) and len(value.elts) == 3:
            text = program.text.source
            predictions, loss, train_op = (text(e) for e in value.elts)
            written.append(
                (
                    value,
                    word(
                        f"{spec}({mode}, predictions={predictions}, loss={loss}, "
                        f"train_op={train_op})"
                    ),
                )
            )
    renames: list[Written] = []
    for arg, name in zip(args[:2], ("features", "labels"), strict=True):
        if arg.arg == name:
            continue
        names = {n.id for n in all_of(function, ast.Name)}
        names |= {n.arg for n in all_of(function, ast.arg)}
        hidden = [n for s in function.body for n in all_of(s, ast.arg)]
        taken = name in names and not _before(function, arg.arg, name)
        if taken or any(n.arg == arg.arg for n in hidden):
            raise Blocked(function, f"a model_fn with an argument `{arg.arg}`")
        uses = [n for n in all_of(function, ast.Name) if n.id == arg.arg]
        renames += [(n, word(name)) for n in (arg, *uses)]
    if renames:
        # Names first: what is returned is said anew by these.
        raise Spelled(function, "names of a model_fn's arguments", renames)
    if written:
        raise Spelled(function, "what a model_fn returns isn't an EstimatorSpec", written)


def _before(function: ast.FunctionDef, argument: str, name: str) -> bool:
    """Whether a name is a function's own, bound in its body when an argument was read last."""
    body = function.body
    at = next((i for i, s in enumerate(body) if name in stores(s)), None)
    if at is None or not isinstance(body[at], ast.Assign):
        return False
    words = {name, argument}
    inner = [n for s in body for n in walk(s) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    if any(reads(n) & words for n in inner) or any(name in reads(s) for s in body[: at + 1]):
        return False
    return not any(argument in reads(s) | stores(s) for s in body[at + 1 :])


def used(program: Program, node: ast.expr, made: Estimator, *, wrapped: bool = False) -> bool:
    """See to a use of an Estimator of contrib.learn; whether it is one.

    Raises:
        Blocked: what it does isn't followed.
    """
    above = program.scopes.parents[id(node)]
    if program.called(above).endswith(".SKCompat") and isinstance(above, ast.Call):
        program.edit(above, program.source(node))
        program.follow(above, made, partial(used, wrapped=True))
        return True
    if isinstance(above, ast.keyword) and above.arg == "estimator":
        above = program.scopes.parents[id(above)]
    if program.called(above) == evaluating.BOTH:  # which an Experiment is in other words
        return running.used(program, node, made)
    if program.called(above).endswith(".learn.Experiment"):
        instead = "tf.estimator.train_and_evaluate with a TrainSpec and an EvalSpec says it"
        raise Blocked(above, f"an Experiment isn't followed: {instead}")
    if not isinstance(above, ast.Attribute):
        return False
    made.model = model = program.source(node)
    call, name = program.scopes.parents[id(above)], SAME.get(above.attr, above.attr)
    orders = WRAPPED if wrapped else ORDERS
    if not isinstance(call, ast.Call) or call.func is not above or name not in orders:
        raise Blocked(above, f"`.{name}` of an Estimator isn't followed yet")
    if MODES[name] not in made.modes:
        raise Blocked(call, f"{name}() of a model_fn whose EstimatorSpec lacks what it needs")
    if isinstance(node, ast.Call) and id(node) in program.estimators:
        raise Blocked(node, "an Estimator that has no name")
    given = running.arguments(call, orders[name])
    if "metrics" in given:
        learn_metrics.said(program, given["metrics"], made)
    for argument in given.keys() & INSTEAD.keys():
        what = f"`{argument}` of {name}() isn't followed: {INSTEAD[argument]}"
        raise Blocked(given[argument], what)
    taken = data(program, call, made, given, name, wrapped=wrapped)
    if name == "fit":
        if "monitors" in given:
            given["hooks"] = given.pop("monitors")
        new = running.train(program, call, made, model, taken, given)
    elif name in ("evaluate", "score"):
        new = running.evaluate(program, call, made, model, taken, given)
    else:
        new = _predicted(program, call, made, model, taken, given, wrapped=wrapped)
    program.edit(call, new, f"{'evaluate' if name == 'score' else name} of the model")
    return True


def data(
    program: Program,
    call: ast.Call,
    made: Estimator,
    given: dict[str, ast.expr],
    name: str,
    *,
    wrapped: bool,
) -> str:
    """The dataset of a call, of an input_fn or of arrays."""
    x, y = given.pop("x", None), given.pop("y", None)
    size = given.pop("batch_size", None)
    if "input_fn" in given:
        source = given.pop("input_fn")
        data = inputs.dataset(program, source, made, MODES[name])
        if name != "predict" or QUEUED.search(program.called(program.scopes.value(source))):
            return data
        # Without queues, TF 1.15.5 takes its input for a constant that it would have for ever.
        if any(QUEUES.search(program.called(c)) for c in program.calls()):
            raise Blocked(source, "predict() of contrib.learn takes one batch of an input_fn")
        return f"{data.removesuffix('.repeat()')}.take(1)"
    if x is None or isinstance(program.scopes.value(x), (ast.Dict, ast.GeneratorExp)):
        raise Blocked(call, "arrays that a model is given in a dict or one by one")
    function = made.home
    for node in walk(function) if function is not None else ():
        if not isinstance(node, ast.Subscript) or ast.unparse(node.value) != "features":
            continue
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            raise Blocked(node, "arrays that a model is given in a dict or one by one")
    program.need(call, "batches", BATCHES, ["import numpy as np"])
    if program.page(call).has_other("np", "numpy"):
        raise Blocked(call, "the file has an `np` of its own")
    out = [program.source(x), *([program.source(y)] if y is not None else [])]
    said = program.source(size) if size is not None else "128" if wrapped else ""
    out += [f"size={said}"] if said else []
    out += ["shuffle=True"] if name == "fit" else []
    return f"batches({', '.join(out)})"


def _predicted(
    program: Program,
    call: ast.Call,
    made: Estimator,
    model: str,
    data: str,
    given: dict[str, ast.expr],
    *,
    wrapped: bool,
) -> str:
    each = given.pop("as_iterable", None)
    whole = wrapped
    if each is not None:
        if not isinstance(each, ast.Constant):
            raise Blocked(each, "`as_iterable` of predict() isn't a constant")
        whole = not each.value
    for name, node in given.items():
        raise Blocked(node, f"`{name}` of predict() isn't followed yet")
    if not whole:
        return running.predict(program, call, made, model, data, {})
    program.kept["predicted", id(made.home)] = call
    return f"{model}.predict({data}, verbose=0)"
