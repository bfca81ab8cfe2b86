"""What a program that reads another one's graph asks it for: the signatures of a SavedModel."""

from __future__ import annotations

import ast
import keyword
import re
from dataclasses import dataclass, field

from migrate.engine.document import Document
from migrate.engine.meta_graphs import COLLECTED
from migrate.engine.names import Names

DEFAULT = "serving_default"


@dataclass(frozen=True, slots=True)
class Signature:
    """What a run asks for, and what it is fed: ops by name, with what they are called."""

    key: str
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...]


@dataclass(slots=True, eq=False, repr=False)
class Wanted:
    """One thing that is fetched: an op, or what TensorFlow computes of some, by their places."""

    ops: list[str]
    node: ast.expr | None = None
    inner: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True, eq=False, repr=False)
class Run:
    """A run of ops that are asked for by their names."""

    call: ast.Call
    fetches: list[str]  # the ops
    several: bool
    feeds: dict[str, ast.expr]  # by name
    shown: ast.Dict | None  # the feed_dict's display, where it has a name
    wanted: list[Wanted] = field(default_factory=list)
    signature: Signature | None = None


@dataclass(slots=True, eq=False, repr=False)
class Reader:
    """A file that reads a graph, and what it asks it for."""

    document: Document
    names: Names
    load: ast.Assign
    restore: ast.Expr
    path: str  # of the checkpoint, as it is written
    runs: list[Run] = field(default_factory=list)
    lookups: list[ast.Assign] = field(default_factory=list)
    owner: str = ""  # before the model's name, where it is an object's

    @property
    def signatures(self) -> list[Signature]:
        """What the graph is to be saved with."""
        found = {run.signature.key: run.signature for run in self.runs if run.signature}
        return list(found.values())


class Unread(Exception):
    """A reader that does more than is followed."""


def sign(runs: list[Run]) -> None:
    """Give each run its signature."""
    known: dict[tuple[frozenset[str], frozenset[str]], Signature] = {}
    for run in runs:
        asked = frozenset(run.fetches), frozenset(run.feeds)
        if asked not in known:
            outputs = _keys(list(dict.fromkeys(run.fetches)), fed=False)
            key = "_and_".join(key for key, _ in outputs)
            taken = {s.key for s in known.values()}
            while key in taken:
                key += "_"
            known[asked] = Signature(key, _keys(list(run.feeds), fed=True), outputs)
        run.signature = known[asked]
    if len(known) == 1:
        (one,) = known.values()
        for run in runs:
            run.signature = Signature(DEFAULT, one.inputs, one.outputs)


def _keys(ops: list[str], *, fed: bool) -> tuple[tuple[str, str], ...]:
    """What ops are called in a signature: by the last part of their names, where that tells."""
    found: dict[str, str] = {}
    for op in ops:
        key = re.sub(r"\W", "_", op.removeprefix(COLLECTED).rpartition("/")[2])
        if key in found:
            key = re.sub(r"\W", "_", op)
        if key in found or (fed and (not key.isidentifier() or keyword.iskeyword(key))):
            raise Unread
        found[key] = op
    return tuple(found.items())
