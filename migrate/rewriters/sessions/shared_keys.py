"""Savers of several graphs: what TF 1 calls by one name has one key in all checkpoints.

TF 1 finds a variable by its name. A graph that is built a second time has it under another name of
Python's, and finds it in the first one's checkpoint by the key that it has there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Blocked
from migrate.programs.graph.saving.savers import Saver
from migrate.programs.graph.walk import Layer
from migrate.rewriters.sessions.tf1_names import listed, section

if TYPE_CHECKING:
    from migrate.rewriters.sessions.state import Base

LISTED = "averages"  # the key of a list of them
WHY = "a Saver restores variables that another one saves under other names"


def variables(keys: dict[str, str], saver: Saver) -> list[tuple[str, str]]:
    """A Saver's keys and variables."""
    mine = {key for key, _ in saver.variables}
    found: list[tuple[str, str]] = []
    for key, source in saver.variables:
        value = saver.values.get(source)
        path = value.path if value is not None and value.items is None else None
        if path is not None:
            known = keys.setdefault(path, key)
            if known != key and known not in mine and known not in [k for k, _ in found]:
                key = known
        found.append((key, source))
    return found


def averages(
    module: Base, saver: Saver, pairs: list[tuple[str, str]]
) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """Variables that are read from the averages which another Saver has in a list.

    ``Saver({"w/ExponentialMovingAverage": v})``: TF 1 asks for names, TF 2 for places. Also gives
    the places by their names in TF 1.
    """
    others = [s for s in module.walker.savers if s.saves and s.averages]
    if saver.saves or not saver.restores or len(others) != 1:
        return pairs, {}
    (other,) = others
    if len(other.averages) > 1 or not other.plain:
        return pairs, {}
    entries = module.walker.listed.get(id(other.averages[0][1].args[0]), [])
    wanted = [f"{n}/ExponentialMovingAverage" for n in listed(module, other, entries) or ()]
    known = {saver.values[s].path: s for _, s in pairs if s in saver.values}
    if not wanted or not all(name in known for name in wanted):
        return pairs, {}
    sources = [known[name] for name in wanted]
    rest = [(key, source) for key, source in pairs if source not in sources]
    told = {name: f"{LISTED}/{place}" for place, name in enumerate(wanted)}
    return [*rest, (LISTED, f"[{', '.join(sources)}]")], told


def layer(
    keys: dict[str, str], key: str, what: tuple[Layer, bool] | int, taken: Sequence[str]
) -> str:
    """The key of a layer, of its normalization, or of what a function makes in its scopes."""
    if isinstance(what, int):
        return key
    made, alone = what
    path = f"{made.scope}/{'BatchNorm/' * alone}"
    if made.factory is not None:
        path = f"{made.factory.name}() in {made.scopes}"
    elif made.scope is None:
        return key
    known = keys.setdefault(path, key)
    return key if known in taken else known


def check(module: Base) -> None:
    """See that what only restores finds its variables where another Saver has them.

    Raises:
        Blocked: it would look for them under other names.
    """
    written = module.savers.written
    saved = [section(module, s, w)["names"] for s, w in written if s.saves]
    for saver, own in written:
        if saver.saves or not saver.restores or not saved:
            continue
        names = section(module, saver, own)["names"]
        shared = [s for s in saved if set(s) & set(names)]
        if shared and not any(all(s.get(n, p) == p for n, p in names.items()) for s in shared):
            raise Blocked(saver.call, WHY)
