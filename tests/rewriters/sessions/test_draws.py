"""Which runs take the next element: what a statement needs whatever TF 1 knew of its shapes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

data = tf.data.Dataset.from_tensor_slices([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).batch(2)
x = data.make_one_shot_iterator().get_next()
{loss}
seen = []
with tf.Session() as sess:
    for _ in range(2):
        seen.append(sess.run(loss))
"""


@pytest.mark.parametrize(
    ("loss", "seen"),
    [
        ("loss = tf.reduce_sum(x) / tf.cast(tf.shape(x)[0], tf.float32)", [5.0, 11.0]),
        ("loss = -tf.reduce_sum(tf.reshape(x, [x.shape[1], -1]))", [-10.0, -11.0]),
        ("loss = tf.reduce_sum(x)\nloss += tf.reduce_sum(tf.ones_like(x))", [14.0, 13.0]),
        ("total = tf.foldl(lambda a, b: a + b, x)\nloss = tf.reduce_sum(total)", [10.0, 11.0]),
    ],
)
def test_shapes_beside_what_is_needed(loss: str, seen: list[float]) -> None:
    known: dict[str, Any] = {}
    exec(after(PROGRAM.format(loss=loss)), known)
    assert [float(v) for v in known["seen"]] == seen  # TF 1.15.5's


@pytest.mark.parametrize(
    "loss",
    [
        "loss = tf.cast(x.shape[1], tf.float32)",
        "loss = tf.reduce_sum(tf.zeros_like(x))",
        "loss = tf.shape(x)[1] * 2",
    ],
)
def test_what_may_be_known_without(loss: str) -> None:
    assert "takes the next element" in stopped(PROGRAM.format(loss=loss))
