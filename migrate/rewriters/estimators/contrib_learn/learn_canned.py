"""contrib.learn's canned Estimators, in words of `contrib.learn.Estimator` first.

    net = learn.DNNClassifier(                 def dnn_classifier_fn(features, labels, mode):
        feature_columns=[x],                       net = tf.cast(features, tf.float32)
        hidden_units=[10, 5])                      for units in [10, 5]:
                                                       net = tf.layers.dense(net, units, …)
                                                   …
                                               net = learn.Estimator(dnn_classifier_fn)

Their loss is a mean, `predict` gives classes or scores, and metrics have names of their own.

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/learn/python/learn/estimators/head.py
"""

from __future__ import annotations

import ast
import math
import re
from functools import partial

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.wording.spelled import Spelled, Written, word
from migrate.rewriters.estimators.contrib_learn import learn_optimizers, learn_wrapped
from migrate.rewriters.estimators.heads_and_columns import contrib_columns, older_columns
from migrate.rewriters.estimators.optimizing import counted_twice, training
from migrate.rewriters.estimators.program import Estimator, Program, maker

LEARN = "tensorflow.contrib.learn."
REAL = {
    contrib_columns.REAL: ("column_name", "dimension", "normalizer"),
    "tensorflow.feature_column.numeric_column": ("key", "shape", "normalizer_fn"),
}
INFERRED = f"{LEARN}infer_real_valued_columns_from_input"
# What an Estimator of any kind is given.
WHOLE = ("model_dir", "config")
FOLLOWED = {
    *("hidden_units", "feature_columns", "n_classes", "label_dimension", "optimizer"),
    *("activation_fn", "dropout", "gradient_clip_norm", *WHOLE),
}
COMBINED = {
    *("linear_feature_columns", "linear_optimizer", "dnn_feature_columns", "dnn_optimizer"),
    *("dnn_hidden_units", "dnn_activation_fn", "dnn_dropout", "fix_global_step_increment_bug"),
    *("n_classes", "label_dimension", "gradient_clip_norm", *WHOLE),
}
FIX = "fix_global_step_increment_bug"
RATES = {"DNN": 0.05, "Linear": 0.2}
KINDS = (*RATES, "DNNLinearCombined")
BINARY = """    logistic = {tf}.sigmoid(logits)
    classes = {tf}.cast(logits[:, 0] > 0, {tf}.int64)
    if mode == {tf}.estimator.ModeKeys.PREDICT:
        return {tf}.estimator.EstimatorSpec(mode, predictions={predicted})
    wanted = {tf}.reshape({tf}.cast(labels, {tf}.float32), [-1, 1])
    loss = {tf}.losses.sigmoid_cross_entropy(wanted, logits)
    if mode == {tf}.estimator.ModeKeys.EVAL:
        above = {tf}.cast(logistic >= 0.5, {tf}.float32)
        beyond = {tf}.cast(logistic > 0.5, {tf}.float32)
        return {tf}.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
            "accuracy": {tf}.metrics.accuracy({tf}.cast(wanted[:, 0], {tf}.int64), classes),
            "labels/prediction_mean": {tf}.metrics.mean(logistic),
            "labels/actual_label_mean": {tf}.metrics.mean(wanted),
            "accuracy/baseline_label_mean": {tf}.metrics.mean(wanted),
            "auc": {tf}.metrics.auc(wanted, logistic),
            "auc_precision_recall": {tf}.metrics.auc(wanted, logistic, curve="PR"),
            "accuracy/threshold_0.500000_mean": {tf}.metrics.accuracy(wanted, above),
            "precision/positive_threshold_0.500000_mean": {tf}.metrics.precision(wanted, beyond),
            "recall/positive_threshold_0.500000_mean": {tf}.metrics.recall(wanted, beyond)})
"""
MANY = """    classes = {tf}.argmax(logits, 1)
    if mode == {tf}.estimator.ModeKeys.PREDICT:
        return {tf}.estimator.EstimatorSpec(mode, predictions={predicted})
    wanted = {tf}.reshape(labels, [-1])
    loss = {tf}.losses.sparse_softmax_cross_entropy(wanted, logits)
    if mode == {tf}.estimator.ModeKeys.EVAL:
        return {tf}.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={
            "accuracy": {tf}.metrics.accuracy(wanted, classes)})
"""
NUMBERS = """    if mode == {tf}.estimator.ModeKeys.PREDICT:
        return {tf}.estimator.EstimatorSpec(mode, predictions={predicted})
    wanted = {tf}.reshape({tf}.cast(labels, {tf}.float32), [-1, {size}])
    loss = {tf}.losses.mean_squared_error(wanted, logits)
    if mode == {tf}.estimator.ModeKeys.EVAL:
        return {tf}.estimator.EstimatorSpec(mode, loss=loss)
"""


@maker(*(f"{LEARN}{kind}{what}" for kind in KINDS for what in ("Classifier", "Regressor")))
def canned(program: Program, endpoint: str, call: ast.Call) -> Estimator:
    """A canned Estimator of contrib.learn.

    Raises:
        Spelled: it can be said by a model_fn.
        Blocked: it can't.
    """
    name = endpoint.removeprefix(LEARN)
    combined = name.startswith("DNNLinear")
    kind = "DNN" if name.startswith("DNN") else "Linear"
    given = program.given(call, endpoint)
    for argument, node in given.items():
        if argument not in (COMBINED if combined else FOLLOWED):
            raise Blocked(node, f"`{argument}` of a {name} of contrib.learn")
    root = program.page(call).root
    if not root:
        raise Blocked(call, "TensorFlow isn't imported as a whole")
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=DNN)(?=[A-Z])", "_", name).lower()
    stmt = program.scopes.statement(call)
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) and stmt.value is call else None
    named = [f"{target.id}_model_fn"] if isinstance(target, ast.Name) else []
    function = program.free(call, f"{words}_fn", *named)
    text = [f"def {function}(features, labels, mode):"]
    keyed = learn_wrapped.wrapped(program, call)
    units, rest = _answer(program, given, name, root, keyed=keyed)
    if combined:
        text += _both(program, given, call, root, units)
        text += [*rest.splitlines(), *_two_trained(program, given, call, root)]
    else:
        features, count = _features(program, given.get("feature_columns"), call, root)
        initial = ""
        if features is None and kind == "Linear":
            text.append(f"    logits = {_weighted(program, given['feature_columns'], root, units)}")
        else:
            if features is None:
                features = _dense(program, given["feature_columns"], root)
            text.append(f"    net = {features}")
            if kind == "DNN":
                text += _hidden(program, given, call, root)
            else:
                initial = f", kernel_initializer={root}.zeros_initializer()"
            text.append(f"    logits = {root}.layers.dense(net, {units}{initial})")
        text += rest.splitlines()
        text += _trained(program, given, call, root, kind, count)
    words = f"{root}.contrib.learn.Estimator({function}"
    words += "".join(f", {n}={program.source(given[n])}" for n in WHOLE if n in given) + ")"
    if program.text.piece(stmt).indent:
        text.pop()  # one line is enough there
    changes: list[Written] = [(call, word(words))]
    changes += _unread(program, call)
    why = f"{name} of contrib.learn, which isn't said by a model_fn"
    raise Spelled(call, why, changes, [(stmt, lambda source: text)])


def _weighted(program: Program, columns: ast.expr, root: str, units: str) -> str:
    """The source of the weighted sum of columns."""
    more = "" if units == "1" else f", units={units}"
    return f"{root}.feature_column.linear_model(features, {program.source(columns)}{more})"


def _dense(program: Program, columns: ast.expr, root: str) -> str:
    """The source of what hidden layers begin with: older columns stand by their kinds."""
    older = any(program.called(c) in older_columns.COLUMNS for c in program.calls())
    name = "contrib.layers.input_from_feature_columns" if older else "feature_column.input_layer"
    return f"{root}.{name}(features, {program.source(columns)})"


def _both(
    program: Program, given: dict[str, ast.expr], call: ast.Call, root: str, units: str
) -> list[str]:
    """The lines of logits that are the sum of a deep and of a wide model's.

    Raises:
        Blocked: it is only one of the two, or counts each step twice.
    """
    for name in ("linear_feature_columns", "dnn_feature_columns", "dnn_hidden_units"):
        if name not in given:
            raise Blocked(call, f"a combined model of contrib.learn without `{name}`")
    fixed = given.get(FIX, ast.Constant(False))
    if not isinstance(fixed, ast.Constant):
        raise Blocked(fixed, "whether a combined model counts each step twice")
    if not fixed.value:
        counted_twice.seldom(program, given.get("config"))
    deep = {k.removeprefix("dnn_"): v for k, v in given.items() if k.startswith("dnn_")}
    hidden = _hidden(program, deep, call, root)
    wide = _weighted(program, given["linear_feature_columns"], root, units)
    net = _dense(program, given["dnn_feature_columns"], root)
    if any(map(partial(_nameless, program), program.calls())):  # all that is given is one array
        array, _ = _features(program, given["dnn_feature_columns"], call, root)
        both, _ = _features(program, given["linear_feature_columns"], call, root)
        zeros = f"kernel_initializer={root}.zeros_initializer()"
        net, wide = str(array), f"{root}.layers.dense({both}, {units}, {zeros})"
    return [
        f"    with {root}.variable_scope('dnn'):",
        f"        net = {net}",
        *(f"    {line}" for line in hidden),
        f"        logits = {root}.layers.dense(net, {units})",
        f"    with {root}.variable_scope('linear'):",
        f"        logits = logits + {wide}",
    ]


def _two_trained(
    program: Program, given: dict[str, ast.expr], call: ast.Call, root: str
) -> list[str]:
    """The lines of the train ops of a combined model."""
    if "gradient_clip_norm" in given:
        node = given["gradient_clip_norm"]
        raise Blocked(node, "`gradient_clip_norm` of a combined model: two norms of two models")
    columns = given["linear_feature_columns"]
    _, count = _features(program, columns, call, root)
    rates: dict[str, float | str] = {"dnn": RATES["DNN"], "linear": _rate(program, columns, count)}
    fixed = given.get(FIX)
    by = 1 if isinstance(fixed, ast.Constant) and fixed.value else 2
    lines = []
    for part, default in (("dnn", "AdagradOptimizer"), ("linear", "FtrlOptimizer")):
        made = learn_optimizers.source(
            program, given.get(f"{part}_optimizer"), default, rates[part], root, True
        )
        keys = f"{root}.get_collection({root}.GraphKeys.TRAINABLE_VARIABLES, '{part}')"
        lines.append(f"    {part}_op = {made}.minimize(loss, var_list={keys})")
    return [
        *lines,
        f"    with {root}.control_dependencies([dnn_op, linear_op]):",
        f"        train_op = {root}.assign_add({root}.train.get_global_step(), {by})",
        f"    return {root}.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)",
        "",
        "",
    ]


def _rate(program: Program, columns: ast.expr | None, count: int) -> float | str:
    """The rate of a linear model's own optimizer, which goes by its columns."""
    if count:
        return min(RATES["Linear"], 1 / math.sqrt(count))
    assert columns is not None
    return f"min({RATES['Linear']}, len({program.source(columns)})**-0.5)"


def _features(
    program: Program, node: ast.expr | None, call: ast.Call, root: str
) -> tuple[str | None, int]:
    """The source of what a model begins with, and of how many columns.

    None where they aren't numbers by their names: a function of columns says it; 0 where it isn't
    seen how many there are.
    """
    if node is None:
        raise Blocked(call, "an Estimator of contrib.learn without columns")
    try:
        return _numbers(program, node, root)
    except _NoNumbersError:
        if any(map(partial(_nameless, program), program.calls())):
            raise Blocked(node, "columns of an array, among which this is, aren't seen") from None
        listed = program.scopes.value(node)
        seen = isinstance(listed, (ast.List, ast.Tuple)) and not any(
            isinstance(e, ast.Starred) for e in listed.elts
        )
        if isinstance(node, ast.Name) and len(program.scopes.bindings(node.id, node)) > 1:
            seen = False
        if isinstance(node, ast.Name) and seen and _grows(program, node):
            seen = False
        return None, len(listed.elts) if seen else 0  # type: ignore[attr-defined]


def _nameless(program: Program, call: ast.Call) -> bool:
    """Whether a column is all that is given, which has no name."""
    endpoint = program.called(call)
    if endpoint not in REAL:
        return endpoint == INFERRED
    name = program.given(call).get(REAL[endpoint][0])
    return isinstance(name, ast.Constant) and not name.value


def _grows(program: Program, node: ast.Name) -> bool:
    """Whether a list may get more elements than it was written with."""
    found = program.scopes.lookup(node)
    uses = program.scopes.uses(found, node.id) if found is not None else []
    return any(
        isinstance(program.scopes.parents[id(u)], (ast.Attribute, ast.Call))
        for u in uses
        if u is not node
    )


class _NoNumbersError(Exception):
    """Columns that aren't numbers by their names."""


def _numbers(program: Program, node: ast.expr, root: str) -> tuple[str, int]:
    """The same where columns are numbers.

    Raises:
        _NoNumbersError: they aren't.
    """
    stopped = _NoNumbersError()
    listed = program.scopes.value(node)
    if isinstance(listed, ast.Call) and program.called(listed) == INFERRED:
        return f"{root}.cast(features, {root}.float32)", 1
    if isinstance(listed, ast.ListComp):
        return _each(program, listed, root, stopped)
    if not isinstance(listed, (ast.List, ast.Tuple)) or not listed.elts:
        raise stopped
    parts: list[tuple[str, str]] = []
    for each in listed.elts:
        name, size = _column(program, program.scopes.value(each), stopped)
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            raise stopped
        if not name.value:
            if len(listed.elts) > 1:
                raise stopped
            return f"{root}.cast(features, {root}.float32)", 1
        parts.append((name.value, f"{_shaped(root, repr(name.value), size)}"))
    sources = [source for _, source in sorted(parts, key=lambda part: repr(part[0]))]
    if len(sources) == 1:
        return sources[0], 1
    return f"{root}.concat([{', '.join(sources)}], 1)", len(parts)


def _each(program: Program, listed: ast.ListComp, root: str, stopped: Exception) -> tuple[str, int]:
    """The same of a column for each name in a list."""
    (loop, *more), made = listed.generators, listed.elt
    names = program.scopes.value(loop.iter)
    name, size = _column(program, made, stopped)
    plain = isinstance(name, ast.Name) and ast.unparse(name) == ast.unparse(loop.target)
    if more or loop.ifs or not plain or not isinstance(names, (ast.List, ast.Tuple)):
        raise stopped
    if not all(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in names.elts):
        raise stopped
    target = ast.unparse(loop.target)
    shaped = _shaped(root, target, size)
    source = program.source(loop.iter)
    each = f"[{shaped} for {target} in sorted({source}, key=repr)]"
    return f"{root}.concat({each}, 1)", len(names.elts)


def _column(program: Program, made: ast.expr, stopped: Exception) -> tuple[ast.expr, str]:
    """The name and the size of a column of numbers."""
    known = REAL.get(program.called(made))
    if known is None or not isinstance(made, ast.Call):
        raise stopped
    given = program.given(made)
    name, size = given.pop(known[0], None), given.pop(known[1], None)
    if isinstance(size, (ast.List, ast.Tuple)) and len(size.elts) == 1:
        size = size.elts[0]
    if name is None or given:
        raise stopped
    if size is not None and not isinstance(size, ast.Constant):
        if not isinstance(name, ast.Constant) or name.value:
            raise stopped
        return name, program.source(size)  # the array has it, whatever it is
    return name, "1" if size is None else str(ast.literal_eval(size))


def _shaped(root: str, name: str, size: str) -> str:
    return f"{root}.reshape({root}.cast(features[{name}], {root}.float32), [-1, {size}])"


def _hidden(program: Program, given: dict[str, ast.expr], call: ast.Call, root: str) -> list[str]:
    """The lines of hidden layers."""
    if "hidden_units" not in given:
        raise Blocked(call, "hidden units that aren't seen")
    function = f"{root}.nn.relu"
    if (node := given.get("activation_fn")) is not None:
        if not program.endpoint(node).startswith("tensorflow."):
            raise Blocked(node, "an activation that isn't TensorFlow's")
        function = program.source(node)
    lines = [
        f"    for units in {program.source(given['hidden_units'])}:",
        f"        net = {root}.layers.dense(net, units, activation={function})",
    ]
    if (dropout := given.get("dropout")) is not None:
        training = f"training=mode == {root}.estimator.ModeKeys.TRAIN"
        source = program.source(dropout)
        lines.append(f"        net = {root}.layers.dropout(net, {source}, {training})")
    return lines


def _answer(
    program: Program, given: dict[str, ast.expr], name: str, root: str, *, keyed: bool
) -> tuple[str, str]:
    """How many logits there are, and the text of what they stand for; ``keyed``: in a dict."""
    if name.endswith("Regressor"):
        size = program.source(given["label_dimension"]) if "label_dimension" in given else "1"
        if not size.isdigit():
            raise Blocked(given["label_dimension"], "how many labels a Regressor has")
        scores = f"{root}.squeeze(logits, axis=[1])" if size == "1" else "logits"
        text = NUMBERS.replace("{predicted}", learn_wrapped.NUMBERS if keyed else scores)
        return size, text.replace("{scores}", scores).replace("{size}", size).replace("{tf}", root)
    classes = given.get("n_classes")
    value = program.scopes.value(classes) if classes is not None else ast.Constant(2)
    if not isinstance(value, ast.Constant) or classes is None:
        if classes is not None:
            raise Blocked(classes, "how many classes there are isn't seen")
    if isinstance(value, ast.Constant) and value.value == 2:
        text = BINARY.replace("{predicted}", learn_wrapped.BINARY if keyed else "classes")
        return "1", text.replace("{tf}", root)
    assert classes is not None
    text = MANY.replace("{predicted}", learn_wrapped.MANY if keyed else "classes")
    return program.source(classes), text.replace("{tf}", root)


def _trained(
    program: Program,
    given: dict[str, ast.expr],
    call: ast.Call,
    root: str,
    kind: str,
    count: int,
) -> list[str]:
    """The lines of the train op."""
    columns = given.get("feature_columns")
    rate = RATES[kind] if kind == "DNN" else _rate(program, columns, count)
    default = "AdagradOptimizer" if kind == "DNN" else "FtrlOptimizer"
    optimizer = learn_optimizers.source(
        program, given.get("optimizer"), default, rate, root, kind == "DNN"
    )
    step = f"{root}.train.get_global_step()"
    clip = given.get("gradient_clip_norm")
    line = f"    train_op = {optimizer}.minimize(loss, {step})"
    if clip is not None:
        line = f"    train_op = {root}.contrib.layers.optimize_loss(\n"
        line += f"        loss, {step}, None, {optimizer},\n"
        line += f"        clip_gradients={program.source(clip)}, summaries=[])"
    end = f"    return {root}.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)"
    return [*line.splitlines(), end, "", ""]


def _unread(program: Program, call: ast.Call) -> list[Written]:
    """The statements of columns and optimizers that only this Estimator reads: their lines go."""
    found: list[Written] = []
    todo, inside = [call], {id(n) for n in walk(call)}
    while todo:
        for name in all_of(todo.pop(), ast.Name):
            known = program.scopes.lookup(name)
            value = known.value if known is not None and known.kind == "assign" else None
            if known is None or value is None or not isinstance(known.node, ast.Assign):
                continue
            if len(known.node.targets) > 1 or not _makes(program, value):
                continue
            uses = program.scopes.uses(known, name.id)
            if all(id(use) in inside for use in uses) and known.node not in [f[0] for f in found]:
                found.append((known.node, word("")))
                inside |= {id(n) for n in walk(known.node)}
                todo.append(value)  # type: ignore[arg-type]
    return found


def _makes(program: Program, node: ast.expr) -> bool:
    """Whether an expression is columns, a list of them, or an optimizer."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return all(_makes(program, program.scopes.value(each)) for each in node.elts)
    if isinstance(node, ast.ListComp):
        return _makes(program, node.elt)
    return program.called(node) in {*REAL, INFERRED} or training.is_optimizer(program.called(node))
