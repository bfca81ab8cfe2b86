"""`static_rnn` as `dynamic_rnn` on the stack of its inputs: the same cell, step after step.

    outputs, state = tf.nn.static_rnn(          outputs, state = tf.nn.dynamic_rnn(
        cell, x, dtype=tf.float32)                  cell, tf.stack(x, 1), dtype=tf.float32)
                                                outputs = tf.unstack(outputs, len(x), axis=1)

https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/static_rnn
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of
from migrate.rewriters.estimators.syntax import alone
from migrate.rewriters.sessions.state import tensorflow
from migrate.rewriters.sessions.text import Text

STATIC = frozenset({"tensorflow.nn.static_rnn", "tensorflow.contrib.rnn.static_rnn"})
ARGUMENTS = ("cell", "inputs", "initial_state", "dtype", "sequence_length", "scope")


def edits(tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str]) -> Iterator[Edit]:
    """The edits of one file, whose `static_rnn`s are statements that give both results names."""
    tf = tensorflow(tree)
    if tf is None:
        return
    for stmt in all_of(tree, ast.Assign):
        if called(stmt.value) not in STATIC:
            continue
        call, target = stmt.value, stmt.targets[0]
        assert isinstance(call, ast.Call)
        pair = target.elts if isinstance(target, ast.Tuple) else []
        names = [n.id for n in pair if isinstance(n, ast.Name)]
        given = {k.arg: k.value for k in call.keywords}
        given |= dict(zip(ARGUMENTS, call.args, strict=False))
        inputs = given.get("inputs")
        if len(stmt.targets) != 1 or len(pair) != 2 or len(names) != 2 or len(call.args) > 2:
            continue
        if not isinstance(inputs, ast.Name) or inputs.id in names or not alone(stmt, text):
            continue
        if not given.keys() <= set(ARGUMENTS) or any(isinstance(a, ast.Starred) for a in call.args):
            continue
        yield Edit(*text.index.span(call.func), f"{tf}.nn.dynamic_rnn")
        yield Edit(*text.index.span(inputs), f"{tf}.stack({inputs.id}, 1)")
        if names[0] != "_":
            piece = text.piece(stmt)
            end = text.start(piece.last + 1)
            line = f"{names[0]} = {tf}.unstack({names[0]}, len({inputs.id}), axis=1)"
            yield Edit(end, end, f"{piece.indent}{line}\n")
