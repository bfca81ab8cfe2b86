"""Programs whose lines end as Windows ends them come out as the others do, with such lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

NATIVE = Path(__file__).resolve().parents[2] / "fixtures" / "native"
CASES = [
    d
    for d in sorted(NATIVE.iterdir())
    if {p.name for p in d.glob("**/*.py")} == {"before.py", "after.py"}
]
PLACES = range(8)


def ended(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


@pytest.mark.parametrize("place", PLACES)
def test_lines_end_as_they_did(place: int) -> None:
    cases = CASES[place :: len(PLACES)]
    assert cases
    for case in cases:
        (result,) = texts({"before.py": ended((case / "before.py").read_bytes())}, Options())
        assert result.after is not None, (case.name, [f.message for f in result.left])
        assert result.after == ended(result.after), case.name
        # A line may be broken one name earlier, as its end is longer.
        kept = (case / "after.py").read_bytes()
        assert result.after.split() == kept.split(), case.name
