"""Methods that open a session of their own, restore all variables, and may do so again.

``def decode(self, x): with tf.Session() as sess: saver.restore(sess, path); …`` in a loop: each
session is another one, whose variables are what the checkpoint has. TF 2's are, too, once they are
restored again; that holds for every call but one that opens the program's first session.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.data import iterators
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Region, Site, Symbol
from migrate.programs.graph.running import again

RENEWING = "renewing"  # an initializer ran in a later session, which may restore all of it yet


@dataclass(slots=True)
class Before:
    """What there was when a method was walked."""

    sessions: int
    init_runs: int
    memory: dict[str, str]


def standing(walker: Any) -> Before:
    """What there is before a method is walked."""
    return Before(walker.sessions, walker.init_runs, _memory(walker))


def alike(walker: Any, region: Region, before: Before) -> bool:
    """Whether a call of a method does what its first one did: it restored all that it ran."""
    later = before.sessions > 0 and walker.sessions > before.sessions and walker.fresh is None
    known = before.init_runs == walker.init_runs and before.memory == _memory(walker)
    if not later or not known or any(s.moves for s in region.steps):
        return False
    read = [symbol for site in region.sites for symbol in site.reached()]
    if any(map(_begins, read)) or any(_makes(walker, site) for site in region.sites):
        return False
    walker.kept["reopens", id(region)] = walker.latest
    return True


def _begins(symbol: Symbol) -> bool:
    """Whether something else begins anew in each session: draws, iterators, metrics."""
    kept = hasattr(symbol.value.data, "read")
    return symbol.step.random or kept or iterators.element_of(symbol) is not None


def _makes(walker: Any, site: Site) -> bool:
    """Whether a run makes an op itself, which may draw."""
    nodes = (n for leaf in site.fetch.leaves() for n in walk(leaf.node))
    return any(walker.endpoints.get(id(n), "").startswith(T) for n in nodes)


def met(walker: Any, region: Region) -> None:
    """Such a method is called again: its session is another one, and the last."""
    latest = walker.kept.get(("reopens", id(region)))
    if latest is not None:
        walker.latest = latest
        walker.sessions += 1


def _memory(walker: Any) -> dict[str, str]:
    return {
        k: repr(v)
        for k, v in walker.kept.items()
        if not isinstance(k, tuple) and k not in again.HARMLESS and k != RENEWING
    }
