"""`--to keras`: branches of functions that become layers, of which nothing is written."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import PROGRAM, after, stopped

HELPER = """
def dense(x, units, log=False):
    with tf.variable_scope('dense'):
        w = tf.get_variable('w', [2, units])
        if log:
            tf.summary.histogram('weights', w)
        return tf.matmul(x, w)


def model_fn"""


def program(*changes: tuple[str, str]) -> str:
    text = PROGRAM.replace("\ndef model_fn", HELPER)
    text = text.replace("tf.layers.dense(features['x'], 3)", "dense(features['x'], 3, True)")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    "head",
    [
        "if log:",
        "if log == True:",
        "if log is not None:",
        "for _ in [log]:",
        "with tf.name_scope('summaries'):",
    ],
)
def test_a_branch_of_which_nothing_is_written_goes(head: str) -> None:
    new = after(program(("if log:", head)))
    assert "summar" not in new
    assert "if log" not in new
    assert "log=" not in new.partition("class Model")[0]


def test_a_branch_whose_other_one_stays() -> None:
    _, reason = stopped(
        program(
            (
                "            tf.summary.histogram('weights', w)\n",
                "            tf.summary.histogram('weights', w)\n"
                "        else:\n            x = 2 * x\n",
            )
        )
    )
    assert "a branch of which nothing is written" in reason


def test_a_test_that_does_something() -> None:
    assert "of which nothing is written" in stopped(program(("if log:", "if print(log):")))[1]
