"""Queues that a program's own runs fill and empty: ``q = tf.FIFOQueue(2, tf.int32)``.

Such a queue is an object with a state, as a variable is: TF 2 has the same classes, whose methods
do at once, or in a function when it is called, what TF 1's ops did in a run. A run does its ops in
the order of what they give each other; where nothing orders two of them, TF 1 may do either first,
and one that waits for the other would wait for ever in TF 2, which goes line by line.

A queue that a `QueueRunner` fills is a dataset before (`rewriters/sessions/queues/`).

https://www.tensorflow.org/api_docs/python/tf/queue/FIFOQueue
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.data import threads
from migrate.programs.graph.made import family
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Site, Step, Value, described

KEPT = ("own queues",)  # of all graphs
ENDS = ("ends of data",)
NAMES = ("FIFOQueue", "PaddingFIFOQueue", "PriorityQueue")
TAKES = {"dequeue": 0, "dequeue_many": 1, "dequeue_up_to": 1}
FILLS = ("enqueue", "enqueue_many")
OP = "queue"  # of what is done to a queue and gives nothing
INNER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
INSIDE = "a queue is filled or emptied in a loop, a branch or a helper"
SESSIONS = "each session has a queue of its own"
PLAIN = (Kind.HOST, Kind.ENDPOINT, Kind.NONE)
GIVEN = (Kind.HOST, Kind.CONST, Kind.TENSOR, Kind.PLACEHOLDER, Kind.VARIABLE, Kind.FETCH)


@dataclass(slots=True, eq=False, repr=False)
class Queue:
    """A queue, and the calls of its methods."""

    call: ast.Call  # that makes it
    several: bool  # whether its elements have several parts
    calls: set[int] = field(default_factory=set)

    def attribute(self, walker: Any, node: ast.Attribute) -> Value:
        """A method."""
        return Value(Kind.METHOD, (Value(Kind.OTHER, self), node.attr), node=node)

    def method(self, walker: Any, owner: Value, attribute: str, node: ast.Call) -> Value:
        """What is done to it, in a run."""
        if walker.frame.region is None or (walker.nested and not walker.fetching):
            raise Blocked(node, INSIDE)
        values = walker.arguments(node)
        self.calls.add(id(node))
        if attribute in FILLS:
            for value in values:
                if value.kind not in GIVEN:
                    raise Blocked(node, f"{described(value)} is put into a queue")
            walker.sink.random = True
            return Value(Kind.OP, OP, node=node)
        if attribute == "close" and all(v.kind in PLAIN for v in values):
            return Value(Kind.OP, OP, node=node)
        if attribute in TAKES and len(values) >= TAKES[attribute]:
            if any(v.kind not in (*PLAIN, Kind.CONST) for v in values):
                raise Blocked(node, "how much is taken from a queue is computed in a run")
            walker.sink.random = True
            return Value(Kind.TENSOR, "container" if self.several else None)
        if attribute == "size" and not values:
            walker.sink.random = True
            return Value(Kind.TENSOR)
        raise Blocked(node, f"`.{attribute}()` of a queue isn't followed")


@family(*(f"{T}{name}" for name in NAMES), *(f"{T}queue.{name}" for name in NAMES))
def queue(walker: Any, name: str, node: ast.Call) -> Value:
    """A queue that is made where the graph is built."""
    if walker.frame.region is None or walker.nested or walker.loops:
        raise Blocked(node, "a queue is made in a helper, a loop or a branch")
    if any(value.kind not in PLAIN for value in walker.arguments(node)):
        raise Blocked(node, "a queue is made of parts of the graph")
    given = walker.bound(name, node)
    for odd in ("shared_name", "names"):
        if odd in given:
            raise Blocked(given[odd], f"`{odd}` of a queue")
    several = "types" in given or _several(given.get("dtypes"), node)  # a priority comes first
    made = Queue(node, several)
    walker.kept.setdefault(KEPT, []).append(made)
    if ENDS in walker.kept:
        raise Blocked(node, "a queue of the program's own beside an iterator")
    if walker.sessions > 1:
        raise Blocked(node, "a queue of several sessions")
    if any(
        "operation_timeout_in_ms" in (getattr(n, "arg", ""), getattr(n, "attr", ""))
        for n in walk(walker.tree)
    ):
        raise Blocked(node, "a session that doesn't wait for a queue")
    short = name.rpartition(".")[2]
    walker.rewrites[id(node.func)] = lambda writer: f"{writer.tf}.queue.{short}"
    return Value(Kind.OTHER, made, node=node)


def beside(walker: Any, node: ast.AST) -> None:
    """A dataset's end is another error than that of a queue that is closed and empty.

    Raises:
        Blocked: the program has both.
    """
    queues, ends = walker.kept.get(KEPT, []), walker.kept.setdefault(ENDS, [])
    ends.append(node)
    if queues:
        raise Blocked(node, "an iterator beside a queue of the program's own")


def _several(dtypes: ast.expr | None, node: ast.Call) -> bool:
    """Whether a queue's elements have several parts.

    Raises:
        Blocked: it isn't seen.
    """
    if isinstance(dtypes, (ast.List, ast.Tuple)):
        return len(dtypes.elts) > 1
    if not isinstance(dtypes, (ast.Attribute, ast.Constant)):
        raise Blocked(dtypes or node, "what a queue holds isn't seen")
    return False


def opened(walker: Any, node: ast.AST) -> None:
    """A session begins: it has queues of its own.

    Raises:
        Blocked: another session may have used those that are there.
    """
    if KEPT in walker.kept and (walker.sessions > 1 or walker.loops):
        raise Blocked(node, SESSIONS)


def check(walker: Any, site: Site) -> None:
    """What a run does to queues is ordered by what it computes.

    Raises:
        Blocked: it isn't, or a thread runs besides.
    """
    queues: list[Queue] = walker.kept.get(KEPT, [])
    if not queues:
        return
    _seen(walker, queues)
    if threads.KEPT in walker.kept:
        raise Blocked(site.node, "a thread beside a queue of the program's own")
    for one in queues:
        using, here = _used(one, site)
        if here + sum(_calls(one, step.node) for step in using) < 2:
            continue
        if here or len(using) < 2 or not _chain(using):
            raise Blocked(site.node, "a run does several things to a queue in no order")


def used(walker: Any, site: Site) -> list[Queue]:
    """The queues to which a run does something."""
    return [one for one in walker.kept.get(KEPT, ()) if any(_used(one, site))]


def _used(one: Queue, site: Site) -> tuple[list[Step], int]:
    """The statements of a run that do something to a queue, and how much is done in place."""
    steps = _behind(s.step for leaf in site.fetch.leaves() for s in leaf.uses)
    using = [step for step in steps if _calls(one, step.node)]
    return using, sum(_calls(one, leaf.node) for leaf in site.fetch.leaves())


def _seen(walker: Any, queues: list[Queue]) -> None:
    """All that is done to queues is done once in a run that needs it.

    Raises:
        Blocked: a function does something that isn't followed, or a comprehension does.
    """
    known = {i for one in queues for i in one.calls}
    for outer in walk(walker.tree):
        if isinstance(outer, INNER) and any(id(n) in known for n in walk(outer)):
            raise Blocked(outer, INSIDE)
        if isinstance(outer, ast.Call) and isinstance(outer.func, ast.Attribute):
            if outer.func.attr in (*FILLS, *TAKES) and id(outer) not in known:
                raise Blocked(outer, INSIDE)


def _calls(one: Queue, node: ast.AST) -> int:
    return sum(id(n) in one.calls for n in walk(node))


def _chain(steps: list[Step]) -> bool:
    """Whether each of some steps needs what another one gave."""
    behind = [_behind([s.step for s in step.uses] + step.after) for step in steps]
    return sorted(sum(s in found for s in steps) for found in behind) == list(range(len(steps)))


def _behind(steps: Iterable[Step]) -> set[Step]:
    """Some statements of a run, and what they come from and wait for."""
    found: set[Step] = set()
    stack = list(steps)
    while stack:
        step = stack.pop()
        if step.moves and step not in found:
            found.add(step)
            stack.extend(s.step for s in step.uses)
            stack.extend(step.after)
    return found
