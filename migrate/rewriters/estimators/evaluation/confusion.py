"""Metrics of the package `tf_metrics`, which TF 2 can't run, as one Keras metric in the output.

    from tf_metrics import precision                self.precision = ConfusionScore(
    … precision(tags, ids, count, positive, mask)       "precision", count, positive)

It computes precision, recall and F-scores of some classes from one confusion matrix of all batches.

https://github.com/guillaumegenthial/tf_metrics
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program

PACKAGE = "tf_metrics"
KINDS = {"precision": "precision", "recall": "recall", "f1": "fbeta", "fbeta": "fbeta"}
ARGUMENTS = (
    *("labels", "predictions", "num_classes", "pos_indices", "weights", "average", "beta"),
)
AVERAGES = ("micro", "macro", "weighted")
NAME = "ConfusionScore"
SOURCE = '''class ConfusionScore({tf}.keras.metrics.Metric):
    """Precision, recall or F-score of some classes, by the confusion matrix of all batches."""

    def __init__(self, kind, num_classes, pos_indices=None, average="micro", beta=1):
        super().__init__()
        self.kind, self.average, self.beta = kind, average, beta
        every = range(num_classes)
        self.positive = [i for i in every if pos_indices is None or i in pos_indices]
        shape = [num_classes, num_classes]
        self.matrix = self.add_weight(
            shape=shape, initializer="zeros", dtype="float64", name="matrix")

    def update_state(self, labels, predictions, sample_weight=None):
        labels, predictions = {tf}.reshape(labels, [-1]), {tf}.reshape(predictions, [-1])
        if sample_weight is not None:
            sample_weight = {tf}.reshape(sample_weight, [-1])
        self.matrix.assign_add({tf}.math.confusion_matrix(
            labels, predictions, self.matrix.shape[0], sample_weight, {tf}.float64))

    def score(self, classes):
        """What is asked for, of some classes together."""
        classes = {tf}.constant(classes, {tf}.int32)
        hits = {tf}.reduce_sum({tf}.gather({tf}.linalg.diag_part(self.matrix.value), classes))
        predicted = {tf}.reduce_sum({tf}.gather(self.matrix.value, classes, axis=1))
        actual = {tf}.reduce_sum({tf}.gather(self.matrix.value, classes))
        hits, predicted, actual = ({tf}.cast(x, {tf}.float32) for x in (hits, predicted, actual))
        precision = {tf}.math.divide_no_nan(hits, predicted)
        recall = {tf}.math.divide_no_nan(hits, actual)
        square = self.beta**2
        both = (1.0 + square) * precision * recall
        fbeta = {tf}.math.divide_no_nan(both, square * precision + recall)
        return {"precision": precision, "recall": recall, "fbeta": fbeta}[self.kind]

    def result(self):
        if self.average == "micro":
            return self.score(self.positive)
        scores = {tf}.stack([self.score([i]) for i in self.positive])
        if self.average == "macro":
            return {tf}.reduce_mean(scores)
        counts = {tf}.gather({tf}.reduce_sum(self.matrix.value, 1), self.positive)
        counts = {tf}.cast(counts, {tf}.float32)
        return {tf}.math.divide_no_nan(
            {tf}.reduce_sum(scores * counts), {tf}.reduce_sum(counts))
'''


def kind(program: Program, call: ast.Call) -> str:
    """The function of the package that a call is of, or nothing."""
    func = call.func
    root = func.value if isinstance(func, ast.Attribute) else func
    found = program.scopes.lookup(root) if isinstance(root, ast.Name) else None
    if found is None or not isinstance(root, ast.Name):
        return ""
    if program.scopes.function(func) is not None:
        return ""  # a file of the program has the package's name
    node = found.node
    if isinstance(func, ast.Name) and isinstance(node, ast.ImportFrom):
        if node.module == PACKAGE and not node.level:
            names = {a.asname or a.name: a.name for a in node.names}
            return names.get(func.id, "")
    if isinstance(func, ast.Attribute) and isinstance(node, ast.Import):
        if any(a.name == PACKAGE and (a.asname or a.name) == root.id for a in node.names):
            return func.attr
    return ""


def given(program: Program, call: ast.Call, name: str) -> dict[str, ast.expr]:
    """The arguments of a call, by the package's names.

    Raises:
        Blocked: they aren't followed.
    """
    hidden = any(isinstance(a, ast.Starred) for a in call.args)
    if name not in KINDS or hidden or len(call.args) > len(ARGUMENTS):
        raise Blocked(call, f"`{name}` of {PACKAGE}")
    found = dict(zip(ARGUMENTS, call.args, strict=False))
    found |= {str(k.arg): k.value for k in call.keywords}
    none = [k for k, v in found.items() if isinstance(v, ast.Constant) and v.value is None]
    found = {k: v for k, v in found.items() if k not in none}
    if found.keys() - set(ARGUMENTS) or ("beta" in found and name != "fbeta"):
        raise Blocked(call, f"the arguments of `{name}` of {PACKAGE}")
    average = found.get("average")
    if average is not None and not (
        isinstance(average, ast.Constant) and average.value in AVERAGES
    ):
        raise Blocked(average, f"the average of `{name}` of {PACKAGE}")
    return found


def settings(program: Program, name: str, found: dict[str, ast.expr]) -> str:
    """What the metric is made with."""
    out = [f'"{KINDS[name]}"', program.source(found["num_classes"])]
    if "pos_indices" in found:
        out.append(program.source(found["pos_indices"]))
    out += [f"{k}={program.source(found[k])}" for k in ("average", "beta") if k in found]
    return ", ".join(out)
