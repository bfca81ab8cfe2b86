"""`--to keras`: variables that begin with constants, and what stands in scopes of a loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "written_filters" / "before.py"
).read_text(encoding="utf-8")  # fmt: skip


def test_filters_of_a_loop_are_lists() -> None:
    new = after(PROGRAM)
    assert "for size in params['sizes']:\n            shape = [size, 6, 1, 3]\n" in new
    assert "initializer=tf.keras.initializers.Constant(-0.1)" in new
    assert "tf.device" not in new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.constant(0.1, shape=[3])", "tf.constant(1, shape=[3])"),
        ("tf.constant(0.1, shape=[3])", "tf.constant(params['bias'], shape=[3])"),
        ("tf.constant(0.1, shape=[3])", "tf.zeros([3], dtype=tf.float64)"),
        ("            shape = [size", "            if size > 2:\n                shape = [size"),
    ],
)
def test_what_variables_begin_with_otherwise_stays(old: str, new: str) -> None:
    assert PROGRAM.count(old) == 1
    stopped(PROGRAM.replace(old, new))
