"""How many dimensions a tensor has at least: what decides about `tf.where`."""

from __future__ import annotations

import textwrap

import pytest

from tests.rewriters.sessions.test_sessions import after

HEAD = """\
import tensorflow as tf


def given(x):
    return x * 2.0


def attend(x, lengths, mask):
"""
TAIL = """\


x = tf.placeholder(tf.float32, [None, 3, 4])
y = attend(x, tf.constant([1, 2]), tf.constant([True, False]))
with tf.Session() as sess:
    print(sess.run(y, {x: [[[1.0, 2.0, 3.0, 4.0]] * 3] * 2}))
"""


def plain(body: str) -> bool:
    """Whether the `tf.where` of a function becomes TF 2's own."""
    text = after(HEAD + textwrap.indent(textwrap.dedent(body), "    ") + TAIL)
    assert "where(" in text
    return "compat.v1.where" not in text


MASKS = """\
m = tf.sequence_mask(lengths, 3)
m = tf.tile(tf.expand_dims(m, 2), [1, 1, 4])
return tf.where(m, x, tf.zeros([2, 3, 4]))
"""


def test_a_mask_of_two_dimensions_is_the_same_in_both() -> None:
    assert plain(MASKS)


@pytest.mark.parametrize(
    "body",
    [
        MASKS.replace("lengths, 3", "lengths, 3, name='m'"),
        "k = tf.reshape(tf.to_float(mask), [-1, 1, 1]) * x\n"
        "return tf.where(tf.equal(k, 0), x, k + 1)\n",
        "k = tf.expand_dims(tf.expand_dims(mask, 1), 1)\nm = tf.logical_and(k, k)\n"
        "return tf.where(m, x[:, :1, :1], tf.zeros([2, 1, 1]))\n",
        "m = tf.tile(given(x), [1, tf.shape(x)[1], 1])\n"
        "return tf.where(tf.equal(m, 0), x, tf.zeros_like(x))\n",
        "m = tf.transpose(given(x), perm=[0, 2, 1])\nreturn tf.where(m > 0, x, x)\n",
        "m = tf.one_hot(tf.reshape(lengths, [-1]), 3) > 0\nif x is not None:\n"
        "    return tf.where(m, x[:, :, 0], tf.zeros([2, 3]))\nreturn x\n",
    ],
)
def test_however_it_was_made(body: str) -> None:
    assert plain(body)


@pytest.mark.parametrize(
    "body",
    [
        "return tf.where(mask, x, tf.zeros([2, 3, 4]))\n",  # picks rows
        "m = tf.identity(mask)\nreturn tf.where(m, x, tf.zeros([2, 3, 4]))\n",
        MASKS.replace("return", "m = mask\nreturn"),
        MASKS.replace("return", "for m in [mask]:\n    pass\nreturn"),
        MASKS.replace("return", "for _ in range(1):\n    y =").replace(
            "zeros([2, 3, 4]))", "zeros([2, 3, 4]))\n    m = mask\nreturn y"
        ),
        MASKS.replace(
            "tf.where(m, x, tf.zeros([2, 3, 4]))",
            "[tf.where(m, x, tf.zeros([2, 3, 4])) for m in [mask]][0]",
        ),
        "m = tf.expand_dims(mask, 1)\ntry:\n    m = mask\n    m.no\nexcept AttributeError:\n"
        "    return tf.where(m, x, tf.zeros([2, 3, 4]))\nreturn x\n",
        "m = tf.tile(mask, [1])\nreturn tf.where(m, x, tf.zeros([2, 3, 4]))\n",
        "m = tf.tile(mask, *[[1]])\nreturn tf.where(m, x, tf.zeros([2, 3, 4]))\n",
        "m = tf.reshape(mask, [-1])\nreturn tf.where(m, x, tf.zeros([2, 3, 4]))\n",
    ],
)
def test_a_vector_may_pick_rows(body: str) -> None:
    assert not plain(body)
