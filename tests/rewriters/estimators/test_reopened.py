"""`--to keras`: scopes whose variables are used again around calls of functions and layers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "shared_scopes" / "before.py"
).read_text(encoding="utf-8")  # fmt: skip
AGAIN = "a scope whose variables are used again"


def test_towers_share_one_layer() -> None:
    new = after(PROGRAM)
    assert new.count("= Tower(") == 2
    assert "        left = self.tower(one)\n        right = self.tower(two)\n" in new
    assert "        right += self.unnamed(two)\n" in new
    assert "reuse" not in new


def test_another_scope_of_the_same_function_has_variables_of_its_own() -> None:
    new = after(PROGRAM.replace("tf.variable_scope(plain, reuse=True)", "tf.variable_scope('new')"))
    assert new.count("= Unnamed()") == 3


def test_what_is_asked_for_first_is_made_by_auto_reuse() -> None:
    opened, called = (
        "    with tf.variable_scope('others', reuse=tf.AUTO_REUSE):\n",
        "right += tower",
    )
    new = after(PROGRAM.replace(f"        {called}", f"{opened}        {called}"))
    assert new.count("= Tower(") == 2


def test_weights_of_several_names_are_several() -> None:
    scope = "    with tf.variable_scope('towers', reuse=True):\n"
    first = "    one = one * tf.get_variable('wide', [4]) * tf.get_variable('high', [4])\n"
    own = "    with tf.variable_scope('towers'):\n" + first.replace("    one", "        one")
    twice = own + scope + "        two = two * tf.get_variable('wide', [4])\n"
    start = "    with tf.variable_scope('towers') as scope"
    new = after(PROGRAM.replace(start, twice.replace("towers", "sizes") + start))
    assert "one = one * self.wide * self.high" in new
    assert "two = two * self.wide" in new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # In one block what has no name is counted on.
        ("left += tower(one, 5)\n        right += tower(two, 5)",
         "left += unnamed(one)\n        right += unnamed(two)"),
        ("        right = tower(two, 6)", "        right = tower(two, 7)"),
        ("        right = tower(two, 6)", "        right = unnamed(two)"),
        ("        left += tower(one, 5)\n", "        left += tower(one, 5)\n"
         "        left = tf.layers.dense(left, 3, name='second')\n"),
        ("        right += tower(two, 5)", "        for _ in range(2):\n"
         "            right += tower(two, 5)"),
        ("        right += unnamed(two)", "        right += unnamed(unnamed(two))"),
        ("(plain, reuse=True)", "(str('plain'), reuse=True)"),
        ("    x = tf.layers.dense(x, 5, tf.nn.relu)", "    x = tf.layers.batch_normalization(x)\n"
         "    x = tf.layers.dense(x, 5, tf.nn.relu)"),
        ("    bias = tf.get_variable('shift', [units], initializer=tf.zeros_initializer())",
         "    bias = tf.Variable(tf.zeros([units]), name='shift')"),
        ("        right += unnamed(two)", "        right += tf.layers.dense(two, 3)"),
        ("2, name='last', reuse=True", "3, name='last', reuse=True"),
        ("name='last', reuse=True", "name='other', reuse=True"),
    ],
)  # fmt: skip
def test_what_isnt_seen_to_be_shared_stays(old: str, new: str) -> None:
    assert old in PROGRAM
    assert AGAIN in stopped(PROGRAM.replace(old, new))[1]
