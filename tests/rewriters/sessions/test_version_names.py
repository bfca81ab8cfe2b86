"""Names of TensorFlow's version that branches ask: they go the way that they go on 1.15.5."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

NAMED
x = tf.placeholder(tf.float32, [2])
if TEST:
    y = x * 2
else:
    y = x * 3
with tf.Session() as sess:
    print(sess.run(y, {x: [1, 2]}))
"""


def program(named: str, test: str) -> str:
    return PROGRAM.replace("NAMED", named).replace("TEST", test)


@pytest.mark.parametrize(
    ("named", "test", "way"),
    [
        ("v = tf.__version__", "v.startswith('1')", 2),
        ("v = tf.__version__", "v[0] != '1'", 3),
        ("v = float(tf.__version__[:tf.__version__.rfind('.')])", "v >= 1.8", 3),
        ("v = tuple(map(int, tf.__version__.split('.')))", "v > (1, 8)", 2),
        ("v = int(tf.__version__.split('.')[1])", "v > 20 or v == 15", 2),
    ],
)
def test_the_branch_goes_as_on_one_fifteen(named: str, test: str, way: int) -> None:
    text = after(program(named, test))
    assert f"return x * {way}\n" in text
    assert "__version__" not in text


def test_a_name_that_something_else_reads_stays() -> None:
    text = after(program("v = tf.__version__\nprint(v)", "v < '1.2'"))
    assert "v = tf.__version__\nprint(v)\n" in text
    assert "return x * 2\n" in text


def test_a_choice_is_what_it_chooses() -> None:
    text = after(program("n = 5 if tf.__version__ < '2' else 6\nprint(n)", "n < 9"))
    assert "n = 5\nprint(n)\n" in text


def test_a_block_keeps_a_statement() -> None:
    named = "v = tf.__version__\ndef old():\n    if v < '1':\n        print('old')\n\nold()"
    text = after(program(named, "v < '2'"))
    assert "def old():\n    pass\n" in text
    assert "print('old')" not in text


def test_an_assertion_that_holds_goes() -> None:
    text = after(program("v = tf.__version__\nassert v.startswith('1'), v", "v[2:4] == '15'"))
    assert "assert" not in text
    assert "return x * 2\n" in text


@pytest.mark.parametrize(
    ("named", "test"),
    [
        ("v = tf.__version__\nassert v > '2'", "v < '2'"),
        ("v = tf.__version__", "known(v)"),
        ("v = tf.__version__\nv = v[:1]", "v == '1'"),
        ("v = tf.__version__", "v in ['1.15.5']"),
    ],
)
def test_a_condition_that_is_not_told_keeps_the_session(named: str, test: str) -> None:
    assert "a branch on TensorFlow's version" in stopped(program(named, test))
