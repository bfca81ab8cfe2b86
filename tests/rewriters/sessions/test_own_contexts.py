"""Blocks that an object of the program opens: ``with model:``."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.Variable([[1.0], [2.0]])
        self.y = tf.matmul(self.x, self.w)
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())

    def predict(self, data):
        return self.session.run(self.y, {self.x: data})

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.session.close()


"""
KEPT = "model = Model()\nwith model:\n    print(model.predict(np.ones((1, 2))))\n"
MADE = "with Model() as model:\n    print(model.predict(np.ones((1, 2))))\n"


def test_an_object_opens_a_block() -> None:
    text = after(SOURCE + KEPT)
    assert text.endswith(KEPT)
    assert "    def __exit__(self, kind, value, trace):\n        pass\n" in text


def test_an_object_that_a_block_makes_is_made_above_it() -> None:
    assert after(SOURCE + MADE).endswith(KEPT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        return self\n", "        return self.w\n"),
        ("        return self\n", "        self.w = None\n        return self\n"),
        ("    def __exit__(self, kind", "    def leave(self, kind"),
    ],
)
def test_an_object_that_gives_something_else_keeps_the_session(old: str, new: str) -> None:
    text = SOURCE.replace(old, new, 1) + KEPT
    assert stopped(text).endswith(": this block can't be followed")
