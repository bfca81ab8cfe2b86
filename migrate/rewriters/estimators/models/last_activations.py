"""`select_last_activations` of contrib.learn's recurrent Estimators is a `tf.gather`.

    rnn_common.select_last_activations(outputs, n)    tf.gather(outputs, n - 1, batch_dims=1)

https://www.tensorflow.org/api_docs/python/tf/gather
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import walk
from migrate.rewriters.sessions.state import tensorflow
from migrate.rewriters.sessions.text import Text

SELECTS = (
    "tensorflow.contrib.learn.python.learn.estimators.rnn_common.select_last_activations",
    "tensorflow.contrib.learn.estimators.rnn_common.select_last_activations",
)
NAMES = ("activations", "sequence_lengths")
PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


def edits(tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str]) -> Iterator[Edit]:
    """The edits of one file."""
    root = tensorflow(tree)
    for call in walk(tree) if root else ():
        if not isinstance(call, ast.Call) or called(call) not in SELECTS:
            continue
        given = dict(zip(NAMES, call.args, strict=False))
        given |= {str(k.arg): k.value for k in call.keywords}
        outputs, lengths = (given.get(name) for name in NAMES)
        if len(given) != len(call.args) + len(call.keywords) or set(given) - set(NAMES):
            continue
        if outputs is None or isinstance(outputs, ast.Starred) or lengths is None:
            continue
        inner = {id(n) for n in walk(call) if n is not call}
        if any(id(n) in inner and called(n) in SELECTS for n in walk(call)):
            continue
        if isinstance(lengths, ast.Constant):
            if lengths.value is None and isinstance(outputs, PLAIN):
                yield Edit(*text.index.span(call), f"{text.source(outputs)}[:, -1]")
            continue
        last = text.source(lengths) if isinstance(lengths, PLAIN) else f"({text.source(lengths)})"
        new = f"{root}.gather({text.source(outputs)}, {last} - 1, batch_dims=1)"
        yield Edit(*text.index.span(call), new)
