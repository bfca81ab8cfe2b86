"""``Variable.load``: a variable is set from Python; names that are looked up at run time."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import numpy as np
import tensorflow as tf


class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.int32, [None])
        self.table = tf.Variable(tf.zeros([3, 2]), name='table')
        self.total = tf.reduce_sum(tf.nn.embedding_lookup(self.table, self.x))


model = Model()
sess = tf.Session()
sess.run(tf.global_variables_initializer())
"""
TAIL = "print(sess.run(model.total, {model.x: [0, 2]}))\n"


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def test_a_variable_that_is_loaded_is_assigned() -> None:
    result = upgrade(HEAD + "model.table.load(sess.run(model.table) + 1, session=sess)\n" + TAIL)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert "model.table.assign(model.table.numpy() + 1)\n" in result.after.decode()


@pytest.mark.parametrize(
    "line",
    [
        "model.table.load(model.total, sess)\n",  # not Python's
        "model.table.load(np.ones([3, 2]), other)\n",  # not a session
        "model.table.load(np.ones([3, 2]), sess)\n"
        "sess.run(tf.global_variables_initializer())\n",  # starts anew afterwards
        "print(globals()['model'].total)\n",
    ],
)
def test_what_keeps_the_session(line: str) -> None:
    assert upgrade(HEAD + line + TAIL).level is Level.COMPAT
