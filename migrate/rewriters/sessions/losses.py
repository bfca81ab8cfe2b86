"""`tf.losses` in TF 2's words, where nothing weighs them: the mean of what `tf.nn` gives.

TF 1 casts labels to the type of the predictions, takes the mean in float32 whatever they are, and a
gradient of all labels but softmax's (measured on 1.15.5).

https://www.tensorflow.org/api_docs/python/tf/compat/v1/losses
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.programs.graph.layering.losses import Loss
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.walk import Walker

# TF 1 squeezes labels of the logits' rank; so does this, and `tf.nn`'s raises.
COLUMNED = "{tf}.keras.losses.sparse_categorical_crossentropy({labels}, {logits}, from_logits=True)"
# Name: the labels' argument, the predictions' argument, the loss of each element.
TABLE = {
    "softmax_cross_entropy": (
        "onehot_labels",
        "logits",
        "{tf}.nn.softmax_cross_entropy_with_logits(labels={labels}, logits={logits})",
    ),
    "sparse_softmax_cross_entropy": (
        "labels",
        "logits",
        "{tf}.nn.sparse_softmax_cross_entropy_with_logits(labels={labels}, logits={logits})",
    ),
    "sigmoid_cross_entropy": (
        "multi_class_labels",
        "logits",
        "{tf}.nn.sigmoid_cross_entropy_with_logits(labels={labels}, logits={logits})",
    ),
    "mean_squared_error": (
        "labels",
        "predictions",
        "{tf}.math.squared_difference({logits}, {labels})",
    ),
    "log_loss": (
        "labels",
        "predictions",
        "-{labels} * {tf}.math.log({logits} + 1e-07)"
        " - (1 - {labels}) * {tf}.math.log(1 - {logits} + 1e-07)",
    ),
    "absolute_difference": ("labels", "predictions", "{tf}.abs({logits} - {labels})"),
    "hinge_loss": ("labels", "logits", "{tf}.nn.relu(1 - (2 * {labels} - 1) * {logits})"),
    "huber_loss": ("labels", "predictions", "{tf}.keras.losses.huber({labels}, {logits}{more})"),
    "cosine_distance": (
        "labels",
        "predictions",
        "1 - {tf}.reduce_sum({logits} * {labels}{more}, keepdims=True)",
    ),
    "mean_pairwise_squared_error": (
        "labels",
        "predictions",
        "pairwise_squared_error({labels}, {logits})",
    ),
    "compute_weighted_loss": ("losses", "losses", "{logits}"),
}
# Arguments that the loss of each element takes, too.
MORE = {"huber_loss": frozenset({"delta"}), "cosine_distance": frozenset({"axis"})}
IGNORED = frozenset({"scope", "loss_collection"})
# What a loss that is weighed needs: a helper of the file.
WEIGHTED = '''def {name}(losses, weights):
    """The {what}."""
    weights = tf.cast(weights, tf.float32)
    if weights.shape.rank == losses.shape.rank + 1:
        weights = tf.squeeze(weights, -1)
    weights = tf.broadcast_to(weights, tf.shape(losses))
    {end}
'''
BY = "total = tf.reduce_sum(losses * weights)\n    return tf.math.divide_no_nan(total, {})"
NONZERO = (
    "weighted_loss",
    "sum of weighted losses, by the number of weights that aren't zero",
    BY.format("tf.math.count_nonzero(weights, dtype=tf.float32)"),
)
# Reduction: the helper's name, what it gives, and how.
WEIGHED = {
    "SUM_BY_NONZERO_WEIGHTS": NONZERO,
    "SUM_OVER_NONZERO_WEIGHTS": NONZERO,
    "MEAN": (
        "weighted_mean",
        "sum of weighted losses, by the sum of the weights",
        BY.format("tf.reduce_sum(weights)"),
    ),
    "SUM": ("weighted_sum", "sum of weighted losses", "return tf.reduce_sum(losses * weights)"),
    "SUM_OVER_BATCH_SIZE": (
        "weighted_average",
        "sum of weighted losses, by their number",
        "return tf.reduce_mean(losses * weights)",
    ),
    "NONE": ("weighted_losses", "weighted losses", "return losses * weights"),
}
SAID = {
    "none": "NONE",
    "weighted_sum": "SUM",
    "weighted_sum_over_batch_size": "SUM_OVER_BATCH_SIZE",
    "weighted_mean": "MEAN",
    "weighted_sum_by_nonzero_weights": "SUM_BY_NONZERO_WEIGHTS",
}
# Keras's takes the mean of the last axis, TF 1's is that of each element.
HUBER = "huber_losses({labels}, {logits}{more})"
HUBER_LOSSES = '''def huber_losses(labels, predictions, delta=1.0):
    """Huber's loss of each element."""
    error = {tf}.abs(predictions - labels)
    quadratic = {tf}.minimum(error, delta)
    return 0.5 * quadratic * quadratic + delta * (error - quadratic)
'''
PAIRWISE = '''def pairwise_squared_error(labels, predictions):
    """The mean squared difference between the errors of two elements, of all examples."""
    errors = predictions - labels
    axes = {tf}.range(1, {tf}.rank(errors))
    count = {tf}.cast({tf}.reduce_prod({tf}.shape(errors)[1:]), {tf}.float32)
    squares = {tf}.reduce_sum({tf}.square(errors), axes)
    sums = {tf}.square({tf}.reduce_sum(errors, axes))
    each = {tf}.math.divide_no_nan(squares, count - 1)
    each -= {tf}.math.divide_no_nan(sums, count * (count - 1))
    return {tf}.reduce_sum(2.0 * each)
'''
SMOOTHED = '''def smoothed(labels, much):
    """Labels of classes with a part of them given to all classes."""
    return labels * (1 - much) + much / {tf}.cast({tf}.shape(labels)[1], {tf}.float32)
'''
SMOOTH = frozenset({"softmax_cross_entropy", "sigmoid_cross_entropy"})
REDUCTIONS = {
    "SUM": "{tf}.reduce_sum({inner})",
    "NONE": "{inner}",
    **dict.fromkeys(
        ("MEAN", "SUM_OVER_BATCH_SIZE", "SUM_BY_NONZERO_WEIGHTS", "SUM_OVER_NONZERO_WEIGHTS"),
        "{tf}.reduce_mean({inner})",
    ),
}
LOGITS = frozenset(
    {"softmax_cross_entropy", "sparse_softmax_cross_entropy", "sigmoid_cross_entropy"}
)


def source(
    loss: Loss,
    walker: Walker,
    written: Callable[[ast.expr], str],
    tf: str,
    need: Callable[[str, str], None] | None = None,
) -> str:
    """The loss's source; ``need`` gives the file a function, where losses may be weighed.

    Raises:
        Blocked: it has weights or another reduction that aren't followed.
    """
    name, call, given = loss.name, loss.call, dict(loss.given)
    weights = reduction = smoothing = None
    labels, logits, text = TABLE[name]
    if "dim" in given:
        given["axis"] = given.pop("dim")
    if need is not None:
        weights, reduction = given.pop("weights", None), given.pop("reduction", None)
        if name == "huber_loss" and (weights is not None or reduction is not None):
            need("huber_losses", HUBER_LOSSES)
            text = HUBER
        if name in SMOOTH:
            smoothing = given.pop("label_smoothing", None)
    for argument, node in given.items():
        if argument not in (labels, logits, *IGNORED, *MORE.get(name, ())):
            raise Blocked(node, f"`{argument}` of tf.losses.{name}")
    if labels not in given or logits not in given:
        raise Blocked(call, f"the arguments of tf.losses.{name}")
    if name == "cosine_distance" and "axis" not in given:
        raise Blocked(call, f"the arguments of tf.losses.{name}")
    if name == "mean_pairwise_squared_error":
        return _pairwise(loss, walker, written, tf, need, weights)
    if name == "sparse_softmax_cross_entropy" and loss.columned(walker):
        text = COLUMNED
    truth, guess = written(given[labels]), written(given[logits])
    double = loss.double(walker)
    if double and name in (*LOGITS, "compute_weighted_loss"):  # TF 1 rounds what these add up
        raise Blocked(call, f"tf.losses.{name} of what may be float64, in float32")
    known = not double and (loss.trained(walker) or name in LOGITS)
    if name != "sparse_softmax_cross_entropy" and not _float(given[labels], walker):
        truth = f"{tf}.cast({truth}, {tf}.float32)"
    if smoothing is not None and ast.unparse(smoothing) not in ("0", "0.0"):
        assert need is not None
        truth = _smoothed(name, truth, given[labels], smoothing, written, need)
    if name == "softmax_cross_entropy" and loss.learns(walker):
        truth = f"{tf}.stop_gradient({truth})"
    if not known:
        guess = f"{tf}.cast({guess}, {tf}.float32)"
    if name == "log_loss" and not all(
        isinstance(given[n], (ast.Name, ast.Attribute)) for n in (labels, logits)
    ):
        raise Blocked(call, "a log loss of expressions")
    if name == "absolute_difference" and not isinstance(
        given[labels], (ast.Name, ast.Attribute, ast.Call)
    ):
        truth = f"({truth})"
    if name in ("hinge_loss", "cosine_distance"):
        truth, guess = _atom(truth), _atom(guess)
    if name == "compute_weighted_loss" and isinstance(weights, ast.Constant):
        guess = _atom(guess)
    more = "".join(f", {a}={written(given[a])}" for a in MORE.get(name, ()) if a in given)
    inner = text.format(tf=tf, labels=truth, logits=guess, more=more)
    if weights is None:
        return _kind(reduction, name).format(tf=tf, inner=inner)
    number = weights.value if isinstance(weights, ast.Constant) else None
    if not isinstance(number, (int, float)) or not number:
        return _weighed(name, inner, written(weights), reduction, need)
    inner = f"({inner})" if name in ("log_loss", "cosine_distance") else inner
    kind = _kind(reduction, name)
    if reduction is not None and _reduction(reduction) == "MEAN":
        number = 1  # it is divided by the sum of the weights
    if not kind.startswith("{tf}.reduce_mean"):
        return kind.format(tf=tf, inner=inner if number == 1 else f"{number} * {inner}")
    return f"{tf}.reduce_mean({'' if number == 1 else f'{number} * '}{inner})"


def _weighed(
    name: str,
    inner: str,
    weights: str,
    reduction: ast.expr | None,
    need: Callable[[str, str], None] | None,
) -> str:
    """Losses that a tensor weighs, by a helper of the file.

    Raises:
        Blocked: each is to be kept, or the reduction isn't seen.
    """
    assert need is not None
    _kind(reduction, name)
    said = "SUM_BY_NONZERO_WEIGHTS" if reduction is None else _reduction(reduction)
    helper, what, end = WEIGHED[said]
    source = WEIGHTED.format(name=helper, what=what, end=end)
    need(helper, source.replace(" tf.", " {tf}.").replace("(tf.", "({tf}."))
    return f"{helper}({inner}, {weights})"


def _pairwise(
    loss: Loss,
    walker: Walker,
    written: Callable[[ast.expr], str],
    tf: str,
    need: Callable[[str, str], None] | None,
    weights: ast.expr | None,
) -> str:
    """The errors of pairs, times a number.

    Raises:
        Blocked: it weighs examples, whose parts aren't all counted then.
    """
    number = weights.value if isinstance(weights, ast.Constant) else 1
    if need is None or not isinstance(number, (int, float)) or not number:
        raise Blocked(loss.call, f"`weights` of tf.losses.{loss.name}")
    if weights is not None and not isinstance(weights, ast.Constant):
        raise Blocked(weights, f"`weights` of tf.losses.{loss.name}")
    if loss.double(walker):
        raise Blocked(loss.call, f"tf.losses.{loss.name} of what may be float64, in float32")
    need("pairwise_squared_error", PAIRWISE)
    parts = []
    for name in ("labels", "predictions"):
        said = written(loss.given[name])
        known = loss.trained(walker) if name == "predictions" else _float(loss.given[name], walker)
        parts.append(said if known else f"{tf}.cast({said}, {tf}.float32)")
    return f"{'' if number == 1 else f'{number} * '}pairwise_squared_error({', '.join(parts)})"


def _atom(text: str) -> str:
    """An operand: in parentheses where it is an operation itself."""
    node = ast.parse(text, mode="eval").body
    return text if isinstance(node, (ast.Name, ast.Attribute, ast.Call)) else f"({text})"


def _smoothed(
    name: str,
    truth: str,
    labels: ast.expr,
    smoothing: ast.expr,
    written: Callable[[ast.expr], str],
    need: Callable[[str, str], None],
) -> str:
    """Labels with `label_smoothing`."""
    much = written(smoothing)
    if name == "softmax_cross_entropy":
        need("smoothed", SMOOTHED)
        return f"smoothed({truth}, {much})"
    much = much if isinstance(smoothing, (ast.Name, ast.Constant)) else f"({much})"
    if not isinstance(labels, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        truth = truth if truth.endswith("float32)") else f"({truth})"
    return f"{truth} * (1 - {much}) + 0.5 * {much}"


def _kind(node: ast.expr | None, name: str) -> str:
    """What a reduction makes of the loss of each element.

    Raises:
        Blocked: it isn't seen.
    """
    if node is None:
        return REDUCTIONS["MEAN"]
    said = _reduction(node)
    if said not in REDUCTIONS:
        raise Blocked(node, f"`reduction` of tf.losses.{name}")
    return REDUCTIONS[said]


def _reduction(node: ast.expr) -> str:
    """The name of a reduction, `Reduction.SUM` or what that is; nothing where it isn't one."""
    if isinstance(node, ast.Constant):
        return SAID.get(str(node.value), "")
    parts = ast.unparse(node).split(".")
    return parts[-1] if len(parts) > 1 and parts[-2] == "Reduction" else ""


def _float(node: ast.expr, walker: Walker) -> bool:
    """Whether labels are a placeholder of float32."""
    value = walker.placeholders.get(ast.unparse(node))
    return value is not None and value.rpartition(".")[2].strip("'\"") in ("float32", "float")
