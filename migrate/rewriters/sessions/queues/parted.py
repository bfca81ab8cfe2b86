"""Branches that compute elements and make a queue for them, as two: one in the mapped function.

if mode == 'train':                                  if mode == 'train':
    image = tf.random_crop(image, size)                  least = 8 * batch_size
    queue = tf.RandomShuffleQueue(…)                 else:
else:                                                    least = 1
    queue = tf.FIFOQueue(…)
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.queues import flows
from migrate.rewriters.sessions.queues.filled import MADE, least
from migrate.rewriters.sessions.queues.flows import Flow
from migrate.rewriters.sessions.queues.module import loaded, stored

if TYPE_CHECKING:
    from migrate.rewriters.sessions.queues.scope import Scope

DRAWS = frozenset(
    [
        *("random_normal", "random_uniform", "truncated_normal"),
        *("random.normal", "random.uniform", "random.truncated_normal"),
    ]
)
ASKS = (ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp)
ASKED = (*ASKS, ast.expr_context, ast.cmpop, ast.boolop, ast.unaryop)


def parted(scope: Scope, stmt: ast.stmt, floor: int, mine: list[Flow]) -> bool:
    """Whether a statement is such a branch; it is two then."""
    if not isinstance(stmt, ast.If) or len(mine) > 1 or any(f.ended for f in mine):
        return False
    arms = [stmt.body, stmt.orelse]
    queues = [[s for s in arm if _queue(scope, s)] for arm in arms]
    names = {s.targets[0].id for arm in queues for s in arm}  # type: ignore[attr-defined]
    if [len(arm) for arm in queues] != [1, 1] or len(names) > 1:
        return False
    if not all(isinstance(n, ASKED) for n in walk(stmt.test)):
        return False
    if mine:
        if loaded(stmt.test) & stored(scope.node) or not _split(scope, stmt, arms, floor, mine[0]):
            return False
    (name,) = names
    size = scope.free("least")
    for (one,) in queues:
        made = one.value  # type: ignore[attr-defined]
        scope.done(made)
        text = least(scope.module, made)
        scope.module.replace(one, f"{size} = {text or 1}")
        scope.filled.chosen(name, made, size)
    return True


def _queue(scope: Scope, stmt: ast.stmt) -> bool:
    named = isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name)
    return named and scope.module.endpoint(getattr(stmt, "value", None)) in MADE


def _split(scope: Scope, stmt: ast.If, arms: list[list[ast.stmt]], floor: int, flow: Flow) -> bool:
    """Give the mapped function what is computed of its elements; the rest stays."""
    module, own = scope.module, set(flow.own)
    ours: list[list[ast.stmt]] = []
    for arm in arms:
        mine, inner = [], set(own)
        for one in arm:
            if loaded(one) & inner:
                if not flows.takes(module, one, flow):
                    return False
                mine.append(one)
                inner |= stored(one)
        ours.append(mine)
    rest = [[s for s in arm if s not in mine] for arm, mine in zip(arms, ours, strict=True)]
    kept = set().union(*(stored(s) for arm in rest for s in arm))
    used = set().union(*(loaded(s) for arm in ours for s in arm))
    made = set().union(*(stored(s) for arm in ours for s in arm))
    if kept & (used | made) or any(loaded(s) & made for arm in rest for s in arm):
        return False
    left: list[tuple[int, int, str]] = []
    for arm, mine, others in zip(arms, ours, rest, strict=True):
        for place, one in enumerate(arm):
            before = arm[place - 1].end_lineno if place else one.lineno - 1
            goes = others if one in others else mine
            empty = (goes is not others and not others) or (goes is others and not mine)
            if one in mine:  # out of the branch that stays
                if empty and one is mine[0]:
                    module.replace(one, "pass")
                else:
                    module.remove(one, before or 0)
                continue
            piece = module.text.piece(one, before or 0)
            first = piece.first
            while first - 1 > (before or 0) and not module.text.lines[first - 2].strip():
                first -= 1
            span = module.text.start(first), module.text.start(piece.last + 1)
            if empty and one is others[0]:
                left.append((*module.text.index.span(one), "pass"))
            else:
                left.append((*span, ""))
    flow.body.append(stmt)
    flow.floors[id(stmt)] = floor
    flow.left[id(stmt)] = left
    flow.own |= made
    return True


def _drawn(scope: Scope, stmt: ast.stmt, queue: str, op: str, given: ast.expr, floor: int) -> bool:
    """Whether a queue is filled with what ops draw anew each time: a dataset without end."""
    filled, module = scope.filled, scope.module
    calls = all_of(given, ast.Call)
    parts = given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given]
    if queue in filled.datasets or any(module.endpoint(c) not in DRAWS for c in calls):
        return False
    if not calls or any("seed" in module.bound(c) for c in calls):
        return False
    for name in loaded(given) - {module.tf}:  # numbers of Python's, bound once
        made = module.assigned(name)
        if len(made) != 1 or not isinstance(made[0], ast.Constant):
            return False
    written = ", ".join(module.source(p) for p in parts)
    listed = f"({written})" if len(parts) > 1 else written
    name = scope.free("examples")
    filled.lined_up(queue, op, name, several=len(parts) > 1)
    made_of = f"{module.tf}.data.Dataset.range(1).repeat().map(lambda _: {listed})"
    scope.write(stmt, floor, f"{scope.indent}{name} = {made_of}{module.text.newline}")
    return True


def enqueued(
    scope: Scope, stmt: ast.stmt, before: ast.stmt | None, floor: int, open_: list[Flow]
) -> bool:
    """Whether a statement puts elements into a queue: a dataset is made of them.

    Raises:
        Blocked: it is filled in another way, too.
    """
    filled, module = scope.filled, scope.module
    op = stmt.targets[0] if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
    call = getattr(stmt, "value", None)
    if not isinstance(op, ast.Name) or not isinstance(call, ast.Call):
        return False
    queue = filled.of(call, "enqueue")
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "vals")]
    if not queue or len(given) != 1 or len(call.args) + len(call.keywords) != 1:
        return False
    if not loaded(given[0]) & set().union(*(f.own for f in open_)):
        if _drawn(scope, stmt, queue, op.id, given[0], floor):
            return True
        if isinstance(scope.node, ast.FunctionDef):
            if loaded(given[0]) & {a.arg for a in scope.node.args.args}:
                raise Blocked(call, f"a queue is filled with {flows.NOT_A_QUEUES}")
        return False
    flow = scope.flow_of(given[0], open_)
    if flow.trail or flow.summaries:
        return False
    results, several = flows.results(module, given[0], flow)
    if several is None or queue in filled.datasets:
        raise Blocked(call, "what fills a queue isn't seen")
    text, source = scope.mapped(flow, results, "", before, False)
    name = scope.free("examples")
    filled.lined_up(queue, op.id, name, several=several)
    scope.write(stmt, floor, f"{text}{scope.indent}{name} = {source}{module.text.newline}")
    scope.dead |= flow.own
    open_.remove(flow)
    return True
