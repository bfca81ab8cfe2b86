"""Ops that are made where they are run: ``sess.run(optimizer.minimize(loss), …)``.

TF 1 adds them to the graph at each such run. They get a name in a statement above it; in a loop,
above that, where they read nothing that it binds.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.data import own_queues
from migrate.programs.graph.fetching.fetched_calls import path, still
from migrate.programs.graph.model import Blocked, Fetch, Kind
from migrate.programs.graph.wording.spelled import Spelled, first, free, line, word

TRAINS = "a train op that is made where it is run"
RUNS = "an op that is made where it is run"
SEVERAL = "ops that are made where they are run"


def check(walker: Any, fetched: Fetch) -> None:
    """See that no op that is fetched is made right there, but for a lone assignment.

    Raises:
        Spelled: one is, and can stand above the run.
        Blocked: it can't.
    """
    made = [leaf for leaf in fetched.leaves() if leaf.value.kind is Kind.OP and _here(leaf)]
    trained = {*walker.gradients, *walker.applies}
    for leaf in made:
        trains = any(id(n) in trained for n in walk(leaf.node))
        alone = fetched.items is None and leaf.value.data in ("assign", own_queues.OP)
        if not trains and (alone or walker.frame.region is None):
            continue  # `v.assign(1)` and `queue.close()` stay; the writing sees to the rest
        reason = TRAINS if trains else SEVERAL if fetched.items else RUNS
        call = leaf.node
        if not walker.nested and not walker.loops:
            first(walker, walker.stmt, call, _wish(call), reason)
        above_loop(walker, call, reason)
        if trains:
            raise Blocked(call, reason)


def above_loop(walker: Any, call: ast.expr, reason: str) -> None:
    """See whether an op that a loop's run makes is the same in each round.

    Raises:
        Spelled: it is, and stands above the loop.
    """
    stmt = next(
        (s for s in path(walker.frame.node, walker.stmt) if not isinstance(s, ast.With)), None
    )
    if isinstance(stmt, (ast.For, ast.While)) and still(call, stmt):
        name = free(walker, _wish(call))
        raise Spelled(call, reason, [(call, word(name))], [(stmt, line(name, call))])


def _here(leaf: Fetch) -> bool:
    """Whether a call of what is fetched makes the op."""
    made = leaf.value.node
    return isinstance(leaf.node, ast.Call) and made is not None and made in walk(leaf.node)


def _wish(call: ast.expr) -> str:
    called = getattr(getattr(call, "func", None), "attr", "")
    return "train_op" if called in ("minimize", "apply_gradients") else "update"
