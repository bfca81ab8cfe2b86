"""A sampler that writes its generator once more becomes a call of it."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, upgrade

TEXT = """import tensorflow as tf
def make(z, rate=0.5):
    with tf.variable_scope('gen'):
        h = tf.layers.dense(z, 4, name='h')
        h = tf.layers.dropout(tf.tanh(h), rate, training=True)
        return tf.layers.dense(h, 2, name='o')
def show(z):
    with tf.variable_scope('gen') as scope:
        scope.reuse_variables()
        first = tf.tanh(tf.layers.dense(z, 4, name='h'))
        out = tf.layers.dense(tf.layers.dropout(first, 0.1, training=False), 2, name='o')
        return out
z = tf.placeholder(tf.float32, [None, 3])
made, shown = make(z), show(z)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    out = sess.run([made, shown], {z: [[1., 2., 3.]]})
"""


def joined(source: str) -> bool:
    """Whether one function was made of the two."""
    result = upgrade(source)
    assert result.after is not None
    return b"training=True):" in result.after


def test_one_function_stays() -> None:
    """What the second says otherwise is a parameter of the first."""
    new = after(TEXT)
    assert "def show" not in new
    assert "def apply(z, rate=0.5, training=True):" in new
    assert "_layer(z, rate=0.1, training=False)" in new or "_layer(z, 0.1, False)" in new


def test_scopes_that_say_reuse() -> None:
    """``reuse=True`` of the scope, or a parameter that the first has already."""
    said = TEXT.replace(
        "('gen') as scope:\n        scope.reuse_variables()", "('gen', reuse=True):"
    )
    assert "def show" not in after(said)
    given = said.replace("rate=0.5):", "rate=0.5, reuse=None):").replace(
        "('gen'):", "('gen', reuse=reuse):"
    )
    assert "def show" not in after(given)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        return out", "        return tf.tanh(out)"),
        ("first = tf.tanh", "first = tf.nn.relu"),
        ("2, name='o')\n        return out", "2, name='p')\n        return out"),
        ("        return out", "        return out + first[:, :2]"),
        ("def show(z):", "def show(z, k=2):"),
        ("def show(z):", "def show(z):\n    tf.get_variable_scope().reuse_variables()"),
        ("made, shown = make(z), show(z)", "other = show\nmade, shown = make(z), other(z)"),
        (
            "first = tf.tanh(tf.layers.dense(z",
            "z = z * 2\n        first = tf.tanh(tf.layers.dense(z",
        ),
    ],
)
def test_others_stay(old: str, new: str) -> None:
    """One that computes something else, or that isn't only called."""
    assert old in TEXT
    assert not joined(TEXT.replace(old, new))


def test_a_name_in_another_place() -> None:
    """A name means what it was given last: ``h`` before and behind its second value."""
    new = TEXT.replace("dense(tf.layers.dropout(first", "dense(tf.layers.dropout(late").replace(
        "        out = tf", "        late = first\n        first = z\n        out = tf"
    )
    assert joined(new)
    assert not joined(new.replace("dropout(late", "dropout(first"))
