"""Blocks that open a session and something of Python's (graph/opened_together.py)."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import sys
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.reduce_sum(x)
with {items}:
    # writes
    value = sess.run(y, {{x: [[1.0, 2.0, 3.0]]}})

    file.write({text})
"""
SESSION, FILE = "tf.Session() as sess", "open(sys.argv[1], 'w') as file"


@pytest.mark.parametrize("items", [f"{SESSION}, {FILE}", f"{FILE}, {SESSION}"])
def test_the_session_goes_and_the_file_stays(items: str) -> None:
    text = after(PROGRAM.format(items=items, text="str(value)"))
    assert text.endswith(
        f"with {FILE}:\n"
        "    # writes\n"
        "    value = compute_y([[1.0, 2.0, 3.0]]).numpy()\n"
        "\n"
        "    file.write(str(value))\n"
    )


def test_in_a_branch() -> None:
    head, block = PROGRAM.format(items=f"{SESSION}, {FILE}", text="str(value)").split("with ")
    lines = "".join(f"    {line}\n" if line else "\n" for line in f"with {block}".splitlines())
    text = after(f"{head}if len(sys.argv) > 1:\n{lines}")
    assert f"if len(sys.argv) > 1:\n    with {FILE}:\n        # writes\n" in text
    assert "Session" not in text


def test_comments_of_the_header_stay() -> None:
    source = PROGRAM.format(items=f"{SESSION}, {FILE}", text="str(value)")
    text = after(source.replace("file:\n", "file:  # a log: of all\n"))
    assert f"with {FILE}:\n    # a log: of all\n    # writes\n    value = " in text
    broken = source.replace(
        "with tf.Session() as sess, ", "with tf.Session() as sess, \\\n        "
    )
    assert f"with {FILE}:\n    # writes\n" in after(broken)


def test_a_text_of_several_lines_keeps_its_own() -> None:
    text = '"""a\n    b""" + str(value)'
    assert "this block can't be followed" in stopped(
        PROGRAM.format(items=f"{SESSION}, {FILE}", text=text)
    )
