"""Collections of tensors, and the regularization losses of single variables."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

MAKER = """\
import tensorflow as tf

def weight(shape, wd=None):
    var = tf.Variable(tf.ones(shape))
    if wd is not None:
        decay = tf.multiply(tf.nn.l2_loss(var), wd, name='decay')
        tf.add_to_collection('losses', decay)
    return var

"""
MAIN = """\
x = tf.placeholder(tf.float32, [None, 2])
w = weight([2, 2], 0.1)
v = weight([2, 1])
out = tf.matmul(tf.matmul(x, w), v)
error = tf.reduce_mean(tf.square(out))
# what is to be learned
tf.add_to_collection('losses', error)
tf.add_to_collection('losses', tf.reduce_max(out))
loss = tf.add_n(tf.get_collection('losses'), name='total')
"""
RUN = """\
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1, 2]]})
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def test_a_collection_is_a_list_and_penalties_stand_beside_their_variables() -> None:
    text = native(MAKER + MAIN + RUN)
    assert (
        "def weight(shape, wd=None):\n    var = tf.Variable(tf.ones(shape))\n    return var\n"
        in text
    )
    assert "w_loss = tf.multiply(tf.nn.l2_loss(w), 0.1)\n" in text
    assert "v_loss" not in text
    assert "loss = tf.add_n([w_loss, error, loss_2], name='total')" in text
    assert "loss_2 = tf.reduce_max(out)" in text


def test_what_a_function_computes_of_its_variable_is_apart_from_its_penalty() -> None:
    new = "    var = 2 * var\n    return var"
    text = native((MAKER + MAIN + RUN).replace("    return var", new))
    assert "decay = tf.multiply(tf.nn.l2_loss(w_variable), 0.1, name='decay')\n" in text
    assert "w = 2 * w_variable\n" in text
    assert "v = 2 * v_variable\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("w = weight([2, 2], 0.1)", "for _ in range(1):\n    w = weight([2, 2], 0.1)\n    break"),
        ("        decay = ", "        wd = 2 * wd\n        decay = "),
    ],
)
def test_what_a_collection_holds_must_be_seen(old: str, new: str) -> None:
    source = MAKER + MAIN + RUN
    assert old in source
    assert upgrade(source.replace(old, new)).level is Level.COMPAT


def test_a_loop_collects_the_penalty_of_each_round() -> None:
    loop = "for _ in range(2):\n    w = weight([2, 2], 0.1)"
    text = native(MAKER + MAIN.replace("w = weight([2, 2], 0.1)", loop) + RUN)
    assert "ws = [weight([2, 2], 0.1) for _ in range(2)]\n" in text
    assert (
        "        losses = []\n        for w in ws:\n"
        "            losses.append(tf.multiply(tf.nn.l2_loss(w), 0.1))\n" in text
    )


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        (
            "w = weight([2, 2], 0.1)",
            "rate = float('0.1') or 1\nw = weight([2, 2], rate)",
            "if rate is not None:\n            losses.append(tf.multiply(tf.nn.l2_loss(w), ",
        ),
        # The name means something else where the collection is read.
        ("error)\n", "error)\nerror = 2 * error\n", "        losses.append(error)\n"),
    ],
)
def test_a_list_is_filled_where_the_collection_was(old: str, new: str, written: str) -> None:
    text = native((MAKER + MAIN + RUN).replace(old, new))
    assert written in text
    assert "tf.add_n(losses, name='total')" in text


def test_a_collection_that_nothing_reads_goes() -> None:
    head, _, _ = MAKER.partition("def weight")
    body = "w = tf.Variable(1.0)\nloss = x * w\ntf.add_to_collection('losses', loss)\n"
    text = native(
        head + "x = tf.placeholder(tf.float32, [])\n" + body + RUN.replace("[[1, 2]]", "2")
    )
    assert "collection" not in text


SINGLE = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
reg = tf.contrib.layers.l1_regularizer(0.2)
w = tf.get_variable('w', [2, 2], regularizer=tf.contrib.layers.l2_regularizer(0.1))
v = tf.get_variable('v', [2, 1], regularizer=reg)
loss = tf.reduce_mean(tf.matmul(tf.matmul(x, w), v)) + tf.losses.get_regularization_loss()
"""


def test_the_regularization_losses_of_variables() -> None:
    text = native(SINGLE + RUN)
    assert "reg = tf.keras.regularizers.L1(0.2)\n" in text
    assert "tf.add_n([tf.keras.regularizers.L2(0.05)(w), reg(v)])" in text
    alone = native(SINGLE.replace(" + tf.losses.get_regularization_loss()", "") + RUN)
    assert "L2" not in alone  # nothing reads it


@pytest.mark.parametrize("line", ["reg = tf.contrib.layers.l2_regularizer(0.3)\n", "v = w\n"])
def test_a_regularizer_or_a_variable_that_means_another_one_later(line: str) -> None:
    result = upgrade(SINGLE.replace("loss = ", f"{line}loss = ") + RUN)
    assert result.level is Level.COMPAT
    (finding,) = [f for f in result.left if f.rule == "TFM420"]
    assert "the regularization losses of single variables" in finding.message
