"""Arrays that a Scaffold's init_fn gives variables, and what else it may do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

FIXTURE = Path(__file__).parents[3] / "fixtures" / "keras" / "given_tables" / "before.py"
PROGRAM = FIXTURE.read_text(encoding="utf-8")
MADE = "tf.get_variable('table', [WORDS, SIZE])"
RUN = "session.run(begin, feed_dict={given: params['vectors']})"
BEGINS = "initializer=tf.constant_initializer(params['vectors'])"


def changed(old: str, new: str) -> str:
    assert old in PROGRAM
    return PROGRAM.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (MADE, "tf.get_variable('table', [WORDS, SIZE], initializer=tf.zeros_initializer())"),
        (MADE, "tf.Variable(tf.constant(0.0, shape=[WORDS, SIZE]), trainable=False, name='W')"),
        (MADE, "tf.Variable(tf.random_uniform([WORDS, SIZE], -1., 1.), name='W')"),
        ("table.assign(given)", "tf.assign(table, given)"),
        ("feed_dict={given", "{given"),
    ],
)
def test_a_variable_begins_with_the_array(old: str, new: str) -> None:
    made = after(changed(old, new))
    assert BEGINS in made
    assert "placeholder" not in made
    assert "def init_fn" not in made


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (RUN, "print('begun')"),
        (RUN, f"print('begun')\n        {RUN}"),
        (RUN, "session.run(begin, feed_dict={given: params['vectors'], features: 1})"),
        (RUN, "session.run(begin, feed_dict={given: load(params)})"),
        (RUN, "session.run(begin)"),
        ("begin = table.assign(given)", "begin = table.assign(given * 2.)"),
        ("begin = table.assign(given)", "begin = table.assign_add(given)"),
        (MADE, "tf.get_variable('table', initializer=vectors)\n    table = table * 2."),
        (MADE, "tf.Variable(start, name='W')"),
        ("hidden = tf.layers", "hidden = tf.reduce_sum(given) + tf.layers"),
        ("    optimizer = tf", "    print(begin)\n    optimizer = tf"),
    ],
)
def test_another_init_fn_stays(old: str, new: str) -> None:
    assert stopped(changed(old, new))[1]
