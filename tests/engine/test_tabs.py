"""Files whose lines begin with tabs, or with tabs and spaces."""

from __future__ import annotations

import ast
import re

import pytest

from migrate.engine.document import Document, read
from migrate.engine.tabs import column_back, expanded, with_tabs
from tests.rewriters.sessions.test_sessions import after, upgrade

SPACES = """\
import numpy as np
import tensorflow as tf


def build(x):
    \"\"\"A layer.

    It has no offset.
    \"\"\"
    # The weights
    w = tf.get_variable(
        "w", [2, 1])
    return tf.matmul(x,
                     w)


def main():
    x = tf.placeholder(tf.float32, [None, 2])
    y = build(x)
    loss = tf.reduce_mean(y)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(3):
            _, value = sess.run([train, loss], {x: np.ones([1, 2])})
            if step % 2:
                print(value)
            else:
                # The first one
                print("%d:" % step,
                      value)


main()
"""


def tabbed(text: str) -> str:
    return re.sub(r"^(?: {4})+", lambda m: "\t" * (len(m[0]) // 4), text, flags=re.M)


def document(text: str) -> Document:
    return read("program.py", text.encode())


def test_a_program_becomes_what_it_is_with_spaces() -> None:
    text = after(tabbed(SPACES))
    lines = text.split("\n")
    assert text.replace("\t", "    ") == after(SPACES)
    assert not [line for line in lines if line.startswith("    ")]
    assert "\t\tprint(value)\n" in text  # a line that stays


def test_tabs_and_spaces() -> None:
    head, tail = SPACES.split("def main")
    source = head.replace("    # The", "\t# The") + "def main" + tabbed(tail)
    text = after(source)
    ast.parse(text)
    assert text.replace("\t", "    ") == after(SPACES)


def test_a_line_that_stays_is_as_it_was() -> None:
    old = document("if 1:\n\tx = (1,\n\t  \t 2)\n\tif x:\n\t    y = 1\n\t    z = 2\n")
    new = expanded(old)
    assert new.text == "if 1:\n    x = (1,\n         2)\n    if x:\n        y = 1\n        z = 2\n"
    later = document(
        new.text.replace("    y = 1\n", "    y = 1\n        if y:\n            pass\n")
    )
    assert with_tabs(old, new, later) == old.text.replace(
        "y = 1\n", "y = 1\n\t    if y:\n\t    \tpass\n"
    )


def test_statements_of_two_blocks_may_become_one() -> None:
    old = document("if 1:\n    x = 1\nif 2:\n\ty = 2\n\tz = 3\n")
    new = expanded(old)
    later = document("if 1:\n    x = 1\n    y = 2\n    z = 3\n")
    assert with_tabs(old, new, later) == later.text


def test_text_in_strings_stays() -> None:
    old = document('def f():\n\t"""One.\n\n\tTwo.\n\t"""\n\treturn """\n\tx"""\n')
    new = expanded(old)
    assert new.text == 'def f():\n    """One.\n\n\tTwo.\n\t"""\n    return """\n\tx"""\n'
    assert with_tabs(old, new, new) == old.text


@pytest.mark.parametrize("text", ["x = 1\n", "x = '''\n\ty'''\n", "if 1:\n    x = 1\n"])
def test_a_file_without_stays_itself(text: str) -> None:
    old = document(text)
    assert expanded(old) is old or expanded(old).text == text


def test_windows_lines() -> None:
    result = upgrade(tabbed(SPACES).replace("\n", "\r\n"))
    assert result.after is not None
    text = result.after.decode()
    assert text.count("\n") == text.count("\r\n") > 20
    assert text.replace("\r\n", "\n") == after(tabbed(SPACES))


def test_a_finding_is_at_its_own_column() -> None:
    head = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
    run = "with tf.Session() as sess:\n\tprint(sess.partial_run_setup([x], [x]))\n"
    old = document(head + run)
    new = expanded(old)
    assert column_back(old, new, 4, 10) == 7
    found = [f for f in upgrade(old.text).left if f.rule == "TFM420"]
    spaced = [f for f in upgrade(new.text).left if f.rule == "TFM420"]
    assert [(f.line, f.column) for f in found] == [(4, 8)]
    assert [(f.line, f.column) for f in spaced] == [(4, 11)]


def test_a_tab_is_as_wide_as_it_must_be() -> None:
    old = document("if 1:\n    \tif 2:\n   \t  x = 1\n    \ty = 2\n")
    new = expanded(old)
    assert new.text == "if 1:\n        if 2:\n          x = 1\n        y = 2\n"  # by eight
    assert ast.dump(new.tree) == ast.dump(old.tree)
    assert with_tabs(old, new, new) == old.text
