"""A forward pass that a model_fn says in the branch of each mode stands once, before them.

if mode == ModeKeys.PREDICT:               logits = net(images, training=mode == ModeKeys.TRAIN)
    logits = net(images, training=False)   if mode == ModeKeys.PREDICT:
    return …                                   return …
if mode == ModeKeys.TRAIN:                 if mode == ModeKeys.TRAIN:
    logits = net(images, training=True)        …
    …

So it does where another argument tells them apart (`net(images, 0.5)` and `net(images, 1.0)`: it is
`net(images, 0.5 if mode == ModeKeys.TRAIN else 1.0)`), and where what follows a branch that returns
is what the other modes say.
"""

from __future__ import annotations

import ast
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
        branches = dict(found := list(_branches(function, endpoints)))
        if "TRAIN" in branches and len(branches) == len(found):
            yield from _moved(function, branches, text, called)


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
    function: ast.FunctionDef,
    branches: dict[str, ast.If],
    text: Text,
    called: Callable[[ast.AST], str],
) -> Iterator[Edit]:
    train = branches["TRAIN"]
    for stmt in train.body:
        if not isinstance(stmt, ast.Assign) or not isinstance(stmt.value, ast.Call):
            continue
        if called(stmt.value) or _like(train.body, stmt, called) is not stmt:
            continue
        others = _others(function, branches, stmt, called)
        if len({ast.dump(other.value) for other in others}) != 1:
            continue
        differ = _apart(stmt, others[0])
        if differ is None or len(differ) != 2:
            continue
        new = _choice(*differ, train.test, text)
        if new is None:
            continue
        piece, first = text.piece(stmt), text.piece(next(iter(branches.values())))
        (start, end), (lo, hi) = text.index.span(stmt), text.index.span(differ[0])
        new = f"{text.text[start:lo]}{new}{text.text[hi:end]}"
        lines = [line.removeprefix(piece.indent) for line in new.splitlines()]
        above = text.start(first.line)
        yield Edit(above, above, "".join(f"{first.indent}{line}\n" for line in lines))
        for each in (stmt, *others):
            gone = text.piece(each)
            yield Edit(text.start(gone.line), text.start(gone.last + 1), "")
        return


def _others(
    function: ast.FunctionDef,
    branches: dict[str, ast.If],
    stmt: ast.Assign,
    called: Callable[[ast.AST], str],
) -> list[ast.Assign]:
    """What the other modes say for a statement of training; nothing where one of them doesn't."""
    known = list(branches.values())
    at = function.body.index(known[0])
    rest = _like([s for s in function.body[at:] if s not in known], stmt, called)
    if rest is not None:
        # Of the branches only those count that stand before it, and these return.
        above = function.body[at : function.body.index(rest)]
        known = [branch for branch in known if branch in above]
        if any(b.orelse or not isinstance(b.body[-1], ast.Return) for b in known):
            return []
        if branches["TRAIN"] not in known:
            return []
    elif len(known) == 1:
        return []
    said = [_like(b.body, stmt, called) for b in known if b is not branches["TRAIN"]]
    found = [s for s in (*said, rest) if s is not None]
    return found if None not in said else []


def _like(
    body: list[ast.stmt], stmt: ast.Assign, called: Callable[[ast.AST], str]
) -> ast.Assign | None:
    """The statement of a branch that is another one's, but for an argument, with nothing before."""
    before: set[str] = set()
    for other in body:
        if isinstance(other, ast.Assign) and _apart(stmt, other) is not None:
            return None if before & (reads(other) | stores(other)) else other
        value = getattr(other, "value", None)
        named = called(value) if value is not None else ""
        if not named.startswith(("tensorflow.train.", "tensorflow.logging.")):
            return None
        before |= stores(other) | (reads(other) & stores(stmt))
    return None


def _apart(one: ast.Assign, other: ast.Assign) -> tuple[ast.expr, ast.expr] | tuple[()] | None:
    """The argument by which two statements differ, none if they don't; None if by anything else."""
    a, b = one.value, other.value
    if not isinstance(a, ast.Call) or not isinstance(b, ast.Call):
        return None
    outer = [ast.dump(ast.Tuple([*s.targets, c.func])) for s, c in ((one, a), (other, b))]
    names = [[k.arg for k in c.keywords] for c in (a, b)]
    if outer[0] != outer[1] or names[0] != names[1] or len(a.args) != len(b.args):
        return None
    given = zip(
        (*a.args, *(k.value for k in a.keywords)),
        (*b.args, *(k.value for k in b.keywords)),
        strict=True,
    )
    differ = [(x, y) for x, y in given if ast.dump(x) != ast.dump(y)]
    if len(differ) > 1:
        return None
    return differ[0] if differ else ()


def _choice(given: ast.expr, otherwise: ast.expr, test: ast.expr, text: Text) -> str | None:
    """The argument that is one when the model trains, else the other; None if it is no switch."""
    if not isinstance(otherwise, ast.Constant) or isinstance(given, (ast.IfExp, ast.Lambda)):
        return None
    if isinstance(otherwise.value, bool):
        told = isinstance(given, ast.Constant) and given.value is True and not otherwise.value
        return text.source(test) if told else None
    if otherwise.value not in (0, 1):  # what is kept, or dropped, of a batch
        return None
    return f"{text.source(given)} if {text.source(test)} else {text.source(otherwise)}"
