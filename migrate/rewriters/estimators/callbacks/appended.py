"""Lists of hooks or exporters that are appended to stand where they are whole.

hooks = []                                  hooks = [
hooks.append(tf.train.StopAtStepHook(9))        tf.train.StopAtStepHook(9),
net.train(input_fn, hooks=hooks)            ]
                                            net.train(input_fn, hooks=hooks)
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.rewriters.estimators.syntax import reads, stores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from migrate.rewriters.sessions.text import Text

# What is given such a list.
LISTS = frozenset(
    {"hooks", "training_hooks", "evaluation_hooks", "prediction_hooks", "exporters"}
    | {"training_chief_hooks"}
)


def edits(tree: ast.Module, text: Text) -> Iterator[Edit]:
    """The edits that say such lists at once."""
    names = {
        k.value.id
        for k in all_of(tree, ast.keyword)
        if k.arg in LISTS and isinstance(k.value, ast.Name)
    }
    for node in walk(tree) if names else ():
        for part in ("body", "orelse", "finalbody"):
            body = getattr(node, part, None)
            if isinstance(body, list):
                for at, stmt in enumerate(body):
                    if isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.List):
                        target = stmt.targets[0]
                        if isinstance(target, ast.Name) and target.id in names:
                            yield from _whole(target.id, body[at:], text)


def _whole(name: str, body: Sequence[ast.stmt], text: Text) -> Iterator[Edit]:
    """One list, from the statement that begins it on."""
    first = body[0]
    assert isinstance(first, ast.Assign)
    assert isinstance(first.value, ast.List)
    if len(first.targets) > 1:
        return
    items, grown = list(first.value.elts), list[ast.stmt]()
    between: set[str] = set()
    for stmt in body[1:]:
        more = _more(name, stmt)
        if more is not None:
            if between & {n for item in items for n in reads(item)}:
                return  # they would be others by then
            items += more
            grown.append(stmt)
        elif name in reads(stmt) | stores(stmt):
            break
        between |= stores(stmt) - {name}
    if not grown:
        return
    last = text.piece(grown[-1])
    inner = last.indent + text.unit
    said = [f"{inner}{' '.join(text.source(item).split())},\n" for item in items]
    for stmt in (first, *grown[:-1]):
        piece = text.piece(stmt)
        yield Edit(text.start(piece.line), text.start(piece.last + 1), "")
    new = f"{last.indent}{name} = [\n{''.join(said)}{last.indent}]\n"
    yield Edit(text.start(last.line), text.start(last.last + 1), new)


def _more(name: str, stmt: ast.stmt) -> list[ast.expr] | None:
    """What a statement adds to a list."""
    if isinstance(stmt, ast.AugAssign) and isinstance(stmt.op, ast.Add):
        if ast.unparse(stmt.target) == name and isinstance(stmt.value, ast.List):
            return list(stmt.value.elts)
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if not isinstance(call, ast.Call) or call.keywords or len(call.args) != 1:
        return None
    given = call.args[0]
    if ast.unparse(call.func) == f"{name}.append":
        return [given]
    if ast.unparse(call.func) == f"{name}.extend" and isinstance(given, ast.List):
        return list(given.elts)
    return None
