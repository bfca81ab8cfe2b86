"""Layers of one base class that keep parts of a run (fixture layers_of_a_base)."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

FOLDER = Path(__file__).parents[3] / "fixtures/native/layers_of_a_base"


def results(file: str, old: str, new: str) -> dict[str, FileResult]:
    sources = {p.name: p.read_text() for p in FOLDER.glob("*.py") if p.name != "after.py"}
    assert old in sources[file]
    sources[file] = sources[file].replace(old, new)
    return {r.path: r for r in texts({n: t.encode() for n, t in sources.items()}, Options())}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        # another function's dict gets more than another number of what is in it
        ("before.py", "    feed.update({places['drop']: .2})\n", ""),
        ("before.py", "places['drop']: 0}", "places['drop']: False}"),
        # the function that feeds does more with the placeholder, or is given another one
        ("feeding.py", "    return feed", "    print(places['bought'])\n    return feed"),
        ("before.py", "bought, places)", "bought, dict(places))"),
        # objects of a class are made with different parts
        ("nets.py", "act=lambda x: x,\n" + 28 * " " + "drop=self.drop", "drop=self.weights"),
    ],
)
def test_what_is_not_seen_keeps_the_session(file: str, old: str, new: str) -> None:
    assert results(file, old, new)["before.py"].level is Level.COMPAT


def test_the_program_is_followed() -> None:
    assert results("before.py", "i % 6", "i % 5")["before.py"].level is Level.NATIVE


def test_a_class_of_the_same_base_may_have_a_number_of_its_own() -> None:
    found = results("nets.py", "Pairs(act=lambda x: x)", "Pairs(drop=.0, act=lambda x: x)")
    assert found["before.py"].level is Level.NATIVE
    assert (
        "Pairs(drop=.0, act=lambda x: x)(codes, weights, drop)"
        in (found["nets.py"].after or b"").decode()
    )
