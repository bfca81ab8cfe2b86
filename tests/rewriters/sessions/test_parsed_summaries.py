"""`tf.Summary().ParseFromString(sess.run(merged))`, with values of the program's own beside it."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [2])
tf.summary.scalar("x", tf.reduce_sum(x))
merged = tf.summary.merge_all()
writer = tf.summary.FileWriter("logs")
with tf.Session() as sess:
    for i in range(3):
        summary = tf.Summary()
        {filled}
        writer.add_summary(summary, {step})
"""
PARSED = "summary.ParseFromString(sess.run(merged, {x: [1., 2.]}))"
ADDED = "summary.value.add(tag='own', simple_value=i)"


def program(*lines: str, step: str = "i") -> str:
    return PROGRAM.format(filled="\n        ".join(lines), step=step)


@pytest.mark.parametrize("step", ["i", "global_step=i"])
def test_both_are_written(step: str) -> None:
    text = after(program(PARSED, ADDED, step=step))
    written = "write_summaries(writer, run_summary, i)\n    write_summaries(writer, summary, i)\n"
    assert written in text
    assert "    run_summary = compute_merged([1., 2.])\n" in text


@pytest.mark.parametrize(
    "lines",
    [
        (ADDED, PARSED),
        (PARSED, ADDED, "print(summary)"),
        (PARSED, ADDED, PARSED),
        (PARSED, ADDED, "kept = summary"),
    ],
    ids=["cleared", "printed", "twice", "kept"],
)
def test_what_else_is_done_with_it_keeps_the_session(lines: tuple[str, ...]) -> None:
    assert "a tf.Summary" in stopped(program(*lines))
