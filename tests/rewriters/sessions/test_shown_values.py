"""What only looks at a graph: helpers that show constants, types, checks, unread results."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SHOWN = """\
import tensorflow as tf


def show(tensor, label=""):
    with tf.Session() as sess:
        print(label, sess.run(tensor))


a = tf.constant([1.0, 2.0])
v = tf.Variable(tf.zeros([2]))
t = v + a
show(a)
show(tf.reduce_sum(a), "sum")
"""

CHECKED = """\
import tensorflow as tf


def total(targets, logits):
    if len(targets) != len(logits):
        raise ValueError("lengths: %d, %d." % (len(targets), len(logits)))
    losses = []
    for t, l in zip(targets, logits):
        losses.append(tf.square(t - l))
    return tf.add_n(losses)


x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.float32, [None, 2])
out = total([x, y], [y, x * 2.0])
with tf.Session() as sess:
    print(sess.run(out, feed_dict={x: [[1.0, 2.0]], y: [[3.0, 4.0]]}))
"""

FIT = """\
import tensorflow as tf


def fit(rate):
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.Variable(tf.zeros([2, 1]))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run([train_op, loss], {x: [[1.0, 2.0]]})[1])
    return train_op, loss


fit(0.1)
"""


def test_a_helper_that_shows_constants_is_given_them() -> None:
    text = after(SHOWN)
    assert "    print(label, tensor.numpy())\n" in text
    assert 'show(a)\nshow(tf.reduce_sum(a), "sum")\n' in text


@pytest.mark.parametrize("more", ["show(t)", "show(v)", "show(0)"])
def test_it_is_given_nothing_else(more: str) -> None:
    assert "`show` is given a constant before" in stopped(f"{SHOWN}{more}\n")


def test_it_is_given_a_constant_first() -> None:
    first = SHOWN.replace("show(a)\n", "show(t)\nshow(a)\n")
    assert "`show` is given a constant" in stopped(first)


def test_a_check_of_lengths_raises_in_the_function() -> None:
    text = after(CHECKED)
    assert "def predict(x, y):\n    return total([x, y], [y, x * 2.0])\n" in text
    assert 'raise ValueError("lengths: %d, %d." % (len(targets), len(logits)))' in text


def test_a_type_is_printed_where_the_tensor_is() -> None:
    text = after(CHECKED.replace("with tf.S", "print('type', type(out))\nwith tf.S"))
    assert "    print('type', type(out))\n    return out\n" in text


def test_a_type_that_is_kept_isn_t_followed() -> None:
    kept = CHECKED.replace("with tf.S", "kind = type(out)\nprint(kind)\nwith tf.S")
    assert "`out` is used outside of a run" in stopped(kept)


def test_results_that_nobody_reads_go() -> None:
    text = after(FIT)
    assert "return train_op" not in text
    assert text.endswith("fit(0.1)\n")


@pytest.mark.parametrize(
    "call",
    [
        "print(fit(0.1))",
        "run = fit\nrun(0.1)",
        "found = fit(0.1)",
        "for op in fit(0.1):\n    pass",
        "fit(0.1) if fit else None",
    ],
)
def test_results_that_may_be_read_stay(call: str) -> None:
    assert "returns a part of its graph" in stopped(FIT.replace("\nfit(0.1)\n", f"\n{call}\n"))


def test_a_return_in_the_midst_stays() -> None:
    early = FIT.replace("    with tf.S", "    if rate > 1:\n        return None\n    with tf.S")
    assert "returns a part of its graph" in stopped(early)


INPUTS = """\
import tensorflow as tf


def inputs():
    x = tf.placeholder(tf.float32, [None, 2])
    lengths = tf.placeholder(tf.int32, [None])
    longest = tf.reduce_max(lengths)
    return x, lengths, longest


graph = tf.Graph()
with graph.as_default():
    x, lengths, longest = inputs()
    y = tf.reduce_sum(x) * tf.cast(longest, tf.float32)
with tf.Session(graph=graph) as sess:
    print(sess.run(y, {x: [[1.0, 2.0]], lengths: [3]}))
"""


def test_placeholders_and_what_is_computed_of_them_stand_where_they_are_asked_for() -> None:
    text = after(INPUTS)
    assert "def inputs" not in text
    assert "x = tf.TensorSpec([None, 2], tf.float32)\n" in text
    assert "    longest = tf.reduce_max(lengths)\n    return tf.reduce_sum(x)" in text


def test_two_calls_of_them_keep_the_session() -> None:
    twice = INPUTS.replace("    y = tf", "    a, b, c = inputs()\n    y = tf")
    assert "a placeholder is made in a loop, a branch or a helper" in stopped(twice)
