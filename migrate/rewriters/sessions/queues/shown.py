"""Elements that a session looks at before they are batched for the next one.

A session has queues of its own, which begin anew: ``with tf.Session() as sess:`` runs what was
parsed, and is closed; then `tf.train.batch` makes batches of it, for another session. Both take
from the same dataset, each by an iterator of its own.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.rewriters.sessions.queues import batches, flows
from migrate.rewriters.sessions.queues.flows import Flow
from migrate.rewriters.sessions.queues.module import TAKE, loaded, stored

DICTS = frozenset(meaning.T + n for n in ("parse_single_example", "io.parse_single_example"))

if TYPE_CHECKING:
    from migrate.rewriters.sessions.queues.scope import Scope


def split(
    scope: Scope, stmt: ast.stmt, floor: int, rest: list[ast.stmt], open_: list[Flow]
) -> bool:
    """Whether a statement is such a session; the dataset stands before it then, and an iterator."""
    mine = [f for f in open_ if loaded(stmt) & f.own]
    if len(mine) != 1 or mine[0].ended or not _session(scope, stmt) or mine[0].lazy is not None:
        return False
    flow = mine[0]
    later = _batched(scope, flow, rest)
    if later is None or stored(stmt) & flow.own:
        return False
    wanted = loaded(stmt).union(*map(loaded, later))
    made = [*flow.names, *(n for s in flow.body for n in _targets(s)), *sorted(flow.own)]
    needed = [n for n in dict.fromkeys(made) if n in wanted]
    if flow.several is None or not all(_single(scope, flow, n) for n in needed):
        return False
    text, source = scope.mapped(flow, ", ".join(needed), "", None, False)
    nl, name = scope.module.text.newline, source
    if not source.isidentifier():
        name = scope.free("examples")
        text += f"{scope.indent}{name} = {source}{nl}"
    target = ", ".join(needed)
    scope.above(stmt, floor, f"{text}{scope.indent}{target} = {name}{TAKE}{nl}")
    open_.remove(flow)
    for other in open_:
        scope.between(other, stmt)
    after = Flow(name, needed, len(needed) > 1, stmt, floor, name, target)
    after.unpacked, after.placed, after.shown = len(needed) > 1, True, True
    open_.append(after)
    return True


def _session(scope: Scope, stmt: ast.stmt) -> bool:
    """Whether a block opens a session, and makes no part of a pipeline."""
    if not isinstance(stmt, ast.With) or any(map(scope.queue, walk(stmt))):
        return False
    return all(scope.module.endpoint(item.context_expr) == "Session" for item in stmt.items)


def _batched(scope: Scope, flow: Flow, rest: list[ast.stmt]) -> list[ast.stmt] | None:
    """The statements that read a flow's elements on the way to their batch; None: there is none."""
    own, found = set(flow.own), []
    for stmt in rest:
        if not loaded(stmt) & own:
            if stored(stmt) & own:
                return None
            continue
        found.append(stmt)
        if scope.module.endpoint(getattr(stmt, "value", None)) in batches.BATCHES:
            return found
        if not flows.takes(scope.module, stmt, flow):
            return None
        own |= stored(stmt)
    return None


def _single(scope: Scope, flow: Flow, name: str) -> bool:
    """Whether a name surely is one tensor, or a dict: a list would come as several parts."""
    stores = [s for s in flow.body if name in stored(s)]
    if not stores:
        return name in flow.names and not flow.first
    last = stores[-1]
    if not isinstance(last, ast.Assign) or not isinstance(last.targets[0], ast.Name):
        return False
    value = last.value
    if isinstance(value, ast.Subscript):
        return isinstance(value.slice, ast.Constant)
    if isinstance(value, ast.BinOp):  # lists may be added, and multiplied by whole numbers
        numbers = [n.value for n in (value.left, value.right) if isinstance(n, ast.Constant)]
        kinds = {ast.Add: (int, float), ast.Mult: (float,)}.get(type(value.op))
        return kinds is None or any(isinstance(n, kinds) for n in numbers)
    op = meaning.T + scope.module.endpoint(value)
    return meaning.is_op(op) and (op not in meaning.SEVERAL or op in DICTS)


def _targets(stmt: ast.stmt) -> list[str]:
    """The names that a statement binds, in the order in which they are written."""
    names = (n for n in all_of(stmt, ast.Name) if isinstance(n.ctx, ast.Store))
    return [n.id for n in sorted(names, key=lambda n: (n.lineno, n.col_offset))]
