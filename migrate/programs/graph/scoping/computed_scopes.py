"""Functions whose variables have names alike, in scopes that their calls open or name.

``with tf.variable_scope(scope_name, reuse=tf.AUTO_REUSE)`` in two functions, each with a variable
``biases``: these are one only where both are called with the same scope. A program that never says
``reuse`` has no variable twice: TensorFlow 1 refuses a name that is there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import holds
from migrate.programs.graph.model import Blocked, Region
from migrate.programs.graph.scoping import scopes

FOUND = "the variable {} is found again"


@dataclass(frozen=True, slots=True)
class Called:
    """What a call of a function makes, by the names that are seen where it stands."""

    function: int
    within: frozenset[int]  # the functions that it calls in turn, and itself
    names: frozenset[str]
    unsure: bool  # of its scopes

    def open(self) -> bool:
        return self.unsure or any("{" in name for name in self.names)


def noted(walker: Any, full: str, node: ast.Call) -> bool:
    """Whether calls will tell a variable from others of its name; it is noted."""
    region = walker.frame.region
    modes = {s.reuse for s in walker.scopes}
    if region is None or True in modes:
        return False
    others = [
        m.call
        for key, m in walker.made.items()
        if m.name == full and m.call is not node and key not in walker.past
    ]
    homes = [_home(walker, call) for call in others]
    if region.inputs is None:
        if "{" in full or None in homes or (_reuses(walker) and not _plain(region)):
            return False
    elif region in homes or (None in homes and ("{" in full or _reuses(walker))):
        return False
    found = {id(home.node) for home in (region, *homes) if home is not None}
    groups = walker.kept.setdefault(("names alike", walker.graph), [])
    groups.append(found)
    if region.inputs is None and _reuses(walker):
        calls = walker.kept.get(("calls told", walker.graph, None), ())
        return not any(call.within & found and call.open() for call in calls)
    return True


def met(walker: Any, full: str, node: ast.Call) -> None:
    """A variable that has the name of one that a call before it made.

    Raises:
        Blocked: it does.
    """
    region = walker.frame.region
    if not _reuses(walker):
        return
    home = id(region.node) if region is not None and region.inputs is not None else None
    for call in walker.kept.get(("calls told", walker.graph, home), ()):
        if full in call.names:
            raise Blocked(node, FOUND.format(full))


def called(walker: Any, layer: Any, region: Region, told: Callable[[str], str]) -> None:
    """A call that makes a function's variables: those of the functions like it have other names.

    ``told``: a name as the call says it.

    Raises:
        Blocked: they may be the same variables.
    """
    if not _reuses(walker):
        return
    head = [s for s in layer.scopes if s]
    graph = walker.graph
    inner: list[Called] = walker.kept.get(("calls told", graph, id(region.node)), [])
    own = _own(walker, region).union(*(call.names for call in inner))
    mine = Called(
        id(region.node),
        frozenset({id(region.node)}.union(*(call.within for call in inner))),
        frozenset("/".join([*head, told(name)]) for name in own),
        None in layer.scopes or any(call.unsure for call in inner),
    )
    around = walker.frame.region
    home = around if around is not None and around.inputs is not None else None
    key = ("calls told", graph, None if home is None else id(home.node))
    calls: list[Called] = walker.kept.setdefault(key, [])
    if shared := mine.names & _own(walker, home):
        raise Blocked(layer.call, FOUND.format(min(shared)))
    groups = walker.kept.get(("names alike", graph), ())
    for other in calls:
        if other.function == mine.function:
            continue
        # What is computed is no name yet: that two are written alike says nothing.
        shared = frozenset(name for name in mine.names & other.names if "{" not in name)
        unsure = (mine.open() or other.open()) and any(
            mine.within & group
            and other.within & group
            and len((mine.within | other.within) & group) > 1
            for group in groups
        )
        if shared or unsure:
            raise Blocked(layer.call, FOUND.format(min(shared or mine.names)))
    calls.append(mine)


def _own(walker: Any, region: Region | None) -> set[str]:
    """The names of the variables that a function makes itself; for None, those beside functions."""
    return {
        m.name
        for key, m in walker.made.items()
        if m.name and key not in walker.past and _home(walker, m.call) is region
    }


def _home(walker: Any, call: ast.Call) -> Region | None:
    """The function that makes a variable at each of its calls; None where it has its whole name."""
    homes = [r for r in walker.regions if r.inputs is not None and holds(r.node, call)]
    return max(homes, key=lambda r: r.node.lineno, default=None)


def _plain(region: Region) -> bool:
    """Whether the scopes around are all seen: an object may be made in others."""
    return isinstance(region.node, ast.Module)


def _reuses(walker: Any) -> bool:
    """Whether a file of the program uses any variables again."""
    known = walker.kept.setdefault(("variables used again",), {})
    if not known:
        trees = [m.tree for m in walker.files.order if m.tree is not None]
        known[True] = any(map(scopes.said_in, trees or [walker.tree]))
    return bool(known[True])
