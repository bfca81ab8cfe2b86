"""Files that list what `from net import *` gives (fixture listed_names)."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from tests.rewriters.sessions.test_files import after, reasons, run

NET = """\
import tensorflow as tf

__all__ = ['dense', 'N']
N = 2


def relu(x):
    return x


def dense(x, n):
    w = tf.Variable(tf.zeros([int(x.get_shape()[1]), n]))
    return relu(tf.matmul(x, w))
"""
MAIN = """\
import sys
import tensorflow as tf
from net import *


def relu(x):
    return tf.nn.relu(x)


x = tf.placeholder(tf.float32, [None, len(sys.argv)])
y = relu(dense(x, N))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1.0]]}))
"""


def test_a_function_that_becomes_a_class_is_listed_as_that() -> None:
    found = run(main=MAIN, net=NET)
    assert found["main"].level is Level.NATIVE, reasons(found)
    assert "__all__ = ['Dense', 'N']\n" in after(found["net"])
    assert "y_layer = Dense(N)\n" in after(found["main"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("['dense', 'N']", "[n for n in ('dense', 'N')]"),
        ("['dense', 'N']\n", "['dense', 'N']\n__all__ += ['relu']\n"),
        ("['dense', 'N']", "['dense', 'N', 'parts']"),  # it may be a module
    ],
)
def test_a_list_that_is_not_told_keeps_the_session(old: str, new: str) -> None:
    found = run(main=MAIN, net=NET.replace(old, new))
    assert "which names `*` stands for isn't seen" in str(reasons(found)), reasons(found)


def test_a_name_that_would_be_gone_keeps_the_session() -> None:
    net = NET.replace("['dense', 'N']", "['dense', 'N', 'make']")
    net += "\n\ndef make():\n    return tf.Session()\n"
    found = run(main=MAIN.replace("tf.Session()", "make()"), net=net)
    assert found["main"].level is Level.COMPAT
    assert found["net"].after is None or "'make'" in after(found["net"])
