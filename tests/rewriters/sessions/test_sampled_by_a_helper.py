"""Layers that a function with the session applies in a fetch (fixture sampled_by_a_helper)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

FILE = Path(__file__).parents[3] / "fixtures/native/sampled_by_a_helper/before.py"
PROGRAM = FILE.read_text()
SHOW = "                show(sess, 6, noise, shape[-1])\n"


def test_the_caller_makes_what_is_run() -> None:
    assert "def compute_maker_output(noise):\n" in after(PROGRAM)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (SHOW, SHOW + SHOW.replace("6", "5")),  # two calls
        (SHOW, SHOW + "                shape[-1] = 3\n"),  # the size may change
        (SHOW, SHOW + "                get_inputs(3, shape)\n"),
        ("    width = noise.get", "    depth = 4 - 1\n    width = noise.get"),
        ("(noise, depth, False)", "(noise, 4, False)"),  # other variables
    ],
)
def test_what_is_not_told_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    stopped(PROGRAM.replace(old, new))
