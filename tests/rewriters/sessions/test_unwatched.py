"""Variables with ``trainable=False`` that a program trains all the same: a tape is told of them."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
noise = tf.Variable(tf.zeros([2]), trainable=False)
other = tf.get_variable('other', [2], trainable=False)
w = tf.Variable(tf.ones([2, 1]))
{before}
loss = tf.reduce_mean(tf.matmul(x + noise + other, w))
{train}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run({fetch}, {{x: [[1, 2]]}}))
"""
MINIMIZE = "train = tf.train.GradientDescentOptimizer(.1).minimize(loss, var_list={})"


def trained(told: str, before: str = "") -> str:
    return PROGRAM.format(before=before, train=MINIMIZE.format(told), fetch="[train, loss]")


@pytest.mark.parametrize(
    ("told", "before", "watched"),
    [
        ("[noise]", "", ["noise"]),
        ("noise", "", ["noise"]),
        ("[noise, w]", "", ["noise"]),
        ("[noise, w, other]", "", ["noise", "other"]),
        ("listed", "listed = [w, noise]", ["listed"]),
        ("listed", "listed = tf.global_variables()", ["listed"]),
        ("tf.global_variables()", "", ["[noise, other, w]"]),
    ],
)
def test_a_tape_watches_them(told: str, before: str, watched: list[str]) -> None:
    lines = [line.strip() for line in after(trained(told, before)).splitlines()]
    assert [line for line in lines if ".watch(" in line] == [f"tape.watch({w})" for w in watched]


@pytest.mark.parametrize("told", ["[w]", "w", "tf.trainable_variables()"])
def test_others_are_watched_by_themselves(told: str) -> None:
    assert ".watch(" not in after(trained(told))


def test_so_with_gradients_alone() -> None:
    train = "slopes = tf.gradients(loss, [noise])"
    text = after(PROGRAM.format(before="", train=train, fetch="slopes"))
    assert "    with tf.GradientTape() as tape:\n        tape.watch(noise)\n" in text


def test_layers_beside_one_keep_the_session() -> None:
    layer = "h = tf.layers.dense(x, 2)\nlisted = tf.global_variables()"
    program = trained("listed", layer).replace("x + noise", "h + noise")
    reason = "a gradient by variables of layers and by one that isn't trained"
    assert reason in stopped(program)


@pytest.mark.parametrize(
    "start", ["0", "0, dtype=tf.int32", "tf.zeros([], tf.int64), dtype='int64'"]
)
def test_a_step_among_all_variables_needs_nothing(start: str) -> None:
    made = f"step = tf.Variable({start}, trainable=False)\nlisted = tf.global_variables()"
    program = trained("listed", made).replace("trainable=False)\nother", ")\nother")
    program = program.replace("[2], trainable=False)", "[2])").replace("([2]), )", "([2]))")
    assert ".watch(" not in after(program)


TWO = """\
first = tf.train.GradientDescentOptimizer(.1).minimize(loss)
other_one = tf.train.GradientDescentOptimizer(.1).minimize(loss, var_list=[noise])
train = tf.group(first, other_one)"""


def test_both_in_one_run() -> None:
    text = after(PROGRAM.format(before="", train=TWO, fetch="train"))
    assert "        tape.watch(noise)\n" in text
    assert "variables = [w]\n" in text
    program = PROGRAM.format(before="h = tf.layers.dense(x, 2)", train=TWO, fetch="train")
    reason = "gradients by what is trained and by a variable that isn't, in one run"
    assert reason in stopped(program.replace("x + noise", "h + noise"))
