"""`tf.losses` in functions: weights, reductions and smoothed labels; their numbers are those of
fixtures/native/weighted_losses.
"""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 2])
w = tf.placeholder(tf.float32, [None, 1])
much = 0.1
h = tf.layers.dense(x, 2)
loss = LOSS
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1, 2, 3]], y: [[0, 1]], w: [[1]]})
"""
SUM = "reduction=tf.losses.Reduction.SUM"


def upgraded(loss: str) -> tuple[str, list[str]]:
    (result,) = texts({"a.py": PROGRAM.replace("LOSS", loss).encode()}, Options())
    return (result.after or b"").decode(), [f.message for f in result.left]


@pytest.mark.parametrize(
    ("loss", "new"),
    [
        ("tf.losses.huber_loss(y, h)", "tf.reduce_mean(tf.keras.losses.huber(y, h))"),
        ("tf.losses.huber_loss(y, h, 0.5)", "tf.reduce_mean(0.5 * huber_losses(y, h))"),
        (
            "tf.losses.huber_loss(y, h, w, 0.2)",
            "weighted_loss(huber_losses(y, h, delta=0.2), w)",
        ),
        (f"tf.losses.huber_loss(y, h, {SUM})", "tf.reduce_sum(huber_losses(y, h))"),
        ("tf.losses.hinge_loss(y, h)", "tf.reduce_mean(tf.nn.relu(1 - (2 * y - 1) * h))"),
        (
            f"tf.losses.absolute_difference(y, h, 2.0, {SUM})",
            "tf.reduce_sum(2.0 * tf.abs(h - y))",
        ),
        (
            "tf.losses.sigmoid_cross_entropy(y, h, label_smoothing=much)",
            "labels=y * (1 - much) + 0.5 * much, logits=h",
        ),
        (
            "tf.contrib.losses.softmax_cross_entropy(h, y, label_smoothing=0.2)",
            "labels=smoothed(y, 0.2), logits=h",
        ),
        ("tf.losses.sigmoid_cross_entropy(y, h, label_smoothing=0)", "labels=y, logits=h"),
    ],
)
def test_what_a_loss_is(loss: str, new: str) -> None:
    text, left = upgraded(loss)
    assert new in text, (text, left)
    assert "Session" not in text


@pytest.mark.parametrize(
    ("reduction", "helper", "end"),
    [
        ("SUM", "weighted_sum", "    return tf.reduce_sum(losses * weights)\n"),
        ("MEAN", "weighted_mean", "divide_no_nan(total, tf.reduce_sum(weights))\n"),
        ("SUM_OVER_BATCH_SIZE", "weighted_average", "tf.reduce_mean(losses * weights)\n"),
        ("SUM_OVER_NONZERO_WEIGHTS", "weighted_loss", "count_nonzero(weights, dtype=tf.float32)"),
    ],
)
def test_weights_that_are_fed(reduction: str, helper: str, end: str) -> None:
    said = SUM.replace("SUM", reduction)
    text, _ = upgraded(f"tf.losses.huber_loss(y, h, w, {said})")
    assert f"{helper}(huber_losses(y, h), w)" in text
    assert end in text
    assert "Session" not in text


def test_losses_that_are_kept_each_by_itself_are_weighed() -> None:
    said = SUM.replace("SUM", "NONE")
    text, left = upgraded(f"tf.losses.huber_loss(y, h, w, {said})")
    assert not left
    assert "weighted_losses(huber_losses(y, h), w)" in text


LOG_LOSS = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None])
w = tf.Variable(tf.random_normal([3, 1], 0, 0.1, DTYPE))
out = tf.sigmoid(tf.matmul(x, w))
LOSS
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1, 2, 3]], y: [1]})
"""


def log_loss(loss: str, dtype: str = "tf.float32") -> tuple[str, list[str]]:
    source = LOG_LOSS.replace("LOSS", loss).replace("DTYPE", dtype)
    (result,) = texts({"a.py": source.encode()}, Options())
    return (result.after or b"").decode(), [f.message for f in result.left]


@pytest.mark.parametrize(
    ("loss", "lines"),
    [
        (
            "loss = tf.losses.log_loss(tf.reshape(y, (-1, 1)), out)",
            "labels = tf.reshape(y, (-1, 1))\n        loss = tf.reduce_mean(-tf.cast(labels, ",
        ),
        (
            "loss = tf.losses.log_loss(predictions=out * 0.9, labels=tf.reshape(y, (-1, 1))) * 2.0",
            "labels = tf.reshape(y, (-1, 1))\n        predictions = out * 0.9\n        loss = ",
        ),
        (
            "def cost(y, p):\n    return tf.losses.log_loss(y[:, None], p)\n\n\n"
            "loss = cost(y, out)",
            "def cost(y, p):\n    labels = y[:, None]\n    return tf.reduce_mean(",
        ),
    ],
)
def test_a_log_loss_of_expressions_has_names_for_them(loss: str, lines: str) -> None:
    text, left = log_loss(loss)
    assert not left
    assert lines in text


@pytest.mark.parametrize(
    "loss",
    [
        "cost = lambda y, p: tf.losses.log_loss(y[:, None], p)\nloss = cost(y, out)",
        "loss = sum([tf.losses.log_loss(y[:, None], p) for p in [out, out]])",
        "if len('a'): loss = tf.losses.log_loss(y[:, None], out)\nelse: loss = tf.reduce_mean(out)",
    ],
)
def test_one_without_a_line_of_its_own_keeps_the_session(loss: str) -> None:
    assert any("a log loss of expressions" in message for message in log_loss(loss)[1])


@pytest.mark.parametrize(("dtype", "double"), [("1.0", False), ("1", False), ("2", True)])
def test_a_type_by_its_number(dtype: str, double: bool) -> None:
    text, _ = log_loss("y = y[:, None]\nloss = tf.losses.log_loss(y, out)", dtype)
    assert ("tf.cast(out, tf.float32)" in text) is double


@pytest.mark.parametrize(
    ("loss", "new"),
    [
        (
            "tf.losses.cosine_distance(y, h, axis=1)",
            "tf.reduce_mean(1 - tf.reduce_sum(h * y, axis=1, keepdims=True))",
        ),
        (
            "tf.contrib.losses.cosine_distance(h, y, dim=1)",
            "tf.reduce_mean(1 - tf.reduce_sum(h * y, axis=1, keepdims=True))",
        ),
        (
            "tf.losses.mean_pairwise_squared_error(y, h, 2.0)",
            "loss = 2.0 * pairwise_squared_error(y, h)",
        ),
        ("tf.losses.compute_weighted_loss(h * h, w)", "weighted_loss(h * h, w)"),
        ("tf.losses.compute_weighted_loss(h * h, 0.5)", "tf.reduce_mean(0.5 * (h * h))"),
        (
            "tf.reduce_sum(tf.losses.mean_squared_error(y, h, w, reduction='none'))",
            "tf.reduce_sum(weighted_losses(tf.math.squared_difference(h, y), w))",
        ),
        (
            "tf.losses.absolute_difference(y, h, reduction='weighted_sum')",
            "tf.reduce_sum(tf.abs(h - y))",
        ),
    ],
)
def test_cosines_pairs_and_losses_of_ones_own(loss: str, new: str) -> None:
    text, left = upgraded(loss)
    assert not left
    assert new in text


@pytest.mark.parametrize(
    "loss",
    ["mean_pairwise_squared_error(y, h, w)", "mean_squared_error(y, h, reduction='mean')"],
)
def test_pairs_with_weights_and_reductions_that_arent_one(loss: str) -> None:
    assert upgraded(f"tf.losses.{loss}")[1]
