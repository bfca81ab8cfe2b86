"""What `tf.cond`, `tf.map_fn` and `tf.scan` give: one tensor, where their functions surely do."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after

START = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
p = tf.placeholder(tf.bool, [])


def both(v):
    doubled = v * 2.0
    return doubled


def several(v):
    return v, v


"""
END = """
with tf.Session() as sess:
    print(sess.run(y, {x: [1.0, 2.0], p: True}))
"""


@pytest.mark.parametrize(
    "made",
    [
        "tf.cond(p, lambda: x, lambda: tf.square(x))",
        "tf.cond(p, lambda: unknown(x), lambda: x)",
        "tf.cond(p, lambda: -x, lambda: x + 1.0)",
        "tf.map_fn(lambda v: v * 2.0, x) * tf.cond(p, lambda: 1.0, lambda: tf.reduce_sum(x))",
        "tf.map_fn(both, tf.cond(p, lambda: x, lambda: x))",
    ],
)
def test_one_tensor(made: str) -> None:
    text = after((START + f"y = {made}\n" + END).replace("unknown", "tf.nn.relu"))
    assert "tf.cond(p, " in text
    assert ".numpy())\n" in text
    assert "map_structure" not in text


@pytest.mark.parametrize(
    "made",
    [
        "tf.map_fn(several, tf.cond(p, lambda: x, lambda: x), dtype=(tf.float32, tf.float32))",
        "tf.cond(p, lambda: tf.split(x, 2), lambda: tf.split(x, 2))",
        "tf.cond(p, lambda: (x, x), lambda: (x, -x))",
        "tf.cond(p, lambda: [x], lambda: [x])",
        "tf.image.image_gradients(tf.reshape(x, [1, 1, 2, 1]))",
        "tf.linalg.slogdet(tf.linalg.diag(x))",
    ],
)
def test_several_or_unsure(made: str) -> None:
    assert "tf.nest.map_structure(lambda t: t.numpy(), compute_y(" in after(
        START + f"y = {made}\n" + END
    )
