"""What a run feeds is computed in the order in which it was written: draws depend on it."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2])
z = tf.placeholder(tf.float32, [3])
y = tf.reduce_sum(x) + 2.0 * tf.reduce_sum(z)
draw = np.random.RandomState(0).rand
data = [1.0, 2.0]
with tf.Session() as sess:
"""


@pytest.mark.parametrize(
    ("feed", "call"),
    [
        ("{x: draw(2), z: draw(3)}", "compute_y(draw(2), draw(3))"),
        ("{z: draw(3), x: draw(2)}", "compute_y(z=draw(3), x=draw(2))"),
        ("{z: draw(3), x: data}", "compute_y(data, draw(3))"),
        ("{z: np.ones(3), x: np.zeros(2)}", "compute_y(np.zeros(2), np.ones(3))"),
        (
            "{z: np.fromfile('f', np.float32, 3), x: draw(2)}",
            "compute_y(z=np.fromfile('f', np.float32, 3), x=draw(2))",
        ),
    ],
)
def test_the_order_of_draws(feed: str, call: str) -> None:
    (result,) = texts({"program.py": f"{HEAD}    print(sess.run(y, {feed}))\n".encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert f"print({call}.numpy())" in result.after.decode()
