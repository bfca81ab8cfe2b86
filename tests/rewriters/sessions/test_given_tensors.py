"""Functions that run a session and are given tensors: one that is called once stands there."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x, y = tf.data.Dataset.from_tensor_slices((a, b)).make_one_shot_iterator().get_next()


def show(first, second, count):
    with tf.Session() as sess:
        # all of them
        for _ in range(count):
            one, two = sess.run([first, second])
            print(one, two)


"""


def test_one_that_is_called_once_stands_where_it_is_called() -> None:
    text = after(PROGRAM + "show(x, y, 3)\n")
    assert "def show" not in text
    assert "# all of them\nfor _ in range(3):\n    one, two = " in text


@pytest.mark.parametrize(
    "calls",
    ["show(x, y, 3)\nshow(y, x, 3)\n", "for i in range(2):\n    show(x, y, 3)\n"],
)
def test_others_keep_the_session(calls: str) -> None:
    assert "`show` is given a " in stopped(PROGRAM + calls)
