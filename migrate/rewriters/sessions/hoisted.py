"""What all branches of a condition end with, behind them: the op that trains.

``train_op = tf.train.AdamOptimizer(rate).minimize(loss)`` in one branch and another optimizer in
the other one become two optimizers under one name, and one op.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from migrate.engine.document import Document
from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.programs.graph.optimizing.training_helpers import METHODS
from migrate.programs.graph.wording.branched import Branched, leaves
from migrate.rewriters.sessions.apart import rewritten

WISHES = ("optimizer", "opt", "train_optimizer")


@dataclass(slots=True, eq=False, repr=False)
class _Item:
    """A statement of a branch, or half of one."""

    stmt: ast.stmt
    text: str  # as it is written behind the branches
    said: str  # what it says, whatever its layout
    made: ast.expr | None = None  # the optimizer that its first half makes


def hoisted(document: Document, error: Branched) -> Document | None:
    """The document with such ops behind their branches; None where that can't be."""
    line: int = error.node.lineno  # type: ignore[attr-defined]
    around = [
        node
        for node in all_of(document.tree, ast.If)
        if node.lineno <= line <= (node.end_lineno or 0)
    ]
    for node in sorted(around, key=lambda n: -n.lineno):
        edits = _edits(document, node)
        if edits is not None:
            return rewritten(document, edits)
    return None


def _branches(node: ast.If) -> list[list[ast.stmt]] | None:
    """The branches that go on behind a condition; None where there may be another one.

    Several conditions on one name choose among what there is: where none holds, what isn't made
    there is missing at its use, here as there.
    """
    found, rest, tests = [node.body], node.orelse, [node.test]
    while len(rest) == 1 and isinstance(rest[0], ast.If):
        found.append(rest[0].body)
        tests.append(rest[0].test)
        rest = rest[0].orelse
    if rest:
        found.append(rest)
    elif len(tests) == 1 or len(set(map(_asked, tests))) > 1 or _asked(node.test) is None:
        return None
    return [body for body in found if not leaves(body[-1])]


def _complete(node: ast.If) -> bool:
    """Whether one of the branches is always taken."""
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
    return bool(node.orelse)


def _set_elsewhere(document: Document, node: ast.If) -> bool:
    """Whether what branches set has another value where none of them is taken."""
    inside = [_stored(n) for n in walk(node)]
    return any(
        sum(_stored(n) == name for n in walk(document.tree)) > inside.count(name)
        for name in set(inside) - {None}
    )


def _stored(node: ast.AST) -> str | None:
    """The name or attribute that is set."""
    stored = isinstance(getattr(node, "ctx", None), ast.Store)
    return ast.unparse(node) if stored else None


def _asked(test: ast.expr) -> str | None:
    """What a condition compares with a constant."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return None
    simple = len(test.ops) == 1 and isinstance(test.comparators[0], ast.Constant)
    return ast.unparse(test.left) if simple else None


def _edits(document: Document, node: ast.If) -> list[Edit] | None:
    line = document.text[document.index.offset(node.lineno, 0) :]
    if not line.lstrip().startswith("if"):
        return None  # an elif, whose conditions come before it
    branches = _branches(node)
    if not branches or (not _complete(node) and _set_elsewhere(document, node)):
        return None
    name = _name(document, branches)
    if name is None:
        return None
    items = [[_item(document, stmt, name) for stmt in body] for body in branches]
    count = 0
    while all(len(body) > count for body in items):
        if len({body[-1 - count].said for body in items}) > 1:
            break
        count += 1
    tails = [body[len(body) - count :] for body in items]
    while count and not _trains(tails[0][0].stmt):
        tails = [tail[1:] for tail in tails]
        count -= 1
    if not count or any(i.made is not None for tail in tails for i in tail[1:]):
        return None
    edits: list[Edit] = []
    for body, tail in zip(items, tails, strict=True):
        if len(body) == count and tail[0].made is None:
            return None
        edits += [_removed(document, item, name) for item in tail]
    indent = line[: len(line) - len(line.lstrip())]
    behind = document.index.offset((node.end_lineno or node.lineno) + 1, 0)
    if not document.text[:behind].endswith("\n"):
        return None
    text = "".join(textwrap.indent(item.text, indent) + "\n" for item in tails[0])
    return [*edits, Edit(behind, behind, text)]


def _name(document: Document, branches: Sequence[Sequence[ast.stmt]]) -> str | None:
    """What the optimizer is called behind the branches."""
    owners = [_owner(body) for body in branches]
    said = {owner.id for owner in owners if isinstance(owner, ast.Name)}
    if len(said) > 1 or None in owners:
        return None
    if said:
        return said.pop()
    names = {n.id for n in all_of(document.tree, ast.Name)}
    names |= {a.arg for a in all_of(document.tree, ast.arg)}
    return next((wish for wish in WISHES if wish not in names), None)


def _owner(body: Sequence[ast.stmt]) -> ast.expr | None:
    """Whose method trains in a branch, the first one that does."""
    for stmt in body:
        if _trains(stmt):
            call = stmt.value  # type: ignore[attr-defined]
            owner: ast.expr = call.func.value
            return owner
    return None


def _trains(stmt: ast.stmt) -> bool:
    call = stmt.value if isinstance(stmt, (ast.Assign, ast.Expr)) else None
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in METHODS
    )


def _item(document: Document, stmt: ast.stmt, name: str) -> _Item:
    start, end = document.index.span(stmt)
    head = document.text[document.index.offset(stmt.lineno, 0) : start]
    text = document.text[start:end]
    call = stmt.value if isinstance(stmt, (ast.Assign, ast.Expr)) else None
    said, made = ast.unparse(stmt), None
    if _trains(stmt) and isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        owner = call.func.value
        if isinstance(owner, ast.Call):
            first, last = document.index.span(owner)
            text = text[: first - start] + name + text[last - start :]
            made = owner
            said = said.replace(ast.unparse(owner), name, 1)
    return _Item(stmt, textwrap.dedent(head + text) if not head.strip() else text, said, made)


def _removed(document: Document, item: _Item, name: str) -> Edit:
    """A statement goes, or what is left of it is the optimizer."""
    start, end = document.index.span(item.stmt)
    if item.made is not None:
        first, last = document.index.span(item.made)
        return Edit(start, end, f"{name} = {document.text[first:last]}")
    begin = document.index.offset(item.stmt.lineno, 0)
    after = document.index.offset((item.stmt.end_lineno or 0) + 1, 0)
    return Edit(begin, max(after, end), "")
