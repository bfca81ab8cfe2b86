"""Threads that run a program's graph: ``threading.Thread(target=worker.work).start()``.

What a thread does is followed where the thread is made, as if it were called there; nothing may be
built or started anew from then on. In TF 1 all variables are there before a thread begins. Layers
make theirs when they are first called, so that two functions of two threads could both do so:
layers are built before, and an optimizer, which makes its slots at the first step, has to be one
function's.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.listing.collections import built
from migrate.programs.graph.made import Function
from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.objects import bases

KEPT = "threads"
NAMES = ("threading.Thread", "Thread")
ARGUMENTS = frozenset({"target", "args", "name", "daemon"})
PARTS = frozenset({Kind.VARIABLE, Kind.PLACEHOLDER, Kind.OPTIMIZER, Kind.INIT, Kind.SESSION})


def started(walker: Any, node: ast.Call) -> bool:
    """Follow what a thread is given to run, if it is a method, or runs a session.

    Raises:
        Blocked: it can't be followed.
    """
    last = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if last != "Thread" or ast.unparse(node.func) not in NAMES:
        return False
    given = {k.arg: k.value for k in node.keywords}
    target = given.get("target")
    if target is None:
        return False
    value = walker.expression(target)
    if value.kind is Kind.FUNCTION:
        if not isinstance(value.data, Function) or not walker.runs(value.data.node):
            return False
    elif value.kind is not Kind.METHOD or value.data[0].kind is not Kind.OBJECT:
        return False
    args = given.get("args", ast.Tuple([], ast.Load()))
    if node.args or not set(given) <= ARGUMENTS or not isinstance(args, (ast.Tuple, ast.List)):
        raise Blocked(node, "a thread's arguments aren't seen")
    for arg in args.elts:
        if walker.expression(arg).kind is not Kind.HOST:
            raise Blocked(arg, "a thread is given a part of the graph")
    call = ast.copy_location(ast.Call(target, list(args.elts), []), node)
    _follow(walker, value, call)
    walker.kept.setdefault(KEPT, (node, made(walker)))
    return True


def _follow(walker: Any, value: Value, call: ast.Call) -> None:
    known = len(walker.calls)
    if value.kind is Kind.FUNCTION:
        member = value.data.node
        walker.user(value.data, call)
    else:
        owner, attribute = value.data
        member = bases.find(walker, owner.data.node, attribute)
        if member is None:
            raise Blocked(call, "what a thread runs isn't seen")
        bases.called(walker, owner.data, member, call)
    if walker.session_params.get(id(member)):
        raise Blocked(call, "a thread is given a session")
    # Its arguments stay as they are.
    walker.calls[known:] = [(c, t) for c, t in walker.calls[known:] if c is not call]


def check(walker: Any) -> None:
    """Nothing is made after the first thread, or by several of them.

    Raises:
        Blocked: something is.
    """
    if KEPT not in walker.kept:
        return
    node, before = walker.kept[KEPT]
    if made(walker) != before:
        raise Blocked(node, "a thread runs the graph before all of it is built")
    for entry in walker.owned:
        if entry.cell is not None:
            raise Blocked(node, "a thread beside recurrent cells")
        if entry.layer is not None and not entry.made:
            built(walker, entry, node)
    users: dict[int, set[int]] = {}
    for update in (*walker.gradients.values(), *walker.applies.values()):
        if update.optimizer is not None and getattr(update, "kind", "") != "compute_gradients":
            users.setdefault(id(update.optimizer.call), set()).add(id(update.call))
            if _home(walker, update.call) is not _home(walker, update.optimizer.call):
                raise Blocked(update.call, "threads share an optimizer")
    if any(len(calls) > 1 for calls in users.values()):
        raise Blocked(node, "threads share an optimizer")


def made(walker: Any) -> tuple[int, ...]:
    """How much there is of the graph, and how often it was started."""
    steps = [s for r in walker.regions for s in r.steps]
    parts = sum(
        (s.moves or s.kind in PARTS) and not isinstance(s.node, ast.FunctionDef) for s in steps
    )
    return parts, walker.sessions, walker.init_runs


def _home(walker: Any, call: ast.Call) -> object:
    """The region in which a call stands."""
    for region in walker.regions:
        if any(n is call for step in region.steps for n in walk(step.node)):
            return region
    return None
