"""`tf.contrib.keras` in programs with Estimators: the objects of `tf.keras`, by another name.

A layer that is applied to `Input(tensor=features)` is applied to the features: TF 1's `Input` gives
them back.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.rewriters.sessions.text import Text

K, CONTRIB = "tensorflow.keras.", "tensorflow.contrib.keras."
# Of which all names are those of `tf.keras`.
MODULES = ("activations", "constraints", "initializers", "layers", "models", "regularizers")
INPUT, MODEL = ("Input", "layers.Input"), ("Model", "models.Model")


def edits(
    tree: ast.Module,
    text: Text,
    endpoints: Mapping[int, str],
    called: Callable[[ast.AST | None], str],
) -> Iterator[Edit]:
    """The edits of one file."""
    nodes = list(walk(tree))
    inside: set[int] = set()
    # What a functional model begins with isn't only the tensor.
    models = any(_named(called(n), MODEL) for n in nodes)
    for node in nodes:
        if not models and isinstance(node, ast.Call) and _named(called(node), INPUT):
            if not node.args and [k.arg for k in node.keywords] == ["tensor"]:
                inside |= {id(n) for n in walk(node)}
                yield Edit(*text.index.span(node), text.source(node.keywords[0].value))
    for node in nodes:
        name = endpoints.get(id(node), "")
        rest = name.removeprefix(CONTRIB)
        if id(node) in inside or rest == name or rest.partition(".")[0] not in MODULES:
            continue
        while isinstance(node, ast.Attribute):
            below = node.value
            if node.attr == "keras" and isinstance(below, ast.Attribute):
                if below.attr == "contrib":
                    yield Edit(*text.index.span(node), f"{text.source(below.value)}.keras")
                break
            node = below


def _named(name: str, among: tuple[str, ...]) -> bool:
    return any(name in (K + a, CONTRIB + a) for a in among)
