"""Lists of constants that grow, and parts of them."""

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

LIST = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [2])
images = [tf.ones([2])]
for i in range(2):
    images.append(images[-1] * 2.0)
{more}
with tf.Session() as sess:
    print({fetch})
"""
ALL = "tf.nest.map_structure(lambda t: t.numpy(), "


def test_they_are_computed_where_they_stand() -> None:
    text = after(LIST.format(more="", fetch="sess.run(images), sess.run(images[0])"))
    assert f"print({ALL}images), images[0].numpy())" in text
    assert "    images.append(images[-1] * 2.0)\n" in text


def test_some_of_a_list() -> None:
    text = after(
        LIST.format(more="last = images[1:]", fetch="sess.run(last), sess.run(images[:2])")
    )
    assert f"print({ALL}last), {ALL}images[:2]))" in text
    plain = "import tensorflow as tf\na = [tf.ones([2]), tf.zeros([2])]\n"
    text = after(f"{plain}with tf.Session() as sess:\n    print(sess.run(a[:1]))\n")
    assert f"print({ALL}a[:1]))" in text


def test_in_a_function() -> None:
    text = after(
        "import tensorflow as tf\n\n\ndef powers(t):\n    found = [t]\n"
        "    for _ in range(2):\n        found.append(found[-1] * t)\n    return found\n\n\n"
        "found = powers(tf.constant([2.0]))\nwith tf.Session() as sess:\n"
        "    print(sess.run(found))\n"
    )
    assert f"print({ALL}found))" in text


@pytest.mark.parametrize(
    "more",
    [
        "y = x + tf.add_n(images)\nimages.append(tf.zeros([2]))",
        "def total(t):\n    return t + tf.add_n(images)\ny = total(x)",
    ],
)
def test_what_a_function_reads_keeps_the_session(more: str) -> None:
    text = LIST.format(more=more, fetch="sess.run(y, {x: [1.0, 2.0]})")
    assert "a list of constants grows that a function reads" in stopped(text)


def test_a_part_of_a_run_in_such_a_list_keeps_the_session() -> None:
    text = LIST.format(more="images.append(x)", fetch="sess.run(images, {x: [1.0, 2.0]})")
    assert "`.append()` of a constant" in stopped(text)


def test_another_name_keeps_the_session() -> None:
    more = "same = images\ny = x + tf.add_n(same)\nimages.append(tf.zeros([2]))"
    text = LIST.format(more=more, fetch="sess.run(y, {x: [1.0, 2.0]})")
    assert "a list of constants grows that has another name, too" in stopped(text)
