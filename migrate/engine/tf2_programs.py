"""Programs of TF 2, whatever single name of TF 1 is left in one of their files.

A library that has been moved to TF 2 keeps a branch, a test or a script for TF 1 here and there.
Its programs run on TF 2.21 without a graph: to switch v2 behaviour off for all of them would break
what works. What is TF 1's in them is renamed or reported where it stands.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from migrate.engine.judged import Analysis

LEAST = 3  # files with names that only TF 2 has, or that are of use without a graph only …
TIMES = 3  # … and so many for one with names that only TF 1 has


def of_tf2(reached: Mapping[str, Collection[str]], analyses: Mapping[str, Analysis]) -> set[str]:
    """The entries of such programs, of all with the files that they reach."""
    signs = {entry: _signs(files, analyses) for entry, files in reached.items()}
    found = {e for e, (old, new) in signs.items() if len(new) >= max(LEAST, TIMES * len(old))}
    found |= {e for e, files in reached.items() if any(analyses[p].asserts for p in files)}
    theirs = {p for entry in found for p in reached[entry]}
    for entry, (old, new) in signs.items():
        # One that has no name of TF 1 but in files of theirs is a part of them; one whose names of
        # TF 2 are all in files of theirs is built on them.
        if (old and theirs.issuperset(old)) or (len(new) >= LEAST and theirs.issuperset(new)):
            found.add(entry)
    return found


def _signs(files: Iterable[str], analyses: Mapping[str, Analysis]) -> tuple[list[str], list[str]]:
    """The files of a program that have names which only TF 1 has, and those of TF 2."""
    seen = {p: analyses[p] for p in files}
    said = any(a.switches_eager for a in seen.values())  # TF 1's own eager execution
    old = [p for p, a in seen.items() if _old(a)]
    new = [p for p, a in seen.items() if (a.tf2 or (a.modern and not said)) and not a.switched]
    return old, new


def _old(a: Analysis) -> bool:
    return a.tf1 is not None and not a.late
