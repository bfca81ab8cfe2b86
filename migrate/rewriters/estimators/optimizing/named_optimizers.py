"""Optimizers by the names that canned Estimators know: a function of the file makes them.

https://www.tensorflow.org/guide/migrate/canned_estimators
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.rewriters.sessions.state import tensorflow
from migrate.rewriters.sessions.text import Text

NAMED = "get_optimizer_instance"
MODULES = ("tensorflow.python.estimator.", "tensorflow_estimator.python.estimator.")
# Those of `tf.train`, by their names.
OPTIMIZERS = {
    "Adagrad": "AdagradOptimizer",
    "Adam": "AdamOptimizer",
    "Ftrl": "FtrlOptimizer",
    "RMSProp": "RMSPropOptimizer",
    "SGD": "GradientDescentOptimizer",
}


def edits(
    tree: ast.Module, text: Text, endpoints: Mapping[int, str], others: str
) -> Iterator[Edit]:
    """A function of the file instead of the one inside of TensorFlow.

    That takes optimizers, too, and functions that make one: nowhere may the program have any.
    """
    found = [
        n
        for n in all_of(tree, ast.Call)
        if (name := endpoints.get(id(n.func), "")).startswith(MODULES)
        and name.endswith(f".optimizers.{NAMED}")
    ]
    root = tensorflow(tree)
    if not found or not root or re.search(r"Optimizer\b", text.text + others):
        return
    words = {getattr(n, name, None) for n in walk(tree) for name in ("id", "name", "arg")}
    if NAMED in words or not all(map(_plain, found)):
        return
    first = min(found, key=lambda n: n.lineno)
    stmt = next(s for s in tree.body if s.lineno <= first.lineno <= (s.end_lineno or s.lineno))
    at = text.start(min([stmt.lineno, *(d.lineno for d in getattr(stmt, "decorator_list", []))]))
    one, two = text.unit, 2 * text.unit
    lines = f"def {NAMED}(name, learning_rate):\n"
    for name, made in OPTIMIZERS.items():
        lines += f"{one}if name == '{name}':\n{two}return {root}.train.{made}(learning_rate)\n"
    lines += f"{one}raise ValueError('Unsupported optimizer name: {{}}'.format(name))\n\n\n"
    yield Edit(at, at, lines)
    for call in found:
        yield Edit(*text.index.span(call.func), NAMED)
        for keyword in call.keywords:
            if keyword.arg == "opt":
                start, _ = text.index.span(keyword)
                yield Edit(start, start + len("opt"), "name")


def _plain(call: ast.Call) -> bool:
    """Whether a name and a learning rate are given."""
    names = {k.arg for k in call.keywords}
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    return not starred and len(call.args) + len(names) == 2 and names <= {"opt", "learning_rate"}
