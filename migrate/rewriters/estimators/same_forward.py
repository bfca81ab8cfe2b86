"""A forward pass that a model_fn says in the branch of each mode stands once, before them.

if mode == ModeKeys.PREDICT:               logits = net(images, training=mode == ModeKeys.TRAIN)
    logits = net(images, training=False)   if mode == ModeKeys.PREDICT:
    return …                                   return …
if mode == ModeKeys.TRAIN:                 if mode == ModeKeys.TRAIN:
    logits = net(images, training=True)        …
    …
"""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of
from migrate.rewriters.estimators.syntax import reads, stores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from migrate.rewriters.sessions.text import Text

KEYS = "tensorflow.estimator.ModeKeys."


def edits(
    tree: ast.Module, text: Text, endpoints: dict[int, str], called: Callable[[ast.AST], str]
) -> Iterator[Edit]:
    """The edits that move what all branches say before them."""
    for function in all_of(tree, ast.FunctionDef):
        branches = list(_branches(function, endpoints))
        if len({mode for mode, _ in branches}) != len(branches) or len(branches) < 2:
            continue
        if any(mode == "TRAIN" for mode, _ in branches):
            yield from _moved(branches, text, called)


def _branches(function: ast.FunctionDef, endpoints: dict[int, str]) -> Iterator[tuple[str, ast.If]]:
    """The branches of single modes among a function's statements."""
    todo = [s for s in function.body if isinstance(s, ast.If)]
    while todo:
        stmt = todo.pop(0)
        test = stmt.test
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            continue
        key = endpoints.get(id(test.comparators[0]), "")
        if not isinstance(test.ops[0], ast.Eq) or ast.unparse(test.left) != "mode":
            continue
        if not key.startswith(KEYS):
            continue
        yield key.removeprefix(KEYS), stmt
        if len(stmt.orelse) == 1 and isinstance(stmt.orelse[0], ast.If):
            todo.insert(0, stmt.orelse[0])


def _moved(
    branches: list[tuple[str, ast.If]], text: Text, called: Callable[[ast.AST], str]
) -> Iterator[Edit]:
    first = branches[0][1]
    for stmt in first.body:
        if not isinstance(stmt, ast.Assign) or not isinstance(stmt.value, ast.Call):
            continue
        same = [_like(branch, stmt, called) for _, branch in branches]
        found = [s for s in same if s is not None]
        if called(stmt.value) or len(found) != len(branches):
            continue
        switches = [_switch(s.value) for s in found]
        told = {
            mode: switch.value
            for (mode, _), switch in zip(branches, switches, strict=True)
            if switch is not None
        }
        if told != {mode: mode == "TRAIN" for mode, _ in branches}:
            continue
        test = next(text.source(b.test) for mode, b in branches if mode == "TRAIN")
        piece, switch = text.piece(stmt), switches[0]
        assert switch is not None
        start, (lo, hi) = text.index.span(stmt)[0], text.index.span(switch)
        end = text.index.span(stmt)[1]
        indent = text.piece(first).indent
        new = f"{text.text[start:lo]}{test}{text.text[hi:end]}"
        lines = [line.removeprefix(piece.indent) for line in new.splitlines()]
        above = text.start(text.piece(first).line)
        yield Edit(above, above, "".join(f"{indent}{line}\n" for line in lines))
        for each in found:
            gone = text.piece(each)
            yield Edit(text.start(gone.line), text.start(gone.last + 1), "")
        return


def _like(branch: ast.If, stmt: ast.Assign, called: Callable[[ast.AST], str]) -> ast.Assign | None:
    """The statement of a branch that is another one's, but for its switch, with nothing before."""
    before: set[str] = set()
    for other in branch.body:
        if isinstance(other, ast.Assign) and _plain(other) == _plain(stmt):
            return None if before & (reads(other) | stores(other)) else other
        value = getattr(other, "value", None)
        named = called(value) if value is not None else ""
        if not named.startswith(("tensorflow.train.", "tensorflow.logging.")):
            return None
        before |= stores(other) | (reads(other) & stores(stmt))
    return None


def _plain(stmt: ast.Assign) -> str:
    """A statement without the value of its switch."""
    stmt = copy.deepcopy(stmt)
    switch = _switch(stmt.value)
    if switch is not None:
        switch.value = None
    return ast.dump(stmt)


def _switch(node: ast.expr) -> ast.Constant | None:
    """The one argument of a call that says whether the model trains."""
    if not isinstance(node, ast.Call):
        return None
    given = [*node.args, *(k.value for k in node.keywords if k.arg is not None)]
    told = [a for a in given if isinstance(a, ast.Constant) and isinstance(a.value, bool)]
    return told[0] if len(told) == 1 else None
