"""Iterators that are initialized with the tables of a graph: those of an input_fn, which need none.

    iterator = dataset.make_initializable_iterator()     iterator = dataset.make_one_shot_iterator()
    tf.add_to_collection(                                return iterator.get_next()
        tf.GraphKeys.TABLE_INITIALIZERS,
        iterator.initializer)
    return iterator.get_next()

An Estimator runs what is in the collection when it begins; a dataset begins by itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.rewriters.estimators.syntax import alone
from migrate.rewriters.sessions.text import Text

COLLECTION = "tensorflow.GraphKeys.TABLE_INITIALIZERS"
MAKER, PLAIN = "make_initializable_iterator", "make_one_shot_iterator"


def edits(
    tree: ast.Module,
    text: Text,
    endpoints: Mapping[int, str],
    called: Callable[[ast.AST | None], str],
) -> Iterator[Edit]:
    """The edits of one file: of functions that give what the iterator has next."""
    for function in all_of(tree, ast.FunctionDef):
        for node in walk(function):
            body = getattr(node, "body", None)
            for stmt in body if isinstance(body, list) and len(body) > 1 else []:
                call = stmt.value if isinstance(stmt, ast.Expr) else None
                if not isinstance(call, ast.Call) or len(call.args) != 2 or call.keywords:
                    continue
                if called(call) != "tensorflow.add_to_collection" or not alone(stmt, text):
                    continue
                key, value = call.args
                made = _made(function, value)
                if endpoints.get(id(key)) == COLLECTION and made is not None:
                    piece, end = text.piece(stmt), text.index.span(made)[1]
                    yield Edit(text.start(piece.line), text.start(piece.last + 1), "")
                    yield Edit(end - len(MAKER), end, PLAIN)


def _made(function: ast.FunctionDef, node: ast.expr) -> ast.Attribute | None:
    """What makes the one iterator of a name, where an expression is what initializes it."""
    if not isinstance(node, ast.Attribute) or node.attr != "initializer":
        return None
    if not isinstance(node.value, ast.Name):
        return None
    name = node.value.id
    names = [n for n in all_of(function, ast.Name) if n.id == name]
    stored = [n for n in names if not isinstance(n.ctx, ast.Load)]
    made = [
        n.value
        for n in all_of(function, ast.Assign)
        if len(n.targets) == 1 and n.targets[0] in stored
    ]
    call = made[0] if len(stored) == len(made) == 1 else None
    func = call.func if isinstance(call, ast.Call) else None
    return func if isinstance(func, ast.Attribute) and func.attr == MAKER else None
