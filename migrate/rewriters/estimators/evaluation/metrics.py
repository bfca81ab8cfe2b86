"""`eval_metric_ops` as Keras metrics that give the same numbers over a whole evaluation.

https://www.tensorflow.org/guide/migrate/metrics_optimizers
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from migrate.engine.trees import holds, walk
from migrate.programs.graph.layering import whole
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.evaluation import areas, confusion, matrix_metrics
from migrate.rewriters.estimators.evaluation.whole import Known
from migrate.rewriters.estimators.program import Program
from migrate.rewriters.estimators.syntax import reads, stores
from migrate.rewriters.metric_classes import OWN

T = "tensorflow.metrics."
# TF 1's metric: Keras's, and what it takes in from TF 1's labels and predictions. What Keras
# averages over the last axis first is a `Mean` of what `tf` gives for each element.
KNOWN = {
    "accuracy": ("Accuracy", "{labels}, {predictions}"),
    "precision": ("Precision", "{labels}, {predictions}"),
    "recall": ("Recall", "{labels}, {predictions}"),
    "auc": ("AUC", "{labels}, {predictions}"),
    "true_positives": ("TruePositives", "{labels}, {predictions}"),
    "true_negatives": ("TrueNegatives", "{labels}, {predictions}"),
    "false_positives": ("FalsePositives", "{labels}, {predictions}"),
    "false_negatives": ("FalseNegatives", "{labels}, {predictions}"),
    "root_mean_squared_error": ("RootMeanSquaredError", "{labels}, {predictions}"),
    "mean": ("Mean", "{values}"),
    "mean_absolute_error": ("Mean", "{tf}.abs({predictions} - {labels})"),
    "mean_squared_error": ("Mean", "{tf}.math.squared_difference({predictions}, {labels})"),
    "mean_iou": ("MeanIoU", "{labels}, {predictions}"),
    "mean_per_class_accuracy": ("MeanPerClassAccuracy", "{labels}, {predictions}"),
    "mean_relative_error": (
        "Mean",
        "{tf}.math.divide_no_nan({tf}.abs({labels} - {predictions}), {normalizer})",
    ),
    "recall_at_k": ("RecallAtK", "{labels}, {predictions}"),
    "precision_at_k": ("PrecisionAtK", "{labels}, {predictions}"),
    "percentage_below": ("Mean", "{tf}.cast({values} < {threshold}, {tf}.float32)"),
}
SETTINGS = {
    "mean_iou": ("num_classes",),
    "mean_per_class_accuracy": ("num_classes",),
    "auc": ("num_thresholds", "thresholds"),
    "recall_at_k": ("k",),
    "precision_at_k": ("k",),
}
# Those that weigh each element as TF 1 does.
WEIGHED = ("Accuracy", "Mean", "Precision", "Recall", "AUC", "RootMeanSquaredError")
# Of labels and predictions that differ by a last axis of one TF 1 takes that away.
SQUEEZED = {
    "mean_absolute_error": ("labels", "predictions"),
    "mean_squared_error": ("labels", "predictions"),
    "mean_relative_error": ("labels", "predictions", "normalizer"),
}
# Keras averages over a batch's rows first: where batches have several lengths, each value is one.
ROWS = ("Accuracy", "Mean", "RootMeanSquaredError")
SPREAD = '''def spread(weights, values):
    """Weights of all values in a row, as TensorFlow 1's metrics had them."""
    weights = {tf}.cast(weights, {tf}.float32)
    if weights.shape.rank == values.shape.rank - 1:
        weights = weights[..., None]
    elif weights.shape.rank == values.shape.rank + 1:
        weights = {tf}.squeeze(weights, -1)
    return {tf}.reshape({tf}.broadcast_to(weights, {tf}.shape(values)), [-1])
'''
KEYWORD = "keyword"  # the kind of a key that is a keyword of `dict()`
PARTS = ("labels", "predictions", "values", "normalizer", "threshold")


@dataclass(slots=True, eq=False, repr=False)
class Metric:
    """A metric of an evaluation."""

    key: ast.expr  # of `eval_metric_ops`
    call: ast.Call
    kind: str  # Keras's class
    name: str  # the attribute that holds it
    parts: dict[str, ast.expr]
    settings: str
    update: str
    made_of: list[ast.expr]  # what its settings are
    test: ast.expr | None = None  # where it is one of them
    cast: str = ""  # what predictions are cast to first
    hidden: bool = False  # whether only other values are computed of it
    scored: Callable[[str], str] | None = None  # what is computed of its result

    def said(self, source: Callable[[ast.AST], str]) -> str:
        """Its key, as it is written."""
        return keyed(self.key, source)

    def made(self, program: Program) -> str:
        """Its source, in `__init__`."""
        own = self.kind in (*OWN, areas.NAME, confusion.NAME, matrix_metrics.NAME)
        module = "" if own else f"{program.tf}.keras.metrics."
        return f"{module}{self.kind}({self.settings})"

    @property
    def result(self) -> str:
        """The source of its value."""
        found = f"self.{self.name}.result()"
        return found if self.scored is None else self.scored(found)

    def updated(self, program: Program, source: Callable[[ast.AST], str]) -> str:
        """What takes a batch in."""
        return f"self.{self.name}.update_state({self.taken(program, source)})"

    def taken(self, program: Program, source: Callable[[ast.AST], str]) -> str:
        """What is taken in of a batch."""
        parts = {k: " ".join(source(v).split()) for k, v in self.parts.items()}
        if self.cast:
            labels = self.parts["labels"], parts["labels"]
            cast = whole.written(self.cast, program.tf, labels, parts["predictions"])
            parts["predictions"] = cast
        given = self.update.format(tf=program.tf, **parts)
        if program.ragged and self.kind in ROWS:
            given = self._in_a_row(program, parts)
        elif "weights" in parts:
            weights = f"{program.tf}.cast({parts['weights']}, {program.tf}.float32)"
            given += f", sample_weight={weights}"
        return given

    def _in_a_row(self, program: Program, parts: dict[str, str]) -> str:
        """What takes a batch in, where rows of several batches differ in length."""
        flat, tf = f"{program.tf}.reshape({{}}, [-1])", program.tf
        if self.update == "{labels}, {predictions}":
            given = f"{flat.format(parts['labels'])}, {flat.format(parts['predictions'])}"
        else:
            given = self.update.format(tf=tf, **parts)
            given = given if "{tf}.reshape" in self.update else flat.format(given)
        if "weights" in parts:
            like = parts.get("predictions", parts.get("values"))
            program.need(self.call, "spread", SPREAD)
            given += f", sample_weight=spread({parts['weights']}, {like})"
        return given


def keyed(key: ast.expr, source: Callable[[ast.AST], str]) -> str:
    """A key of `eval_metric_ops`, as it is written."""
    if isinstance(key, ast.Constant) and key.kind == KEYWORD:
        return repr(key.value)
    return source(key)


def items(
    node: ast.expr, body: Sequence[ast.stmt], resolved: Callable[..., ast.expr]
) -> list[tuple[ast.expr, ast.expr, ast.expr | None]]:
    """The keys and values of `eval_metric_ops`: a dict, and what is put into it afterwards.

    The third is the test of the branch that puts it there.

    Raises:
        Blocked: it isn't seen.
    """
    if isinstance(node, ast.Name) and (apart := _apart(node.id, body)) is not None:
        return apart
    found: list[tuple[ast.expr, ast.expr, ast.expr | None]] = []
    # What its name was changed by, the last first.
    later: list[tuple[ast.expr, ast.expr | None]] = []
    value = node
    if isinstance(node, ast.Name):
        tests: dict[int, ast.expr] = {}
        flat: list[ast.stmt] = []
        for stmt in body:
            if isinstance(stmt, ast.If) and not stmt.orelse and node.id in stores(stmt):
                tests.update({id(s): stmt.test for s in stmt.body})
                flat += stmt.body
            else:
                flat.append(stmt)
        for stmt in reversed(flat):
            put = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
            test = tests.get(id(stmt))
            if isinstance(put, ast.Name) and put.id == node.id:
                assert isinstance(stmt, ast.Assign)
                if test is not None:
                    raise Blocked(stmt, "metrics that aren't a dict that is seen")
                value = stmt.value
                break
            if isinstance(put, ast.Subscript) and ast.unparse(put.value) == node.id:
                assert isinstance(stmt, ast.Assign)
                later.append((ast.Dict([put.slice], [stmt.value]), test))
            elif isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
                call = stmt.value
                if ast.unparse(call.func) == f"{node.id}.update" and len(call.args) == 1:
                    later.append((call.args[0], test))
                elif node.id in stores(stmt):
                    raise Blocked(stmt, "metrics that aren't a dict that is seen")
            elif node.id in stores(stmt):
                raise Blocked(stmt, "metrics that aren't a dict that is seen")
    value = resolved(value, body) if isinstance(value, ast.Name) else value
    for each, test in [(value, None), *reversed(later)]:
        plain = isinstance(each, ast.Call) and ast.unparse(each.func) == "dict" and not each.args
        if isinstance(each, ast.Call) and plain:
            keys = [ast.copy_location(ast.Constant(k.arg, KEYWORD), k.value) for k in each.keywords]
            values = [k.value for k in each.keywords]
            found += [(k, v, test) for k, v in zip(keys, values, strict=True)]
        elif isinstance(each, ast.Dict):
            found += [(k or each, v, test) for k, v in zip(each.keys, each.values, strict=True)]
        else:
            raise Blocked(node, "metrics that aren't a dict that is seen")
    for key, item, _ in found:
        if isinstance(key, ast.Dict) or (isinstance(key, ast.Constant) and key.value is None):
            raise Blocked(item, "a metric that isn't seen")
    last = {ast.dump(key): (key, item, test) for key, item, test in found}
    if len(last) < len(found) and any(test is not None for _, _, test in found):
        raise Blocked(node, "a metric that a branch puts for another")
    return list(last.values())


def _apart(
    name: str, body: Sequence[ast.stmt]
) -> list[tuple[ast.expr, ast.expr, ast.expr | None]] | None:
    """The items of the dicts that the branches of a statement, the last one, give a name."""
    last = next((s for s in reversed(body) if name in stores(s)), None)
    if not isinstance(last, ast.If) or not last.orelse:
        return None
    found: list[tuple[ast.expr, ast.expr, ast.expr | None]] = []
    todo: list[tuple[Sequence[ast.stmt], list[ast.expr]]] = [([last], [])]
    while todo:
        stmts, tests = todo.pop(0)
        first = stmts[0] if stmts else None
        if len(stmts) == 1 and isinstance(first, ast.If):
            todo.append((first.body, [*tests, first.test]))
            todo.append((first.orelse, [*tests, ast.UnaryOp(ast.Not(), first.test)]))
            continue
        made = [s for s in stmts if name in stores(s)]
        if len(made) != 1 or not isinstance(made[0], ast.Assign):
            return None
        value, to = made[0].value, made[0].targets
        whole = isinstance(value, ast.Dict) and all(k is not None for k in value.keys)
        if len(to) > 1 or not isinstance(to[0], ast.Name) or not whole:
            return None
        if any(stores(s) for s in stmts if s is not made[0]):
            return None
        test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
        assert isinstance(value, ast.Dict)
        found += [(k, v, test) for k, v in zip(value.keys, value.values, strict=True) if k]
    return found


def asked(test: ast.expr, source: Callable[[ast.AST], str]) -> str:
    """The source of a test, also of one that several branches make."""
    if hasattr(test, "lineno"):
        return source(test)
    if isinstance(test, ast.BoolOp):
        return " and ".join(
            f"({asked(t, source)})" if isinstance(t, ast.BoolOp) else asked(t, source)
            for t in test.values
        )
    assert isinstance(test, ast.UnaryOp)
    inner = asked(test.operand, source)
    plain = isinstance(test.operand, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    return f"not {inner}" if plain else f"not ({inner})"


def read(program: Program, key: ast.expr, call: ast.Call, name: Callable[..., str]) -> Metric:
    """A metric, from the call that TF 1 made it with.

    Raises:
        Blocked: Keras has none with the same numbers, or it isn't one of TensorFlow's.
    """
    endpoint = program.called(call)
    kind = endpoint.removeprefix(T)
    if packaged := confusion.kind(program, call):
        return _packaged(program, key, call, packaged, name)
    if matrix := matrix_metrics.of(program, call):
        return _of_matrix(program, key, call, matrix, name)
    if not endpoint.startswith(T) or kind not in KNOWN:
        what = endpoint.replace("tensorflow", "tf") or "this"
        raise Blocked(call, f"no Keras metric for {what} yet")
    given = program.given(call)
    keras, update = KNOWN[kind]
    if keras in OWN:
        program.need(call, keras, OWN[keras])
    settings = SETTINGS.get(kind, ())
    more: list[str] = []
    if kind == "auc":
        keras, more = areas.taken(program, call, given)
    for argument, node in given.items():
        weighs = argument == "weights" and keras in (*WEIGHED, areas.NAME)
        if argument not in (*PARTS, *settings, "name") and not weighs:
            raise Blocked(node, f"`{argument}` of tf.metrics.{kind}")
    wish = str(key.value) if isinstance(key, ast.Constant) else ""
    wishes = [w for w in (wish, f"{wish}_metric") if w.isidentifier()]
    parts = {k: v for k, v in given.items() if k in (*PARTS, "weights")}
    if "weights" in parts and _one(program, parts["weights"]):
        del parts["weights"]
    if kind in SQUEEZED and not _alike(program, call, parts):
        if "weights" in parts:
            raise Blocked(call, f"labels of a weighted tf.metrics.{kind} that may differ in rank")
        for part in SQUEEZED[kind]:
            update = update.replace(f"{{{part}}}", f"{{tf}}.reshape({{{part}}}, [-1])")
    elif kind not in SQUEEZED and parts.keys() >= {"labels", "predictions"} and _rankless(program):
        if "weights" in parts:
            raise Blocked(call, f"labels of a weighted tf.metrics.{kind} that may differ in rank")
        for part in ("labels", "predictions"):
            update = update.replace(f"{{{part}}}", f"{{tf}}.reshape({{{part}}}, [-1])")
    said = ", ".join([*(f"{k}={program.source(given[k])}" for k in settings if k in given), *more])
    own = [given[k] for k in settings if k in given]
    attribute = name(*wishes, f"{kind}_metric")
    found = Metric(key, call, keras, attribute, parts, said, update, own)
    known = Known(program)
    found.cast = whole.cast(known, kind, parts.get("labels"), parts.get("predictions"))
    return found


def _packaged(
    program: Program, key: ast.expr, call: ast.Call, kind: str, name: Callable[..., str]
) -> Metric:
    """A metric of the package `tf_metrics`."""
    given = confusion.given(program, call, kind)
    program.need(call, confusion.NAME, confusion.SOURCE)
    program.packages.add(confusion.PACKAGE)
    parts = {k: v for k, v in given.items() if k in ("labels", "predictions", "weights")}
    if len(parts.keys() - {"weights"}) < 2 or "num_classes" not in given:
        raise Blocked(call, f"the arguments of `{kind}` of {confusion.PACKAGE}")
    wish = str(key.value) if isinstance(key, ast.Constant) else ""
    wishes = [w for w in (wish, f"{wish}_metric") if w.isidentifier()]
    said, made_of = confusion.settings(program, kind, given), ("num_classes", "pos_indices", "beta")
    own = [given[k] for k in made_of if k in given]
    update = "{labels}, {predictions}"
    return Metric(
        key, call, confusion.NAME, name(*wishes, f"{kind}_metric"), parts, said, update, own
    )


def _of_matrix(
    program: Program,
    key: ast.expr,
    call: ast.Call,
    found: matrix_metrics.Matrix,
    name: Callable[..., str],
) -> Metric:
    """A metric that a function of the program computes of a confusion matrix."""
    scored = matrix_metrics.read(program, call, found)
    parts = dict(found.parts)
    count = parts.pop("num_classes")
    parts |= {f"given{i}": v for i, v in enumerate(matrix_metrics.settings(found))}
    wish = str(key.value) if isinstance(key, ast.Constant) else ""
    wishes = [w for w in (wish, f"{wish}_metric") if w.isidentifier()]
    attribute = name(*wishes, f"{found.function.name}_metric")
    kind, update = matrix_metrics.NAME, "{labels}, {predictions}"
    made = Metric(key, call, kind, attribute, parts, program.source(count), update, [count])
    made.scored = scored
    return made


def _alike(program: Program, call: ast.Call, parts: dict[str, ast.expr]) -> bool:
    """Whether labels and predictions have one shape: those of a loss of `tf.losses` have."""
    scope = program.scopes.scope(call)
    both = [ast.dump(parts[k]) for k in ("labels", "predictions") if k in parts]
    names = {n for part in parts.values() for n in reads(part)}
    bound = program.scopes.bound(scope)
    if any(len(bound.get(n, ())) > 1 for n in names):
        return False
    for other in walk(scope):
        if isinstance(other, ast.Call) and program.called(other).startswith("tensorflow.losses."):
            given = program.given(other)
            if [ast.dump(given[k]) for k in ("labels", "predictions") if k in given] == both:
                return True
    return False


def _rankless(program: Program) -> bool:
    """Whether a batch may lose its rank, which metrics of Keras look at: a squeeze says no axis."""
    squeezes = (c for c in program.calls() if program.called(c) == "tensorflow.squeeze")
    return any(not program.given(c).keys() & {"axis", "squeeze_dims"} for c in squeezes)


def _one(program: Program, node: ast.expr) -> bool:
    """Whether weights are one number for all, which changes nothing: Keras weighs batches by it.

    Raises:
        Blocked: it is one that may be 0, or what a step computes.
    """
    value = program.scopes.value(node)
    if isinstance(value, ast.Constant):
        if isinstance(value.value, (int, float)) and value.value > 0:
            return True
        if value.value is not None:
            raise Blocked(node, "a weight of 0")
    given = program.given(value) if isinstance(value, ast.Call) else {}
    called = program.called(value) if isinstance(value, ast.Call) else ""
    reduced = (
        called.startswith("tensorflow.reduce_") and not {"axis", "reduction_indices"} & given.keys()
    )
    if reduced or (isinstance(value, ast.Subscript) and ast.unparse(value.value) == "params"):
        raise Blocked(node, "weights of a metric that are one number")
    return False


def final(metric: Metric, body: Sequence[ast.stmt]) -> None:
    """What a metric looks at must be the same at the end of a step, where it is updated.

    Raises:
        Blocked: it is bound again after the metric was made.
    """
    read = {n for part in metric.parts.values() for n in reads(part)}
    made = [i for i, s in enumerate(body) if holds(s, metric.call)]
    for stmt in body[made[-1] + 1 :] if made else ():
        if again := sorted(read & stores(stmt)):
            raise Blocked(metric.call, f"a metric of `{again[0]}`, which is bound again")
