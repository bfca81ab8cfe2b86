"""What is fetched is computed with names of the host, which a loop around the run may bind."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [])
a = x * 2
scale = 3
sess = tf.Session()
"""


@pytest.mark.parametrize(
    ("run", "level"),
    [
        ("for i in range(3):\n    print(sess.run(a * i, {x: 1.0}))\n", Level.COMPAT),
        ("while scale:\n    print(sess.run(a * scale, {x: 1.0}))\n    scale -= 1\n", Level.COMPAT),
        ("for i in range(3):\n    print(sess.run(a * scale, {x: i}))\n", Level.NATIVE),
    ],
)
def test_a_name_that_a_loop_binds_is_no_constant_of_a_function(run: str, level: Level) -> None:
    (result,) = texts({"program.py": (HEAD + run).encode()}, Options())
    assert result.level is level, [f.message for f in result.left]
