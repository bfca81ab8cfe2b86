"""A batch normalization that is made twice, for training and for all else, as one with a switch.

    def batch_norm_layer(x, train, scope):             def batch_norm_layer(x, train, scope):
        bn_train = batch_norm(x, is_training=True,         z = batch_norm(x, is_training=train,
            updates_collections=None, …)                       updates_collections=None, …)
        bn_infer = batch_norm(x, is_training=False,        return z
            updates_collections=None, reuse=True, …)
        z = tf.cond(tf.cast(train, tf.bool),
            lambda: bn_train, lambda: bn_infer)
        return z

TF 1.15.5 takes the branch of a condition that is a constant out of the graph, with the moving
averages' updates, so that an evaluation doesn't move them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of
from migrate.programs.graph.layering.layers import NORM
from migrate.rewriters.sessions.text import Text

Called = Callable[[ast.AST | None], str]


def edits(tree: ast.AST, text: Text, called: Called) -> Iterator[Edit]:
    """The edits of all functions of a file that do it."""
    for function in (n for n in all_of(tree, ast.FunctionDef)):
        for place, last in enumerate(function.body):
            if place > 1 and (cond := _cond(last, called)) is not None:
                yield from _one(function, function.body[place - 2 :], cond, text, called)


def _cond(stmt: ast.stmt, called: Called) -> ast.Call | None:
    value = getattr(stmt, "value", None)
    plain = isinstance(stmt, ast.Return) or (
        isinstance(stmt, ast.Assign) and len(stmt.targets) == 1
    )
    if plain and isinstance(value, ast.Call) and called(value) == "tensorflow.cond":
        return value
    return None


def _one(
    function: ast.FunctionDef, body: list[ast.stmt], cond: ast.Call, text: Text, called: Called
) -> Iterator[Edit]:
    first, second, last = body[:3]
    given = dict(zip(("pred", "true_fn", "false_fn"), cond.args, strict=False))
    given.update({str(k.arg): k.value for k in cond.keywords})
    switch = given.get("pred")
    if called(switch) == "tensorflow.cast" and isinstance(switch, ast.Call):
        switch = switch.args[0] if switch.args else None
    names = [_named(given.get(name)) for name in ("true_fn", "false_fn")]
    if not isinstance(switch, ast.Name) or None in names or names[0] == names[1]:
        return
    if switch.id not in {a.arg for a in function.args.args}:
        return
    trained, other = (_made(function, s, n, called) for s, n in zip(body, names, strict=False))
    if trained is None or other is None or not _alike(trained, other):
        return
    told = _keyword(trained, "is_training")
    assert told is not None
    index = text.index
    target = text.source(last)[: index.span(cond)[0] - index.span(last)[0]]
    yield Edit(index.span(first)[0], index.span(trained)[0], target)
    yield Edit(*index.span(told), switch.id)
    for gone in (second, last):
        piece = text.piece(gone)
        yield Edit(text.start(piece.line), text.start(piece.last + 1), "")


def _named(node: ast.expr | None) -> str | None:
    """The name that a lambda gives."""
    if not isinstance(node, ast.Lambda) or node.args.args or not isinstance(node.body, ast.Name):
        return None
    return node.body.id


def _made(
    function: ast.FunctionDef, stmt: ast.stmt, name: str | None, called: Called
) -> ast.Call | None:
    """The normalization that a statement makes under a name, which only the condition reads."""
    uses = [n for n in all_of(function, ast.Name) if n.id == name]
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1 or len(uses) != 2:
        return None
    value, own = stmt.value, any(stmt.targets[0] is use for use in uses)
    return value if own and isinstance(value, ast.Call) and called(value) == NORM else None


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None)


def _alike(trained: ast.Call, other: ast.Call) -> bool:
    """Whether two calls are the same but for the switch and `reuse`, and update at once."""
    told = [_keyword(c, "is_training") for c in (trained, other)]
    again = [_keyword(c, "reuse") for c in (trained, other)]
    values = [n.value if isinstance(n, ast.Constant) else n for n in (*told, *again)]
    if values not in ([True, False, None, True], [True, False, False, True]):
        return False
    rest = [
        [ast.dump(a) for a in c.args]
        + sorted(ast.dump(k) for k in c.keywords if k.arg not in ("is_training", "reuse"))
        for c in (trained, other)
    ]
    at_once = next((k.value for k in trained.keywords if k.arg == "updates_collections"), told[0])
    once = isinstance(at_once, ast.Constant) and at_once.value is None
    return once and rest[0] == rest[1] and len(trained.args) < 2
