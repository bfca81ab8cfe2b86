"""`tf.contrib.layers.real_valued_column` given to Estimators of `tf.estimator`: a numeric column.

https://www.tensorflow.org/api_docs/python/tf/feature_column/numeric_column
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of
from migrate.rewriters.sessions.text import Text

REAL = "tensorflow.contrib.layers.real_valued_column"
# The others stand where they stood.
RENAMED = {"column_name": "key", "dimension": "shape", "normalizer": "normalizer_fn"}


def edits(tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str]) -> Iterator[Edit]:
    """The edits of one file."""
    for node in all_of(tree, ast.Call):
        if called(node) != REAL:
            continue
        root = text.source(node.func).removesuffix(".contrib.layers.real_valued_column")
        if root == text.source(node.func) or _hidden(node):
            continue
        yield Edit(*text.index.span(node.func), f"{root}.feature_column.numeric_column")
        for keyword in node.keywords:
            if keyword.arg in RENAMED:
                start = text.index.span(keyword)[0]
                yield Edit(start, start + len(keyword.arg), RENAMED[keyword.arg])


def _hidden(call: ast.Call) -> bool:
    """Whether arguments are hidden, or it may be a column of any length, which is sparse."""
    size = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "dimension")]
    stars = any(isinstance(a, ast.Starred) for a in call.args)
    return stars or any(k.arg is None for k in call.keywords) or any(_none(s) for s in size)


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
