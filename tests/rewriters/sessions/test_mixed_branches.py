"""Python's values that a branch or a loop makes beside tensors stay where they were."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import sys

import tensorflow as tf

kind = 1
n = 5
seen = {}
x = tf.placeholder(tf.float32, [None, 2])
"""
RUN = """\
with tf.Session() as sess:
    print(n, seen, sess.run(h, {x: [[1.0, 2.0]]}))
"""
AGENT = """\
import tensorflow as tf


class Agent:
    def __init__(self, kind):
        self.n = 5
        self.x = tf.placeholder(tf.float32, [None, 2])
        if kind == "hard":
            self.n = 0
            self.y = self.x * 2.0
        else:
            self.y = tf.square(self.x)


agent = Agent("hard")
with tf.Session() as sess:
    print(agent.n, sess.run(agent.y, {agent.x: [[1.0, 2.0]]}))
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def test_an_attribute_that_a_branch_sets_is_still_set() -> None:
    result = upgrade(AGENT)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = str(result.after, "utf-8")
    assert '        if kind == "hard":\n            self.n = 0\n' in text
    assert '            if kind == "hard":\n                y = x * 2.0\n' in text


@pytest.mark.parametrize(
    ("branch", "stays"),
    [
        ("if kind == 1:\n    n = 2\n    h = tf.nn.relu(x)\nelse:\n    h = x\n", "if kind == 1:"),
        (
            "if kind == 1:\n    h = tf.nn.relu(x)\nelse:\n    n = 2\n    h = -x\n",
            "if not (kind == 1):",
        ),
    ],
)
def test_a_name_that_a_branch_binds_is_still_bound(branch: str, stays: str) -> None:
    result = upgrade(HEAD + branch + RUN)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert f"\n{stays}\n    n = 2\n" in str(result.after, "utf-8")


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        # The condition would be asked twice.
        (
            "if len(sys.argv) < 9:\n    seen[0] = 2\n    h = tf.nn.relu(x)\nelse:\n    h = x\n",
            "branch",
        ),
        # The condition would mean something else behind it.
        ("if kind == 1:\n    kind = n = 2\n    h = tf.nn.relu(x)\nelse:\n    h = x\n", "branch"),
        # What is computed before would find the later value.
        ("if kind == 1:\n    h = x * n\n    n = 2\nelse:\n    h = x\n", "branch"),
        ("h = x\nfor i in range(3):\n    seen[i] = i\n    h = tf.nn.relu(h)\n", "loop"),
    ],
)
def test_what_can_t_be_written_apart_keeps_the_session(statements: str, reason: str) -> None:
    result = upgrade(HEAD + statements + RUN)
    assert result.level is Level.COMPAT
    assert f"Python's values and tensors are made in one {reason}" in str(result.left)


def test_what_only_the_branch_reads_goes_with_it() -> None:
    branch = "if kind == 1:\n    m = 2\n    h = tf.nn.relu(x) * m\nelse:\n    h = x\n"
    result = upgrade(HEAD + branch + RUN)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert "    if kind == 1:\n        m = 2\n" in str(result.after, "utf-8")


@pytest.mark.parametrize(
    ("branch", "stays"),
    [
        (
            "if kind > 1:\n    print('one of', kind)\n    h = x * 2.0\nelse:\n    h = x\n",
            "if kind > 1:\n    print('one of', kind)\n",
        ),
        (
            "if n>3:\n    print(1)\n    h = x+2\n    print(2)\nelse:\n    print(3)\n    h = x\n",
            "if n>3:\n    print(1)\n    print(2)\nelse:\n    print(3)\n",
        ),
        (
            "if n > 3:\n    h = x * 2.0\nelse:\n    h = x\n    print('%d' % n)\n",
            "if not (n > 3):\n    print('%d' % n)\n",
        ),
    ],
)
def test_what_a_branch_prints_is_printed_where_it_stood(branch: str, stays: str) -> None:
    result = upgrade(HEAD + branch + RUN)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = str(result.after, "utf-8")
    assert stays in text.partition("@tf.function")[2]
    assert text.count("print(") == (branch + RUN).count("print(")
    assert "x * 2.0" not in text.partition(stays)[2]


@pytest.mark.parametrize(
    "branch",
    [
        "if n > 3:\n    h = x * 2.0\n    n = len(seen)\n    print(n)\nelse:\n    h = x\n",
        "if n > 3:\n    h = x; print(1)\nelse:\n    h = x * 2.0\n",
        "if n > 3: print(1); h = x\nelse:\n    h = x * 2.0\n",
    ],
)
def test_other_prints_in_a_branch_keep_the_session(branch: str) -> None:
    assert upgrade(HEAD + branch + RUN).level is Level.COMPAT


def loops(between: str, inner: str) -> str:
    """Two models of a script, each with a loop whose sizes have one name."""
    again = "for size in [2, 3]:\n    " + inner + "    h = h + tf.square(x) * shape[0]\n"
    first = "h = x\nfor size in [2, 3]:\n    shape = [size]\n    h = h + x * shape[0]\n"
    return HEAD + first + RUN + between + "h = x\n" + again + RUN


def test_a_size_that_the_next_loop_binds_anew_is_the_loops_own() -> None:
    result = upgrade(loops("", "shape = [size + 1]\n"))
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = str(result.after, "utf-8")
    assert "        shape = [size]\n" in text
    assert "        shape = [size + 1]\n" in text


@pytest.mark.parametrize(
    ("between", "inner"),
    [("print(shape)\n", "shape = [size]\n"), ("", "shape = [shape[0]]\n"), ("", "print(shape)\n")],
)
def test_a_size_that_is_read_behind_the_loop_keeps_the_session(between: str, inner: str) -> None:
    result = upgrade(loops(between, inner))
    assert result.level is Level.COMPAT
