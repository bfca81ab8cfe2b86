"""What an iterator gives next, asked for in the run of a loop; datasets that are printed."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf

sess = tf.Session()
data = tf.data.Dataset.range(9)
it = data.make_one_shot_iterator()
"""
FED = """\
import numpy as np
import tensorflow as tf

sess = tf.Session()
x = tf.placeholder(tf.float32, [6])
data = tf.data.Dataset.from_tensor_slices(x)
print(data)
data = data.batch(2)
it = data.make_initializable_iterator()
print("iterator", it)
sess.run(it.initializer, {x: np.ones(6)})
"""
LOOP = "for i in range(3):\n    "


def test_a_loop_keeps_its_own_comment() -> None:
    """The op above the loop, which goes, doesn't take it along."""
    init = "sess.run(tf.global_variables_initializer())\n"
    begin = "it = data.as_numpy_iterator()\n"
    for between in ("", "\n", "\n\n"):
        text = after(
            f"{HEAD}{init}{between}# three of them\n{LOOP}print(sess.run(it.get_next()))\n"
        )
        assert text.endswith(f"{begin}{between}# three of them\n{LOOP}print(next(it))\n")
    text = after(f"{HEAD}if len('a'):\n    {init}\n# all\n{LOOP}print(sess.run(it.get_next()))\n")
    assert text.endswith(f"\n# all\n{LOOP}print(next(it))\n")


@pytest.mark.parametrize(
    "text",
    [
        f"{LOOP}print(sess.run(it.get_next()))\n",
        f"{LOOP}print(it.get_next().eval(session=sess))\n",
        f"{LOOP}y = it.get_next()\n    print(sess.run(y))\n",
        f"while True:\n    {LOOP.replace('    ', '        ')}print(sess.run(it.get_next()))\n",
        f"print(sess.run(it.get_next()))\n{LOOP}print(sess.run(it.get_next()))\n",
        f"with sess.as_default():\n    {LOOP}    print(it.get_next().eval())\n",
    ],
)
def test_one_op_above_the_loop_does_the_same(text: str) -> None:
    new = after(HEAD + text)
    assert "it = data.as_numpy_iterator()\n" in new
    assert new.count("next(it)") == text.count("get_next")


def test_with_what_is_computed_of_it() -> None:
    new = after(HEAD + "w = tf.Variable(1)\n" + LOOP + "v, _ = sess.run([it.get_next(), w])\n")
    assert "next(it)" in new
    assert "it = iter(data)\n" in new


@pytest.mark.parametrize(
    "text",
    [
        f"{LOOP}print(sess.run([it.get_next(), it.get_next()]))\n",  # two elements
        f"{LOOP}y = it.get_next() + 1\n    print(sess.run(y))\n",
        f"{LOOP}y = it.get_next()\n    print(sess.run(y))\ny = 0\n",
        f"{LOOP}y = it.get_next()\n    print(sess.run(y))\n    print(sess.run(it.get_next()))\n",
        f"def f():\n    return it.get_next()\n\n\n{LOOP}print(sess.run(f()))\n",
        f"{LOOP}print(sess.run(data.make_one_shot_iterator().get_next()))\n",
    ],
)
def test_others_keep_the_session(text: str) -> None:
    stopped(HEAD + text)


def test_a_dataset_of_what_is_fed_is_printed_where_it_is_made() -> None:
    new = after(FED + LOOP + "print(sess.run(it.get_next()))\n")
    made = new.index("def make_dataset(x):\n    data = tf.data.Dataset.from_tensor_slices(x)\n")
    assert made < new.index("    print(data)\n    data = data.batch(2)\n")
    assert '    print("iterator", data)\n    return data\n' in new
    assert "it = make_dataset(np.ones(6)).as_numpy_iterator()\n" in new


def test_datasets_and_iterators_are_printed_where_they_stand() -> None:
    text = HEAD.replace("it =", 'print("data", data)\nit =') + "print(it)\n"
    new = after(text + LOOP + "print(sess.run(it.get_next()))\n")
    assert 'print("data", data)\nit = data.as_numpy_iterator()\nprint(it)\n' in new


def test_what_says_more_of_them_keeps_the_session() -> None:
    assert "an expression of other isn't followed" in stopped(
        HEAD + "print(repr(data))\n" + LOOP + "print(sess.run(it.get_next()))\n"
    )
    assert "an iterator is given to `print`" in stopped(
        HEAD + "if data:\n    print(it)\n" + LOOP + "print(sess.run(it.get_next()))\n"
    )
