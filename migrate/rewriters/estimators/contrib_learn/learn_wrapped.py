"""`SKCompat` around a canned Estimator of contrib.learn: `predict` gives a dict, not classes.

    classifier = learn.SKCompat(learn.DNNClassifier(…))
    classifier.predict(x)["classes"]

https://github.com/tensorflow/tensorflow/blob/v1.15.5/tensorflow/contrib/learn/python/learn/estimators/head.py
"""

from __future__ import annotations

import ast

from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.program import Program

# What each head predicts, beside what a model_fn predicts for `predict` of the Estimator itself.
BINARY = """{
            "logits": logits,
            "logistic": logistic,
            "probabilities": {tf}.concat([1 - logistic, logistic], 1),
            "classes": classes}"""
MANY = '{"logits": logits, "probabilities": {tf}.nn.softmax(logits), "classes": classes}'
NUMBERS = '{"scores": {scores}}'
PREDICTS = ("predict", "predict_classes", "predict_scores", "predict_proba")


def wrapped(program: Program, call: ast.Call) -> bool:
    """Whether a canned Estimator is only asked by `SKCompat`.

    Raises:
        Blocked: one of the program's may be asked both ways.
    """
    wrappers = [c for c in program.calls() if program.called(c).endswith(".SKCompat")]
    if not wrappers:
        return False
    if program.scopes.parents[id(call)] in wrappers:
        return True
    unseen = "an Estimator of contrib.learn that SKCompat and others may ask"
    for wrapper in wrappers:
        given = wrapper.args[0] if wrapper.args else None
        if isinstance(given, ast.Call) and program.called(given).startswith("tensorflow."):
            continue
        if not isinstance(given, ast.Name):
            raise Blocked(wrapper, unseen)
        values = [b.value for b in program.scopes.bindings(given.id, given)]
        names = [program.called(value) for value in values if value is not None]
        ours = len(names) == len(values) and all(n.startswith("tensorflow.") for n in names)
        if call not in values and ours:
            continue
        again = program.scopes.statement(wrapper)
        same = isinstance(again, ast.Assign) and ast.unparse(again.targets[0]) == given.id
        own = {call, wrapper} if same else {call}
        if set(values) != own or (same and again.lineno < call.lineno):
            raise Blocked(wrapper, unseen)
        for use in program.reads(given.id, program.scopes.scope(again)):
            above = program.scopes.parents[id(use)]
            asked = isinstance(above, ast.Attribute) and above.attr in PREDICTS
            if asked and not (same and use.lineno > again.lineno):
                raise Blocked(use, unseen)
        return True
    return False
