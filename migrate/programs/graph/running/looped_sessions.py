"""Sessions that a loop opens anew in each round: all that they have is what they restore.

``while True: with tf.Session() as sess: saver.restore(sess, …)`` of a program that looks at what
another one trains. Variables stay from round to round in TF 2; a restore sets all that is read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.meaning import SESSIONS, T
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.optimizing import training_helpers
from migrate.programs.graph.wording.spelled import Spelled, free, word

REASON = "a session opens in a loop"
AGAIN = "a session opens in a loop, and its data begins anew"
# What is read from there stands in the session: a table's contents, a queue, counts.
DATA = (
    *(T + "train.start_queue_runners", T + "metrics.", T + "contrib.metrics."),
    *(T + "contrib.lookup.", T + "lookup.", T + "FIFOQueue"),
)
ONE_SHOT, INITIALIZABLE = "make_one_shot_iterator", "make_initializable_iterator"
KINDS = (ONE_SHOT, INITIALIZABLE, "from_structure", "from_string_handle")
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
        raise Blocked(node, AGAIN)
    _data(walker, node, stmt)
    if walker.fresh is not node:
        walker.again()
    if walker.stateful:
        walker.fresh = node


def _data(walker: Any, node: ast.Call, stmt: ast.With) -> None:
    """Datasets are read from their start in each round.

    Raises:
        Spelled: an iterator that needs no initializer gets one, which the session runs first.
        Blocked: it isn't told that each iterator begins anew.
    """
    nodes = [n for tree in walker.program() for n in walk(tree)]
    calls = [n for n in nodes if isinstance(n, ast.Call) and _last(n.func) in KINDS]
    if len(calls) < sum(_last(n) in KINDS for n in nodes):
        raise Blocked(node, AGAIN)
    begun = {ast.unparse(n) for s in stmt.body for n in _begun(s)}
    session = stmt.items[0].optional_vars
    for call in calls:
        found = [
            s for s in nodes if isinstance(s, ast.Assign) and call in (s.value, _owner(s.value))
        ]
        if len(found) != 1 or len(found[0].targets) != 1:
            raise Blocked(node, AGAIN)
        if _last(call.func) == ONE_SHOT:
            inside = any(call in walk(s) for s in stmt.body)
            if inside or found[0].value is call or not isinstance(session, ast.Name):
                raise Blocked(node, AGAIN)
            raise _renewed(walker, node, call, (found[0], stmt, session))
        if found[0].value is not call or ast.unparse(found[0].targets[0]) not in begun:
            raise Blocked(node, AGAIN)


def _renewed(
    walker: Any, node: ast.Call, call: ast.Call, places: tuple[ast.Assign, ast.With, ast.Name]
) -> Spelled:
    """An iterator that a session begins: where it is made, the session's block and its name."""
    made, block, session = places
    name = free(walker, "iterator")
    assert isinstance(call.func, ast.Attribute)
    data = call.func.value
    return Spelled(
        node,
        AGAIN,
        [(call, word(name))],
        [
            (made, lambda source: [f"{name} = {source(data)}.{INITIALIZABLE}()"]),
            (block.body[0], lambda _: [f"{session.id}.run({name}.initializer)"]),
        ],
    )


def _begun(stmt: ast.stmt) -> Iterator[ast.expr]:
    """The iterators that a statement of its own begins, ``sess.run(iterator.initializer)``."""
    if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
        if _last(stmt.value.func) == "run" and len(stmt.value.args) == 1:
            (run,) = stmt.value.args
            if isinstance(run, ast.Attribute) and run.attr == "initializer":
                yield run.value


def _last(node: ast.AST) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def _owner(node: ast.expr) -> ast.expr | None:
    """What ``….get_next()`` is a method of."""
    func = node.func if isinstance(node, ast.Call) else None
    return func.value if isinstance(func, ast.Attribute) and func.attr == "get_next" else None


def written_there(walker: Any, target: ast.AST, call: ast.Call) -> None:
    """A function that opens a session and is called in one loop, once in its file.

    Raises:
        Inlinable: its statements may stand there instead.
    """
    stmt = walker.stmt
    if not isinstance(target, ast.FunctionDef) or target.decorator_list:
        return
    if not isinstance(stmt, ast.Expr) or stmt.value is not call:
        return
    named = [n for n in walk(walker.tree) if target.name in (_last(n), getattr(n, "name", ""))]
    opens = any(walker.endpoints.get(id(n)) in SESSIONS for n in walk(target))
    if opens and len(named) == 2:
        raise training_helpers.Inlinable(call, stmt, target, "is called in a loop")


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
