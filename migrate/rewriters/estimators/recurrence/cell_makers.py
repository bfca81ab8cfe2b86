"""A function that only makes a recurrent cell is the cell, where it is called.

    def lstm_cell(size):
        cell = tf.nn.rnn_cell.LSTMCell(size)
        return tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=KEEP)

    MultiRNNCell([lstm_cell(n) for n in sizes])

https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/rnn_cell/MultiRNNCell
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, holds
from migrate.rewriters.estimators.recurrence.recurrent import CELLS, WRAPPERS
from migrate.rewriters.estimators.syntax import reads, stores
from migrate.rewriters.sessions.text import Text

SIMPLE = (ast.Name, ast.Constant, ast.Attribute)


def edits(
    tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str], others: str = ""
) -> Iterator[Edit]:
    """The edits of one file; ``others``: the program's other files."""
    for function in (s for s in tree.body if isinstance(s, ast.FunctionDef)):
        name = function.name
        made = _cells(function, called)
        uses = [n for n in all_of(tree, ast.Name) if n.id == name]
        said = [n for n in all_of(tree, ast.Constant) if n.value == name]
        if not made or not uses or said or re.search(rf"\b{name}\b", others):
            continue
        calls = [c for c in all_of(tree, ast.Call) if any(c.func is n for n in uses)]
        sources = [_written(tree, function, made, call, text) for call in calls]
        again = any(name in stores(s) for s in tree.body if s is not function)
        if len(calls) < len(uses) or again or not all(sources):
            continue
        for call, source in zip(calls, sources, strict=True):
            yield Edit(*text.index.span(call), source)
        piece = text.piece(function)
        last = piece.last + 1
        while last <= len(text.lines) and not text.lines[last - 1].strip():
            last += 1
        yield Edit(text.start(piece.first), text.start(last), "")


def _cells(
    function: ast.FunctionDef, called: Callable[[ast.AST | None], str]
) -> list[tuple[str, ast.expr]]:
    """What a function makes, by name, if it only makes a cell; the last one is what it gives."""
    args = function.args
    if function.decorator_list or args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return []
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    made: list[tuple[str, ast.expr]] = []
    for stmt in body[:-1]:
        target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
        if not isinstance(stmt, ast.Assign) or len(stmt.targets) > 1:
            return []
        if not isinstance(target, ast.Name) or target.id in {a.arg for a in args.args}:
            return []
        made.append((target.id, stmt.value))
    value = body[-1].value if body and isinstance(body[-1], ast.Return) else None
    if value is None:
        return []
    if not isinstance(value, ast.Name) or not made or value.id != made[-1][0]:
        made.append(("", value))
    every = [called(value) for _, value in made]
    if every[0] not in CELLS or any(kind not in WRAPPERS for kind in every[1:]):
        return []
    # Each wraps the one before it, once.
    for (name, _), (_, value) in pairwise(made):
        if sum(n.id == name for n in all_of(value, ast.Name)) != 1:
            return []
    return made


def _written(
    tree: ast.Module,
    function: ast.FunctionDef,
    made: list[tuple[str, ast.expr]],
    call: ast.Call,
    text: Text,
) -> str:
    """The cell as an expression where the function is called; nothing where it can't be."""
    names = [a.arg for a in function.args.args]
    given = dict(zip(names, call.args, strict=False))
    given |= {str(k.arg): k.value for k in call.keywords}
    if len(call.args) > len(names) or given.keys() != set(names) or holds(function, call):
        return ""
    if not all(isinstance(value, SIMPLE) for value in given.values()):
        return ""
    own = {*names, *(name for name, _ in made)}
    outer = set().union(*(reads(value) for _, value in made)) - own
    for around in all_of(tree, ast.FunctionDef):
        if holds(around, call):
            bound = {a.arg for a in all_of(around, ast.arg)}
            if outer & bound.union(*(stores(s) for s in around.body)):
                return ""
    if outer & {n.id for n in all_of(tree, ast.Name) if _looped(tree, n, call)}:
        return ""
    said = {name: text.source(value) for name, value in given.items()}
    source = ""
    for name, value in made:
        source = _put(text, value, said)
        said = {**said, name: source}
    return source


def _looped(tree: ast.Module, name: ast.Name, call: ast.Call) -> bool:
    """Whether a comprehension around a call binds a name."""
    if isinstance(name.ctx, ast.Load):
        return False
    kinds = (ast.ListComp, ast.GeneratorExp)
    return any(holds(c, call) and holds(c, name) for kind in kinds for c in all_of(tree, kind))


def _put(text: Text, node: ast.expr, said: dict[str, str]) -> str:
    """An expression's source with other expressions in the place of names."""
    start, end = text.index.span(node)
    found = text.text[start:end]
    places = sorted(
        (*text.index.span(n), said[n.id]) for n in all_of(node, ast.Name) if n.id in said
    )
    for lo, hi, new in reversed(places):
        found = found[: lo - start] + new + found[hi - start :]
    return found
