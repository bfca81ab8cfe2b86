"""A run that feeds an iterator's next element takes none: what it is fed is its argument."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import numpy as np
import tensorflow as tf

x = np.linspace(-1, 1, 100)[:, np.newaxis].astype(np.float32)
test = np.linspace(-1, 1, 7)[:, np.newaxis]
"""
KNOWN = """\
dataset = tf.data.Dataset.from_tensor_slices((x, x ** 2)).batch(32)
iterator = dataset.make_one_shot_iterator()
"""
FED = """\
given = tf.placeholder(x.dtype, x.shape)
dataset = tf.data.Dataset.from_tensor_slices((given, given ** 2))
dataset = dataset.batch(32)
iterator = dataset.make_initializable_iterator()
"""
MODEL = """\
bx, by = iterator.get_next()
w = tf.Variable([[0.3]])
out = tf.matmul(bx, w)
loss = tf.reduce_mean(tf.square(by - out))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

sess = tf.Session()
sess.run(tf.global_variables_initializer())
"""
BEGIN = "sess.run(iterator.initializer, {given: x})\n"
TRAIN = "for _ in range(3):\n    print(sess.run([train, loss])[1])\n"


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize(
    ("run", "written"),
    [
        ("loss, {by: test ** 2, bx: test}", "compute_loss(test, test ** 2).numpy()"),
        ("out, {bx: test}", "predict(test).numpy()"),
    ],
)
def test_what_is_fed_is_the_argument(run: str, written: str) -> None:
    result = upgrade(f"{HEAD}{KNOWN}{MODEL}{TRAIN}print(sess.run({run}))\n")
    after = (result.after or b"").decode()
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert f"print({written})" in after
    assert "train_step(*next(iterator))" in after
    assert ("input_signature=[iterator.element_spec[0]]" in after) is ("out" in run)


@pytest.mark.parametrize(
    "runs",
    [
        f"{BEGIN}{TRAIN}print(sess.run(out, {{bx: test}}))\n",
        f"for _ in range(2):\n    {BEGIN}    for _ in range(3):\n        sess.run(train)\n"
        "        print(sess.run(out, {bx: test}))\n",
    ],
)
def test_what_an_iterator_of_fed_arrays_gives_tells_the_type(runs: str) -> None:
    result = upgrade(f"{HEAD}{FED}{MODEL}{runs}")
    after = (result.after or b"").decode()
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert "predict(tf.constant(test, iterator.element_spec[0].dtype))" in after


@pytest.mark.parametrize(
    "runs",
    [
        f"{BEGIN}{TRAIN}print(sess.run(loss, {{by: test ** 2}}))\n",  # takes the next x
        f"print(sess.run(out, {{bx: test}}))\n{BEGIN}{TRAIN}",  # nothing has begun
        f"if len(x) > 9:\n    {BEGIN}{TRAIN}print(sess.run(out, {{bx: test}}))\n",
        f"for _ in range(2):\n    print(sess.run(out, {{bx: test}}))\n    {BEGIN}",
        f"{BEGIN}{TRAIN}feed = {{bx: test}}\nprint(sess.run(out, feed_dict=feed))\n",
    ],
)
def test_what_may_take_an_element_keeps_the_session(runs: str) -> None:
    assert upgrade(f"{HEAD}{FED}{MODEL}{runs}").level is Level.COMPAT
