"""`metrics` of contrib.learn's `evaluate` are those of its model_fn.

    net.evaluate(x, y, metrics={                 EstimatorSpec(…, eval_metric_ops={
        'accuracy': learn.MetricSpec(                'accuracy': tf.metrics.accuracy(
            tf.metrics.accuracy,                         labels=labels,
            prediction_key='classes')})                  predictions=predictions['classes'])})

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/learn/python/learn/metric_spec.py
"""

from __future__ import annotations

import ast

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.lifting import Lifted
from migrate.rewriters.estimators.program import Estimator, Program

SPEC = "tensorflow.contrib.learn.MetricSpec"
MADE = "tensorflow.estimator.EstimatorSpec"
ASKS = frozenset({"evaluate", "score"})
METRICS = ("tensorflow.metrics.", "tensorflow.contrib.metrics.streaming_")
REASON = "`metrics` of an evaluation that a model_fn's `eval_metric_ops` can't say"


def said(program: Program, node: ast.expr, made: Estimator) -> None:
    """Look at the metrics of a call of `evaluate`.

    Raises:
        Lifted: the model_fn may say them.
        Blocked: it may not.
    """
    function = made.home
    asked = program.scopes.value(node)
    page = program.page(node)
    specs = [n for n in all_of(function, ast.Call) if program.called(n) == MADE] if function else []
    if not isinstance(asked, ast.Dict) or len(specs) != 1 or program.page(specs[0]) is not page:
        raise Blocked(node, REASON)
    given = program.given(specs[0])
    if "eval_metric_ops" in given or not isinstance(given.get("predictions"), ast.Name):
        raise Blocked(node, REASON)
    found = given["predictions"]
    keyed = isinstance(program.scopes.value(found), ast.Dict)
    values = [
        _metric(program, key, value, program.source(found), keyed=keyed)
        for key, value in zip(asked.keys, asked.values, strict=True)
    ]
    edits: list[Edit] = []
    for call in _calls(program):
        words = [k for k in call.keywords if k.arg == "metrics"]
        if not words or ast.dump(words[0].value) != ast.dump(node):
            raise Blocked(call, "evaluations of contrib.learn with several `metrics`")
        edits.append(_without(program, call, words[0]))
    if asked is not node:
        edits.append(_gone(program, node, len(edits)))
    end = program.text.index.span(specs[0])[1] - 1
    before = program.text.text[:end].rstrip()
    comma = "" if before.endswith(",") else ","
    ops = f" eval_metric_ops={{{', '.join(values)}}}"
    edits.append(Edit(len(before), len(before), f"{comma}{ops}"))
    raise Lifted(node, REASON, edits)


def _metric(
    program: Program, key: ast.expr | None, node: ast.expr, predictions: str, *, keyed: bool
) -> str:
    """A MetricSpec under its key, as a metric of the model_fn.

    Raises:
        Blocked: it asks for something else than predictions and labels.
    """
    node = program.scopes.value(node)
    if key is None or not isinstance(node, ast.Call) or program.called(node) != SPEC:
        raise Blocked(node, REASON)
    given = program.given(node)
    metric, chosen = given.pop("metric_fn", node), given.pop("prediction_key", None)
    none = chosen is None or (isinstance(chosen, ast.Constant) and chosen.value is None)
    if given or not program.endpoint(metric).startswith(METRICS) or keyed is none:
        raise Blocked(node, REASON)
    if chosen is not None and not none:
        predictions += f"[{program.source(chosen)}]"
    made = f"{program.source(metric)}(labels=labels, predictions={predictions})"
    return f"{program.source(key)}: {made}"


def _calls(program: Program) -> list[ast.Call]:
    """All calls that may evaluate an Estimator."""
    return [
        c
        for c in program.calls()
        if isinstance(c.func, ast.Attribute) and c.func.attr in ASKS and not program.called(c)
    ]


def _without(program: Program, call: ast.Call, word: ast.keyword) -> Edit:
    """A call without one of its arguments."""
    spans = sorted(program.text.index.span(n) for n in (*call.args, *call.keywords))
    own = program.text.index.span(word)
    at = spans.index(own)
    if at + 1 < len(spans):
        return Edit(own[0], spans[at + 1][0], "")
    return Edit(spans[at - 1][1] if at else own[0], own[1], "")


def _gone(program: Program, node: ast.expr, count: int) -> Edit:
    """The statement that gives the metrics their name, which only these calls read.

    Raises:
        Blocked: something else does.
    """
    bound = program.scopes.lookup(node)
    if bound is None or not isinstance(node, ast.Name) or not isinstance(bound.node, ast.Assign):
        raise Blocked(node, REASON)
    if len(program.scopes.uses(bound, node.id)) != count or len(bound.node.targets) != 1:
        raise Blocked(node, REASON)
    piece, text = program.text.piece(bound.node), program.text
    return Edit(text.start(piece.first), text.start(piece.last + 1), "")


__all__ = ["said"]
