"""Functions of other files that give datasets now, by the names that a file calls them by."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from migrate.engine.document import Document
from migrate.engine.trees import walk
from migrate.programs.files import Imported, located
from migrate.programs.search_path import Known


@dataclass(frozen=True)
class Given:
    """A function that gives a dataset now."""

    several: bool | None = None  # whether of tuples; None: that isn't known
    method: bool = False  # of a class
    takes: tuple[int, ...] = ()  # the parameters that were parts of an element: one dataset now
    place: int | None = None  # where its elements stood among what it returns
    width: int = 0  # how many they were
    total: int = 0  # of how many things
    take: str = ""  # what its callers ask the dataset for, where that isn't its next element
    summaries: tuple[Summary, ...] = ()  # of its elements, which its caller makes
    shown: tuple[str, ...] = ()  # what it gives besides, last, which only summaries are of


@dataclass(frozen=True)
class Summary:
    """A summary of a part of an element: what is written around it."""

    before: str
    part: int
    after: str


# A file's functions that give datasets.
Gives = dict[str, Given]


def lent(document: Document, gives: Mapping[str, Gives], known: Iterable[str]) -> Gives:
    """What other files lend to a file, by the calls as they are written in it."""
    paths = Known((*known, *gives))
    others = {os.path.normpath(path): given for path, given in gives.items() if given}
    here = os.path.normpath(document.path)
    found: Gives = {}

    def add(item: Imported, prefix: str) -> None:
        chain = located(here, item, paths)
        for name, several in others.get(chain[-1] if chain else "", {}).items():
            found[f"{prefix}.{name}"] = several

    for node in walk(document.tree) if others else ():
        if isinstance(node, ast.Import):
            for alias in node.names:
                add(Imported(0, alias.name), alias.asname or alias.name)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            chain = located(here, Imported(node.level, module), paths)
            mine = others.get(chain[-1] if chain else "", {})
            for alias in node.names:
                for name, given in mine.items():  # a function's, or a class's methods'
                    if alias.name == "*" and not name.startswith("_"):
                        found[name] = given
                    elif name.partition(".")[0] == alias.name:
                        found[(alias.asname or alias.name) + name[len(alias.name) :]] = given
                inner = f"{module}.{alias.name}" if module else alias.name
                add(Imported(node.level, inner), alias.asname or alias.name)
    return found
