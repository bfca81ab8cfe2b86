"""Lists of variables that are asked for where they are fetched."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
b = tf.Variable(2.0)
loss = tf.reduce_sum(tf.matmul(x, w)) * b
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
kept = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train_op, {x: [[1.0, 2.0]]})
        PLACE
    kept.append(sess.run(tf.trainable_variables()))
"""


def upgrade(place: str) -> tuple[Level, str]:
    source = PROGRAM.replace("PLACE", place)
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is not None
    assert result.after is not None
    return result.level, result.after.decode()


@pytest.mark.parametrize(
    "place",
    [
        "print(i, sess.run(tf.trainable_variables()))",
        "kept.append([v.sum() for v in sess.run(tf.trainable_variables())])",
        "first, second = sess.run(tf.trainable_variables())",
    ],
)
def test_a_list_that_a_loop_fetches_has_its_name_above_it(place: str) -> None:
    level, text = upgrade(place)
    assert level is Level.NATIVE
    assert text.count("variables = [w, b]\n") == 2  # the step's own, and this one
    assert text.index("\nvariables = [w, b]\n") < text.index("for i in range(3)")
    assert "kept.append([v.numpy() for v in variables])" in text


def test_two_lists_have_two_names() -> None:
    level, text = upgrade("print(sess.run(tf.global_variables()))")
    assert level is Level.NATIVE
    assert "    print([v.numpy() for v in variables])\n" in text
    assert "\nvariables_2 = [w, b]\nkept.append([v.numpy() for v in variables_2])" in text


def test_a_branch_that_may_not_run_gives_later_lists_no_name() -> None:
    level, text = upgrade("pass\n    if kept:\n        print(sess.run(tf.trainable_variables()))")
    assert level is Level.NATIVE
    assert "    variables = [w, b]\n    print([v.numpy() for v in variables])\n" in text
    assert "\nvariables_2 = [w, b]\nkept.append([v.numpy() for v in variables_2])" in text


@pytest.mark.parametrize(
    "place",
    [
        "kept += [sess.run(tf.trainable_variables()) for _ in range(2)]",  # each round asks anew
        "show = lambda: sess.run(tf.trainable_variables())",
    ],
)
def test_lists_that_are_asked_for_again_and_again_stay(place: str) -> None:
    level, _ = upgrade(place)
    assert level is Level.COMPAT


def test_a_loop_that_calls_the_programs_functions_asks_in_each_round() -> None:
    """They may make more variables."""
    place = "print(sess.run(tf.trainable_variables()))\n        show(i)"
    source = PROGRAM.replace("PLACE", place)
    source = source.replace("x = tf.pl", "def show(i):\n    print(i)\n\nx = tf.pl", 1)
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE
    assert result.after is not None
    assert "\n    variables = [w, b]\n    print([v.numpy() for v in variables])\n" in (
        result.after.decode()
    )


def test_constants_in_a_container_that_has_a_name() -> None:
    text = after(
        "import tensorflow as tf\n"
        "a, b = tf.nn.l2_loss(tf.constant(1.)), tf.constant(2.)\n"
        "tf.add_to_collection('losses', a)\n"
        "losses = tf.get_collection('losses')\n"
        "own = [a, b]\n"
        "named = {'a': a}\n"
        "pair = (a, b)\n"
        "with tf.Session() as sess:\n"
        "    print(sess.run(losses), sess.run(own), sess.run(named), sess.run(pair))\n"
    )
    arrays = "tf.nest.map_structure(lambda t: t.numpy(), pair)"
    assert "print([v.numpy() for v in losses], [v.numpy() for v in own], " in text
    assert f"{{name: v.numpy() for name, v in named.items()}}, {arrays})" in text
