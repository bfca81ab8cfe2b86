"""Layers that are applied in what a run fetches, and a Saver of a net's layers."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

def net(x, n=2, reuse=False):
    with tf.variable_scope('net', reuse=reuse):
        return tf.layers.dense(x, n)

x = tf.placeholder(tf.float32, [None, 3])
y = net(x)
loss = tf.reduce_mean(tf.square(tf.layers.dense(y, 1)))
train = tf.train.AdamOptimizer(0.1).minimize(loss)
"""
RUN = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(train, {x: [[1, 2, 3]]})
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def reasons(result: FileResult) -> list[str]:
    return [f.message for f in result.left if f.rule == "TFM420"]


@pytest.mark.parametrize("repeated", ["", "    sess.run(net(x, reuse=True), {x: [[4, 5, 6]]})\n"])
def test_a_net_that_is_applied_in_a_fetch_keeps_its_layers(repeated: str) -> None:
    last = "        print(sess.run(net(x, reuse=True), feed_dict={x: [[1, 2, 3]]}))\n"
    result = upgrade(HEAD + RUN + last + repeated)
    assert result.level is Level.NATIVE, reasons(result)
    after = (result.after or b"").decode()
    assert after.count("= net()") == 1
    assert after.count("def compute_net_output") == 1
    assert "print(compute_net_output([[1, 2, 3]]).numpy())" in after


@pytest.mark.parametrize(
    "last",
    [
        "        print(sess.run(net(x, reuse=True) + 1, {x: [[1, 2, 3]]}))\n",
        "        n = i\n        print(sess.run(net(x, n, reuse=True), {x: [[1, 2, 3]]}))\n",
        "        print(sess.run(tf.layers.dense(y, 2), {x: [[1, 2, 3]]}))\n",
    ],
)
def test_what_differs_from_run_to_run_keeps_the_session(last: str) -> None:
    assert upgrade(HEAD + RUN + last).level is Level.COMPAT


SAVER = HEAD + "saver = tf.train.Saver(VARIABLES)\n" + RUN + "    saver.save(sess, 'out/model')\n"
PICKED = "[v for v in tf.trainable_variables() if v.name.startswith('net')]"
LATER = "with tf.Session() as sess:\n"
RESTORED = "    saver.restore(sess, 'out/model')\n"
READ = "    print(sess.run(y, {x: [[1, 2, 3]]}))\n"


@pytest.mark.parametrize("wanted", [PICKED, "var_list=tf.trainable_variables('net')"])
def test_a_saver_of_a_nets_variables_saves_its_layers(wanted: str) -> None:
    result = upgrade(SAVER.replace("VARIABLES", wanted))
    assert result.level is Level.NATIVE, reasons(result)
    assert "saver = tf.train.Checkpoint(y_layer=y_layer.layers)" in (result.after or b"").decode()


def test_a_saver_of_what_is_trained_leaves_out_the_rest_of_a_layer() -> None:
    dense, norm = "tf.layers.dense(x, n)", "tf.layers.batch_normalization(x, training=True)"
    result = upgrade(SAVER.replace("VARIABLES", PICKED).replace(dense, norm))
    assert result.level is Level.COMPAT
    assert "a Saver of what is trained of a layer, which has more" in reasons(result)[0]


def test_a_later_session_has_only_what_it_restores() -> None:
    result = upgrade(SAVER.replace("VARIABLES", PICKED) + LATER + RESTORED + READ)
    assert result.level is Level.NATIVE, reasons(result)


@pytest.mark.parametrize(
    "later",
    [
        "    sess.run(tf.global_variables_initializer())\n" + RESTORED + READ,
        RESTORED + "    print(sess.run(tf.report_uninitialized_variables()))\n",
        RESTORED + f"    try:\n    {READ}    except tf.errors.FailedPreconditionError:\n"
        "        print('no')\n",
    ],
)
def test_a_later_session_with_other_variables_keeps_them(later: str) -> None:
    assert upgrade(SAVER.replace("VARIABLES", PICKED) + LATER + later).level is Level.COMPAT
