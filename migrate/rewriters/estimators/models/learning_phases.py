"""Keras's learning phase, which a model_fn sets by its mode: an argument of the layers behind it.

    if mode == tf.estimator.ModeKeys.TRAIN:
        K.set_learning_phase(1)
    else:
        K.set_learning_phase(0)
    net = Dropout(0.4)(net)

is `net = Dropout(0.4)(net, training=mode == tf.estimator.ModeKeys.TRAIN)`. A file that sets it
outside of functions sets that of a graph which no Estimator has: it goes.

https://www.tensorflow.org/api_docs/python/tf/compat/v1/keras/backend/set_learning_phase
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, children, walk
from migrate.rewriters.estimators.estimator import K
from migrate.rewriters.estimators.syntax import alone, reads, stores
from migrate.rewriters.sessions.text import Text

SETS = "tensorflow.keras.backend.set_learning_phase"
DROPOUTS = frozenset(
    K + name
    for name in (
        *("Dropout", "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D"),
        *("GaussianNoise", "GaussianDropout", "AlphaDropout"),
    )
)
# What else asks for the phase: layers and functions, and arguments of recurrent layers.
ASKS = frozenset({"BatchNormalization", "learning_phase", "in_train_phase", "in_test_phase"})
GIVEN = frozenset({"dropout", "recurrent_dropout"})
WORDS = re.compile(rf"{'|'.join(ASKS)}|Dropout\(|GaussianNoise|dropout ?=")


def edits(
    tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str], others: str
) -> Iterator[Edit]:
    """The edits of one file; none where something else may ask for the phase, too."""
    set_here = [n for n in walk(tree) if called(n) == SETS]
    above = [s for s in tree.body if _alone(s, called) and alone(s, text, commented=True)]
    if above and len(above) == len(set_here) and not _modelled(tree, called):
        # It is the phase of another graph than those that an Estimator makes.
        for stmt in above:
            whole = text.piece(stmt)
            yield Edit(text.start(whole.line), text.start(whole.last + 1), "")
        yield from _idle(tree, text, set_here)
        return
    if not set_here or any(map(_asks, walk(tree))):
        return
    elsewhere = _imported(tree)
    for function in all_of(tree, ast.FunctionDef):
        for place, stmt in enumerate(function.body):
            inside = [n for n in walk(stmt) if called(n) == SETS]
            test = _test(stmt, text, called) if inside == set_here[: len(inside)] else ""
            if not test or len(inside) != len(set_here):
                continue
            rest = function.body[place + 1 :]
            calls = [n for s in rest for n in walk(s) if _applies(n, called)]
            made = [n for n in walk(tree) if called(n) in DROPOUTS]
            known = {id(n) for c in calls for n in walk(c)}
            names = {n.id for n in all_of(stmt, ast.Name)}
            if (
                any(id(n) not in known for n in made)
                or any(stores(s) & names for s in rest)
                or _goes_on(function, rest, elsewhere, others)
                or not alone(stmt, text, commented=False)
            ):
                continue
            whole = text.piece(stmt)
            yield Edit(text.start(whole.line), text.start(whole.last + 1), "")
            for call in calls:
                end = text.index.span(call)[1] - 1
                yield Edit(end, end, f", training={test}")
            yield from _idle(tree, text, inside)


def _test(stmt: ast.stmt, text: Text, called: Callable[[ast.AST | None], str]) -> str:
    """When a statement sets the phase of training; it sets that of tests otherwise."""
    if not isinstance(stmt, ast.If) or "mode" not in reads(stmt):
        return ""
    phases = [_phase(body, called) for body in (stmt.body, stmt.orelse)]
    test = text.source(stmt.test)
    if phases == [True, False]:
        return test
    return f"not ({test})" if phases == [False, True] else ""


def _alone(stmt: ast.stmt, called: Callable[[ast.AST | None], str]) -> bool:
    """Whether a statement does nothing else than to set the phase."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if not isinstance(call, ast.Call) or called(call) != SETS:
        return False
    return not any(isinstance(n, ast.Call) for n in walk(call) if n is not call)


def _modelled(tree: ast.Module, called: Callable[[ast.AST | None], str]) -> bool:
    """Whether layers or models of Keras are made or used outside of functions."""
    outside: list[ast.AST] = list(tree.body)
    while outside:
        node = outside.pop()
        if called(node).startswith("tensorflow.keras.") and called(node) != SETS:
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            outside.extend(children(node))
    return False


def _phase(body: list[ast.stmt], called: Callable[[ast.AST | None], str]) -> bool | None:
    call = body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
    if not isinstance(call, ast.Call) or called(call) != SETS or len(call.args) != 1:
        return None
    value = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
    return bool(value) if value in (0, 1) else None


def _applies(node: ast.AST, called: Callable[[ast.AST | None], str]) -> bool:
    """Whether a call makes such a layer and applies it, without saying whether it trains."""
    return (
        isinstance(node, ast.Call)
        and called(node.func) in DROPOUTS
        and len(node.args) == 1
        and not node.keywords
    )


def _asks(node: ast.AST) -> bool:
    """Whether something else asks for the phase."""
    if isinstance(node, ast.keyword):
        return node.arg in GIVEN
    return (isinstance(node, ast.Name) and node.id in ASKS) or (
        isinstance(node, ast.Attribute) and node.attr in ASKS
    )


def _goes_on(
    function: ast.FunctionDef, rest: list[ast.stmt], elsewhere: set[str], others: str
) -> bool:
    """Whether another file may ask for the phase that a function has set."""
    if not WORDS.search(others):
        return False
    taken = rf"\.{function.name}\b|\bimport\b(?:[^\n(]*|\s*\([^)]*)(?:\*|\b{function.name}\b)"
    return re.search(taken, others) is not None or any(reads(s) & elsewhere for s in rest)


def _imported(tree: ast.Module) -> set[str]:
    """Names from other modules, but TensorFlow's."""
    found = set()
    for stmt in walk(tree):
        if isinstance(stmt, (ast.Import, ast.ImportFrom)):
            for alias in stmt.names:
                module = stmt.module or "" if isinstance(stmt, ast.ImportFrom) else alias.name
                if module.partition(".")[0] != "tensorflow":
                    found.add(alias.asname or alias.name.partition(".")[0])
    return found


def _idle(tree: ast.Module, text: Text, calls: list[ast.AST]) -> Iterator[Edit]:
    """The import of a backend that nothing else reads."""
    inside = {id(n) for c in calls for n in walk(c)}
    roots = {n.id for c in calls for n in all_of(c, ast.Name)}
    for stmt in tree.body:
        if not isinstance(stmt, ast.ImportFrom) or len(stmt.names) != 1:
            continue
        name = stmt.names[0].asname or stmt.names[0].name
        used = [n for n in all_of(tree, ast.Name) if n.id == name]
        if name in roots and all(id(n) in inside for n in used) and alone(stmt, text):
            whole = text.piece(stmt)
            yield Edit(text.start(whole.line), text.start(whole.last + 1), "")
