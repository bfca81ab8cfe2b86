"""Runs that trace themselves: `tf.RunOptions`, `tf.RunMetadata`, `add_run_metadata`."""

from __future__ import annotations

from typing import Any

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [])
y = x + 1.
writer = tf.summary.FileWriter('log')
seen = []
with tf.Session() as sess:
    for step in range(2):
        if step == 1:
            options = tf.RunOptions({given})
            metadata = tf.RunMetadata()
            seen.append(sess.run(y, {{x: 1.}}, options=options, run_metadata=metadata))
            {used}
        else:
            seen.append(sess.run(y, {{x: 2.}}))
"""
TRACED = "trace_level=tf.RunOptions.FULL_TRACE"
WRITTEN = "writer.add_run_metadata(metadata, 'step%d' % step)"


@pytest.mark.parametrize("positional", [False, True])
def test_a_trace_goes_and_is_told(positional: bool) -> None:
    text = PROGRAM.format(given=TRACED, used=WRITTEN)
    if positional:
        text = text.replace("options=options, run_metadata=metadata", "options, metadata")
    found: dict[str, Any] = {}
    exec(after(text), found)
    assert list(map(float, found["seen"])) == [3.0, 2.0]
    (result,) = texts({"program.py": text.encode()}, Options())
    told = [f.message for f in result.fixed if "tf.profiler.experimental" in f.message]
    assert len(told) == 1
    assert "a run's trace goes" in told[0]


@pytest.mark.parametrize(
    ("given", "used", "reason"),
    [
        ("timeout_in_ms=5", WRITTEN, "options of `run` that do more than trace it"),
        (TRACED, "print(metadata.step_stats)", "is given to `print`"),
    ],
)
def test_what_keeps_the_session(given: str, used: str, reason: str) -> None:
    assert reason in stopped(PROGRAM.format(given=given, used=used))
