"""Heads of canned Estimators, by their private names: `contrib.estimator`'s are made by the same.

    head = head_lib._regression_head(            head = tf.contrib.estimator.regression_head(
        label_dimension=2)                           label_dimension=2,
                                                     loss_reduction=tf.losses.Reduction.SUM)

The loss of the private ones is a sum, where nothing else is said.
https://www.tensorflow.org/guide/migrate/migrating_estimator
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of
from migrate.rewriters.sessions.state import tensorflow
from migrate.rewriters.sessions.text import Text

MODULES = tuple(
    f"tensorflow{package}.python.estimator.canned.head." for package in ("", "_estimator")
)
EITHER = "_binary_logistic_or_multi_class_head"
NAMES = {
    "_binary_logistic_head_with_sigmoid_cross_entropy_loss": (
        "binary_classification_head",
        ("weight_column", "thresholds", "label_vocabulary", "loss_reduction"),
    ),
    "_multi_class_head_with_softmax_cross_entropy_loss": (
        "multi_class_head",
        ("n_classes", "weight_column", "label_vocabulary", "loss_reduction"),
    ),
    "_regression_head": (
        "regression_head",
        ("weight_column", "label_dimension", "loss_reduction"),
    ),
    EITHER: ("", ("n_classes", "weight_column", "label_vocabulary", "loss_reduction")),
}


def edits(tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str]) -> Iterator[Edit]:
    """The edits of one file: of all its private heads, whose import goes then, or of none."""
    tf = tensorflow(tree)
    imports = [n for n in tree.body if isinstance(n, ast.ImportFrom) and _of_heads(n)]
    if tf is None or len(imports) != 1:
        return
    (brought,) = imports
    calls = [n for n in all_of(tree, ast.Call) if _name(called(n)) in NAMES]
    root = brought.names[0].asname or brought.names[0].name
    uses = [n for n in all_of(tree, ast.Name) if n.id == root]
    made = [_made(tf, call, text, _name(called(call))) for call in calls]
    if not calls or len(uses) != len(calls) or None in made:
        return
    for call, source in zip(calls, made, strict=True):
        assert source is not None
        yield Edit(*text.index.span(call), source)
    piece = text.piece(brought)
    yield Edit(text.start(piece.line), text.start(piece.last + 1), "")


def _of_heads(node: ast.ImportFrom) -> bool:
    return (
        len(node.names) == 1
        and not node.level
        and f"{node.module}.{node.names[0].name}." in MODULES
    )


def _name(endpoint: str) -> str:
    module = next((m for m in MODULES if endpoint.startswith(m)), None)
    return endpoint.removeprefix(module) if module else ""


def _made(tf: str, call: ast.Call, text: Text, name: str) -> str | None:
    """The public head, with the reduction that the private one has; None where that isn't seen."""
    new, order = NAMES[name]
    if any(isinstance(a, ast.Starred) for a in call.args) or len(call.args) > len(order):
        return None
    given: dict[str, ast.expr] = dict(zip(order, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in given:
            return None
        given[keyword.arg] = keyword.value
    if name == EITHER:
        many = given.get("n_classes")
        if not isinstance(many, ast.Constant) or not isinstance(many.value, int):
            return None
        new = "multi_class_head" if many.value != 2 else "binary_classification_head"
        if many.value == 2:
            del given["n_classes"]
    said = [
        f"{key}={text.source(value)}"
        for key, value in given.items()
        if not (isinstance(value, ast.Constant) and value.value is None)
    ]
    if "loss_reduction" not in given:
        said.append(f"loss_reduction={tf}.losses.Reduction.SUM")
    return f"{tf}.contrib.estimator.{new}({', '.join(said)})"
