"""Sessions that a loop opens anew in each round: all that they have is what they restore.

``while True: with tf.Session() as sess: saver.restore(sess, …)`` of a program that looks at what
another one trains. Variables stay from round to round in TF 2; a restore sets all that is read.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.meaning import SESSIONS, T
from migrate.programs.graph.model import Blocked, Kind, Value

REASON = "a session opens in a loop"
# What is read from there stands in the session: a dataset's place, a table's contents, a queue.
DATA = (
    *(T + "data.", T + "contrib.data.", T + "train.start_queue_runners", T + "metrics."),
    *(T + "contrib.lookup.", T + "lookup.", T + "FIFOQueue", T + "contrib.metrics."),
)
SEEDS = frozenset({T + "set_random_seed", T + "random.set_random_seed"})


def opened(walker: Any, node: ast.Call) -> None:
    """A session of each round: until it restores, no run finds variables.

    Raises:
        Blocked: another session is there, or draws would begin anew.
    """
    stmt = walker.stmt
    if not isinstance(stmt, ast.With) or node not in [i.context_expr for i in stmt.items]:
        raise Blocked(node, REASON)
    first = walker.kept.setdefault("looped session", node)
    other = walker.sessions > 1 and walker.latest is not node
    if first is not node or other or walker.frame.region is None:
        raise Blocked(node, REASON)
    if SEEDS & set(walker.endpoints.values()) or any(map(_seeded, walk(walker.tree))):
        raise Blocked(node, "a session opens in a loop, and draws what the last one drew")
    if any(name.startswith(DATA) for name in walker.endpoints.values()):
        raise Blocked(node, "a session opens in a loop, and its data begins anew")
    if walker.fresh is not node:
        walker.again()
    if walker.stateful:
        walker.fresh = node


def _seeded(node: ast.AST) -> bool:
    """Whether something is told a seed."""
    if not isinstance(node, ast.keyword) or node.arg not in ("seed", "seed2"):
        return False
    return not (isinstance(node.value, ast.Constant) and node.value.value is None)


def own(walker: Any, node: ast.expr, value: Value) -> bool:
    """Whether a block opens the session that is made for it."""
    made = value.kind is Kind.SESSION and value.node is node
    return made and walker.endpoints.get(id(getattr(node, "func", None))) in SESSIONS


def starts(walker: Any, node: ast.AST) -> None:
    """Something begins in a session.

    Raises:
        Blocked: it would begin anew in each round.
    """
    if "looped session" in walker.kept:
        raise Blocked(node, "what begins anew in each round's session")
