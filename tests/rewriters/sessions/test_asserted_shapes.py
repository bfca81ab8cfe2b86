"""Assertions about shapes in functions that build: they go where the tensors are."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf


def layer(x, size, name):
    assert len(x.get_shape()) == 2, name
    before = x.get_shape()[1]
    w = tf.get_variable(name, [before, size])
    return tf.matmul(x, w)


x = tf.placeholder(tf.float32, [None, 3])
y = layer(layer(x, 4, "a"), 1, "b")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1.0, 2.0, 3.0]]}))
"""


OBJECTS = PROGRAM.replace("    w = tf", "    x = x + 1.0\n    print(x)\n    w = tf")


@pytest.mark.parametrize(
    "test",
    ["len(x.get_shape()) == 2", "x.get_shape()[0] is not None", "size > 0 and x.shape[1] > 1"],
)
@pytest.mark.parametrize("message", ["", ", name"])
def test_they_stand_where_the_tensor_is(test: str, message: str) -> None:
    said = f"assert {test}{message}"
    text = after(PROGRAM.replace("assert len(x.get_shape()) == 2, name", said))
    inner = text[text.index("def call(self, x):") :]
    said = said.replace("size > 0", "self.size > 0").replace(", name", ", self.own_name")
    assert inner.index(said) < inner.index("return")


def test_what_a_function_prints_of_its_tensors_stays_too() -> None:
    text = after(OBJECTS)
    inner = text[text.index("def call(self, x):") :]
    assert "assert len(x.get_shape()) == 2, self.own_name\n" in inner
    assert inner.index("print(x)\n") < inner.index("return")


def test_what_asks_no_tensor_stays_where_it_is() -> None:
    text = after(PROGRAM.replace("len(x.get_shape()) == 2", "size > 0"))
    assert text.index("assert self.size > 0") < text.index("def call(self, x):")
