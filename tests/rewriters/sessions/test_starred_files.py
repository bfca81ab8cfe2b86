"""Names that several files bring by ``*``: the last one's is meant, with TensorFlow or without."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from tests.rewriters.sessions.test_files import after, reasons, run

NETS = """
import tensorflow as tf

def scaled(x):
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    return x * w
"""
MAIN = """
import tensorflow as tf
from {first} import *
from {second} import *

x = tf.placeholder(tf.float32, [None, 2])
v = tf.Variable([1.0, 2.0])
y = scaled(x) + v
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1.0, 2.0]]}}))
"""
TOOLS = "def scaled(x):\n    return x * 3.0\n"


def test_a_file_without_tensorflow_may_come_last() -> None:
    found = run(nets=NETS, tools=TOOLS, main=MAIN.format(first="nets", second="tools"))
    assert found["nets"].level is Level.COMPAT
    assert reasons(found) == [("main", 7, "a placeholder is given to `scaled`")]


@pytest.mark.parametrize(
    "tools",
    [TOOLS.replace("scaled", "_scaled"), TOOLS + '\n__all__ = ["other"]\nother = 1\n', "other = 2"],
)
def test_what_it_does_not_bring_is_another_one_s(tools: str) -> None:
    found = run(nets=NETS, tools=tools, main=MAIN.format(first="nets", second="tools"))
    assert found["nets"].level is Level.NATIVE, reasons(found)
    assert "y_layer = scaled()\n" in after(found["main"])


def test_the_file_with_tensorflow_may_come_last() -> None:
    found = run(nets=NETS, tools=TOOLS, main=MAIN.format(first="tools", second="nets"))
    assert found["nets"].level is Level.NATIVE, reasons(found)
