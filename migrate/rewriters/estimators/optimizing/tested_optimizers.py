"""Tests of a program's own optimizer, which is Keras's by now: their session becomes a function.

    optimizer = AdamWeightDecayOptimizer(0.2)            optimizer = AdamWeightDecayOptimizer(0.2)
    train_op = optimizer.apply_gradients(pairs, step)
    for _ in range(100):                                 for _ in range(100):
        sess.run(train_op)                                   train_step()

For as long as the session is followed, one of TensorFlow's stands in its place. An optimizer that
writes `apply_gradients` by hand, and doesn't read the step, doesn't count it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from itertools import count

from migrate.engine.document import Document, edited
from migrate.engine.findings import Edit
from migrate.engine.functions import TF2, Between, placed
from migrate.engine.judged import names_of
from migrate.engine.trees import all_of
from migrate.programs.graph.model import Blocked
from migrate.rewriters.estimators.hidden import hidden, shown
from migrate.rewriters.estimators.models.tested import OPENS
from migrate.rewriters.sessions.convert import convert_files

BASE = f"{TF2}.keras.optimizers.Optimizer"
STEPS = ("apply_gradients", "minimize")


def followed(done: dict[str, Between], known: Iterable[str]) -> dict[str, Between]:
    """Files with such tests, whose sessions are functions.

    Raises:
        Blocked: one can't be followed.
    """
    classes = {
        cls.name
        for between in done.values()
        for cls in all_of(between.document.tree, ast.ClassDef)
        if [ast.unparse(b) for b in cls.bases] == [BASE]
    }
    found = dict(done)
    for path, between in done.items() if classes else ():
        calls = _made(between.document, classes)
        if calls:
            found[path] = _followed(between, calls, known)
    return found


def _made(document: Document, classes: set[str]) -> list[ast.Call]:
    """The calls of such classes in the sessions of tests."""
    blocks = [w for w in all_of(document.tree, ast.With) if any(map(_opens, w.items))]
    return [
        call
        for block in blocks
        for call in all_of(block, ast.Call)
        if ast.unparse(call.func).rpartition(".")[2] in classes
    ]


def _opens(item: ast.withitem) -> bool:
    func = item.context_expr.func if isinstance(item.context_expr, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in OPENS


def _followed(between: Between, calls: list[ast.Call], known: Iterable[str]) -> Between:
    document, edits = between.document, []
    rates: dict[str, str] = {}
    names = {
        ast.unparse(stmt.targets[0])
        for stmt in all_of(document.tree, ast.Assign)
        if any(stmt.value is call for call in calls)
    }
    numbers = (f"0.{n}" for n in count(618033) if f"0.{n}" not in document.text)
    for call in calls:
        rate = next(numbers)
        start, end = document.index.span(call)
        rates[rate] = document.text[start:end]
        made = f"{between.root}.train.GradientDescentOptimizer({rate})"
        edits.append(Edit(start, end, made))
    for call in all_of(document.tree, ast.Call):
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr in STEPS:
            if ast.unparse(func.value) in names:
                edits += _uncounted(document, call)
    whole, path = edited(document, edits), document.path
    try:
        plain, kept = hidden(whole, names_of(whole), set())
        (done,) = convert_files([(plain, names_of(plain))], TF2, [path], known)
    except Blocked as error:
        error.node, error.path = placed(error.node, between.before, whole), path
        raise
    shown_again = shown(whole, plain, edited(plain, done.edits), kept)
    after = shown_again.text if shown_again is not None else ""
    for rate, source in rates.items():
        made = f"{TF2}.keras.optimizers.SGD({rate})"
        if after.count(made) != 1:
            lost = Blocked(between.before.tree.body[0], "an optimizer in a test")
            lost.path = path
            raise lost
        after = after.replace(made, source)
    tree = edited(document, [Edit(0, len(document.text), after)])
    said = [(placed(node, between.before, plain), what) for node, what in done.said]
    return replace(
        between, document=tree, changes=between.changes + said, names=between.names + done.names
    )


def _uncounted(document: Document, call: ast.Call) -> list[Edit]:
    """Take the step that an optimizer is told out of a call."""
    step = next((k for k in call.keywords if k.arg == "global_step"), None)
    node: ast.AST | None = step or (call.args[1] if len(call.args) > 1 else None)
    if node is None:
        return []
    every = [*call.args, *call.keywords]
    before = every[every.index(node) - 1]
    return [Edit(document.index.span(before)[1], document.index.span(node)[1], "")]
